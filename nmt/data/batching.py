"""Batches: grouping of pairs by length, and padding to tensors.

Shapes: B batch, S source length with EOS, T target length with EOS (or BOS).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nmt.data.store import TokenStore
from nmt.special import BOS, EOS, PAD

Indices = NDArray[np.integer]

_POOL_BATCHES = 500  # batches sorted by length together: enough to save padding, few enough to stay random


@dataclass(frozen=True, eq=False)
class Batch:
    """Sentence pairs as padded tensors."""

    source: Tensor  # ids and EOS, (B, S)
    source_lengths: Tensor  # real tokens per source with EOS, (B,); stays on the CPU, where packing needs it
    target_in: Tensor  # BOS and ids, (B, T): the decoder's input
    target_out: Tensor  # ids and EOS, (B, T): the decoder's target
    real: Tensor  # flat indices into (B, T) of the target tokens that are not padding, (tokens,)
    tokens: int  # number of target tokens that are not padding

    def to(self, device: torch.device) -> "Batch":
        """Move to a device; copies to a GPU run in the background, from pinned memory."""

        def moved(tensor: Tensor) -> Tensor:
            return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)

        source, target_in, target_out = moved(self.source), moved(self.target_in), moved(self.target_out)
        return replace(self, source=source, target_in=target_in, target_out=target_out, real=moved(self.real))


def collate(store: TokenStore, indices: Indices) -> Batch:
    """Make a batch of the pairs with these indices."""
    indices = np.asarray(indices, dtype=np.int64)
    source, target = (  # one column more than the longest, for EOS
        _padded(side.flat(indices), lengths, width=int(lengths.max()) + 1)
        for side in (store.source, store.target)
        for lengths in [side.lengths[indices]]
    )
    rows, target_lengths = np.arange(len(indices)), store.target.lengths[indices]
    target_in = np.concatenate([np.full((len(indices), 1), BOS), target[:, :-1]], axis=1)  # (B, T)
    source[rows, store.source.lengths[indices]] = EOS
    target[rows, target_lengths] = EOS
    return Batch(
        source=torch.from_numpy(source),
        source_lengths=torch.from_numpy(store.source.lengths[indices].astype(np.int64) + 1),
        target_in=torch.from_numpy(target_in),
        target_out=torch.from_numpy(target),
        real=torch.from_numpy(np.flatnonzero(np.arange(target.shape[1]) <= target_lengths[:, None])),
        tokens=int(target_lengths.sum()) + len(indices),
    )


def pad(sentences: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Lists of ids as a padded tensor (B, longest), and their lengths (B,)."""
    lengths = np.array([len(ids) for ids in sentences], dtype=np.int64)
    tokens = np.concatenate([np.asarray(ids, dtype=np.int64) for ids in sentences])
    return torch.from_numpy(_padded(tokens, lengths, width=int(lengths.max()))), torch.from_numpy(lengths)


def _padded(tokens: NDArray[np.integer], lengths: NDArray[np.integer], width: int) -> NDArray[np.int64]:
    """Put sequences that stand end to end into rows of a matrix (B, width), padded with PAD."""
    real = np.arange(width) < lengths[:, None]
    padded = np.full(real.shape, PAD, dtype=np.int64)
    padded[real] = tokens
    return padded


class Plan(Protocol):
    """Gives the batches of every epoch."""

    def epoch(self, epoch: int) -> list[Indices]:
        """The batches of one epoch, as indices of pairs."""


class BatchPlan:
    """The batches of every epoch, a pure function of (seed, epoch), so that resuming needs no state.

    Pairs are shuffled, pools of them are sorted by length and cut into batches, and the batches are shuffled. Every
    pair occurs exactly once per epoch.
    """

    def __init__(
        self,
        source_lengths: NDArray[np.integer],  # tokens without EOS
        target_lengths: NDArray[np.integer],
        batch_size: int,  # pairs per batch, or padded tokens on its longer side; a longer pair is a batch of its own
        unit: Literal["sentences", "tokens"],  # what `batch_size` counts
        seed: int,
    ) -> None:
        self._source, self._target = source_lengths, target_lengths
        self._widths = np.maximum(source_lengths, target_lengths) + 1  # with EOS
        self._batch_size, self._unit, self._seed = batch_size, unit, seed
        pairs_per_batch = batch_size
        if unit == "tokens" and len(self._widths):
            pairs_per_batch = max(1, int(batch_size / self._widths.mean()))
        self._pool = _POOL_BATCHES * pairs_per_batch

    def epoch(self, epoch: int) -> list[Indices]:
        """The batches of one epoch, as indices of pairs."""
        random = np.random.default_rng((self._seed, epoch))
        order = random.permutation(np.arange(len(self._widths), dtype=np.int32))  # half the memory of int64
        batches: list[Indices] = []
        for start in range(0, len(order), self._pool):
            pool = order[start : start + self._pool]
            pool = pool[np.lexsort((self._source[pool], self._target[pool]))]
            batches.extend(self._cut(pool))
        return [batches[i] for i in random.permutation(len(batches))]

    def _cut(self, pool: Indices) -> list[Indices]:
        if self._unit == "sentences":
            return [pool[i : i + self._batch_size] for i in range(0, len(pool), self._batch_size)]
        batches, start = [], 0
        while start < len(pool):
            # A sentence has at least one token, so no batch has more than batch_size sentences.
            widths = np.maximum.accumulate(self._widths[pool[start : start + self._batch_size]])
            padded = widths * np.arange(1, len(widths) + 1)
            size = max(1, int(np.searchsorted(padded, self._batch_size, side="right")))
            batches.append(pool[start : start + size])
            start += size
        return batches


class ReplayPlan:
    """The batches of a run that starts from another, a pure function of (seed, epoch).

    Every epoch has each new pair once, and a random sample of the old ones that fills the last batch.
    """

    def __init__(
        self,
        source_lengths: NDArray[np.integer],
        target_lengths: NDArray[np.integer],
        batch_size: int,
        unit: Literal["sentences", "tokens"],
        seed: int,
        new: int,  # number of new pairs, which are the last ones
        replay: float,  # old pairs for each new one
    ) -> None:
        self._lengths, self._settings = (source_lengths, target_lengths), (batch_size, unit, seed)
        self._old, self._seed = len(source_lengths) - new, seed
        per_batch = batch_size
        if unit == "tokens":
            per_batch = max(1, int(batch_size / (np.maximum(source_lengths, target_lengths) + 1).mean()))
        pairs = -(-int(new * (1 + replay)) // per_batch) * per_batch
        self._sample = min(self._old, pairs - new) if replay else 0

    def epoch(self, epoch: int) -> list[Indices]:
        """The batches of one epoch, as indices of pairs."""
        random = np.random.default_rng((self._seed, epoch, 1))  # not the numbers that shuffle them
        old = random.choice(self._old, self._sample, replace=False)
        pairs = np.concatenate([old, np.arange(self._old, len(self._lengths[0]))])
        source, target = (lengths[pairs] for lengths in self._lengths)
        return [pairs[batch] for batch in BatchPlan(source, target, *self._settings).epoch(epoch)]


def sorted_batches(lengths: NDArray[np.integer], batch_tokens: int) -> list[Indices]:
    """Batches of at most `batch_tokens` padded tokens, longest first, so that a lack of memory shows at once."""
    order = np.argsort(-lengths, kind="stable")
    batches: list[Indices] = []
    start = 0
    while start < len(order):
        size = max(1, batch_tokens // max(1, int(lengths[order[start]])))
        batches.append(order[start : start + size])
        start += size
    return batches
