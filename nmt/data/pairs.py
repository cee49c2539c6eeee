"""The training pairs of each epoch: always the same, or cut into pieces anew (BPE-dropout)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from nmt.data.batching import Batch, BatchPlan, Indices, collate
from nmt.data.store import Sequences, TokenStore
from nmt.data.tokenizer import Tokenizer

_BLOCK = 8192  # sentences decoded together


class TrainingPairs:
    """Batches by their pairs' numbers, for the epoch that was last asked for."""

    def __init__(
        self,
        store: TokenStore,
        tokenizers: tuple[Tokenizer, Tokenizer],
        plan: BatchPlan,
        bpe_dropout: float = 0.0,
        seed: int = 0,
        place: Callable[[Batch], Any] = lambda batch: batch,
    ) -> None:
        """Serve the pairs of `store`.

        Args:
            store: Pairs as ids.
            tokenizers: Of the source and of the target.
            plan: Which pairs go together, by their lengths without dropout.
            bpe_dropout: Probability that a merge of two pieces is left out; 0 for the pieces in the store.
            seed: Of that choice, which depends on nothing but it, the epoch and the side.
            place: Takes a batch to where it is needed.
        """
        self._stored = self._pieces = store
        self._tokenizers, self._plan, self._place = tokenizers, plan, place
        self._bpe_dropout, self._seed = bpe_dropout, seed

    def epoch(self, epoch: int) -> list[Indices]:
        """Begin an epoch: its batches, as pair numbers."""
        if self._bpe_dropout:
            sides = (self._stored.source, self._stored.target)
            seeds = np.random.SeedSequence((self._seed, epoch)).generate_state(2).tolist()
            self._pieces = TokenStore(*map(self._cut_anew, sides, self._tokenizers, seeds))
        return self._plan.epoch(epoch)

    def batch(self, indices: Indices) -> Any:
        """These pairs, as tensors."""
        return self._place(collate(self._pieces, indices))

    def tokens(self, indices: Indices) -> int:
        """What the loss of some pairs is averaged over: their target tokens and EOS."""
        return int(self._pieces.target.lengths[indices].sum()) + len(indices)

    def _cut_anew(self, stored: Sequences, tokenizer: Tokenizer, seed: int) -> Sequences:
        texts = chain.from_iterable(
            tokenizer.decode_batch([stored[i] for i in range(start, min(start + _BLOCK, len(stored)))])
            for start in range(0, len(stored), _BLOCK)
        )
        return Sequences.of(tokenizer.encode_with_dropout(list(texts), self._bpe_dropout, seed), stored.tokens.dtype)
