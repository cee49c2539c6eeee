"""The training pairs of each epoch: always the same, or changed a little every time."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from nmt.data.batching import Batch, BatchPlan, Indices, collate
from nmt.data.madeup import Lexicon, Pair, with_made_up_word
from nmt.data.store import Sequences, TokenStore
from nmt.data.tokenizer import Tokenizer


class TrainingPairs:
    """Batches by their pairs' numbers, for the epoch that was last asked for."""

    def __init__(
        self,
        store: TokenStore,
        tokenizers: tuple[Tokenizer, Tokenizer],
        plan: BatchPlan,
        made_up_words: float = 0.0,
        bpe_dropout: float = 0.0,
        seed: int = 0,
        place: Callable[[Batch], Any] = lambda batch: batch,
    ) -> None:
        """Serve the pairs of `store`.

        Args:
            store: Pairs as ids.
            tokenizers: Of the source and of the target.
            plan: Which pairs go together, by their lengths without any change.
            made_up_words: Share of the pairs in which a word and its translation are replaced by a made-up string.
            bpe_dropout: Probability that a merge of two pieces is left out; 0 for the pieces in the store.
            seed: Of these choices, which depend on nothing but it and the epoch.
            place: Takes a batch to where it is needed.
        """
        self._stored = self._current = store
        self._tokenizers, self._plan, self._place = tokenizers, plan, place
        self._made_up_words, self._bpe_dropout, self._seed = made_up_words, bpe_dropout, seed

    def epoch(self, epoch: int) -> list[Indices]:
        """Begin an epoch: its batches, as pair numbers."""
        if self._made_up_words or self._bpe_dropout:
            self._current = self._changed(epoch)
        return self._plan.epoch(epoch)

    def batch(self, indices: Indices) -> Any:
        """These pairs, as tensors."""
        return self._place(collate(self._current, indices))

    def tokens(self, indices: Indices) -> int:
        """What the loss of some pairs is averaged over: their target tokens and EOS."""
        return int(self._current.target.lengths[indices].sum()) + len(indices)

    @cached_property
    def _texts(self) -> list[Pair]:
        """The pairs as they were written, in memory."""
        sides = zip(self._tokenizers, (self._stored.source, self._stored.target), strict=True)
        texts = [tokenizer.decode_batch([stored[i] for i in range(len(stored))]) for tokenizer, stored in sides]
        return list(zip(*texts, strict=True))

    @cached_property
    def _lexicon(self) -> Lexicon:
        return Lexicon(self._texts)

    def _changed(self, epoch: int) -> TokenStore:
        """The pairs of an epoch: some with a made-up word, all in pieces of this epoch."""
        first, second, third = np.random.SeedSequence((self._seed, epoch)).generate_state(3).tolist()
        texts, chance = self._texts, random.Random(first)
        new = {}
        if self._made_up_words:
            chosen = (i for i in range(len(texts)) if chance.random() < self._made_up_words)
            found = ((i, with_made_up_word(texts[i], self._lexicon, chance)) for i in chosen)
            new = {i: pair for i, pair in found if pair}
        sides = (self._stored.source, self._stored.target)
        return TokenStore(*(self._cut(side, sides[side], new, seed) for side, seed in ((0, second), (1, third))))

    def _cut(self, side: int, stored: Sequences, new: dict[int, Pair], seed: int) -> Sequences:
        tokenizer = self._tokenizers[side]
        if self._bpe_dropout:
            texts = [new.get(i, pair)[side] for i, pair in enumerate(self._texts)]
            return Sequences.of(tokenizer.encode_with_dropout(texts, self._bpe_dropout, seed), stored.tokens.dtype)
        ids = dict(zip(new, tokenizer.encode_batch([pair[side] for pair in new.values()]), strict=True))
        return Sequences.of([ids.get(i) or stored[i] for i in range(len(stored))], stored.tokens.dtype)
