"""The training pairs of each epoch: as stored, or with made-up words that are new in every epoch."""

import random
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from nmt.data.batching import Batch, Indices, Plan, collate
from nmt.data.lexicon import Lexicon, Pair
from nmt.data.madeup import with_made_up_word
from nmt.data.store import TokenStore
from nmt.data.tokenizer import Tokenizer

_SAMPLE = 50_000  # pairs that the lexicon is learnt from


class TrainingPairs:
    """Serves the batches of the current epoch by pair numbers."""

    def __init__(
        self,
        store: TokenStore,
        tokenizers: tuple[Tokenizer, Tokenizer],  # of the source and of the target
        plan: Callable[[TokenStore], Plan],  # of an epoch: made-up words change the lengths of sentences
        made_up_words: float = 0.0,  # share of pairs with a word and its translation replaced by a made-up string
        seed: int = 0,  # of the made-up words, which depend on the seed and the epoch alone
        place: Callable[[Batch], Any] = lambda batch: batch,  # moves a batch to its device
    ) -> None:
        self._stored = self._current = store
        self._tokenizers, self._plan, self._place = tokenizers, plan, place
        self._made_up_words, self._seed = made_up_words, seed

    def epoch(self, epoch: int) -> list[Indices]:
        """Begin an epoch and return its batches as pair numbers."""
        if self._made_up_words:
            self._current = self._changed(epoch)
        return self._plan(self._current).epoch(epoch)

    def batch(self, indices: Indices) -> Any:
        """These pairs, as tensors."""
        return self._place(collate(self._current, indices))

    def tokens(self, indices: Indices) -> int:
        """Target tokens of these pairs, EOS included."""
        return self._current.target_tokens(indices)

    def _text(self, index: int) -> Pair:
        source, target = (
            tokenizer.decode(stored[index])
            for tokenizer, stored in zip(self._tokenizers, (self._stored.source, self._stored.target), strict=True)
        )
        return source, target

    @cached_property
    def _lexicon(self) -> Lexicon:
        step = max(1, -(-len(self._stored) // _SAMPLE))
        return Lexicon(self._text(i) for i in range(0, len(self._stored), step))

    def _changed(self, epoch: int) -> TokenStore:
        """The pairs of an epoch, some of them with a made-up word."""
        rng = random.Random(int(np.random.SeedSequence((self._seed, epoch)).generate_state(1)[0]))
        new: dict[int, Pair] = {}
        for i in range(len(self._stored)):
            if rng.random() < self._made_up_words and (found := with_made_up_word(self._text(i), self._lexicon, rng)):
                new[i] = found
        sides = []
        for side, stored in enumerate((self._stored.source, self._stored.target)):
            ids = self._tokenizers[side].encode_batch([pair[side] for pair in new.values()])
            sides.append(stored.replaced(dict(zip(new, ids, strict=True))))
        return TokenStore(*sides)
