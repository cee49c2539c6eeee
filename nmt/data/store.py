"""Token ids on disk, memory-mapped, so that a corpus may be larger than memory.

A split has four raw files: tokens and offsets of each side. Sentences are stored without BOS, EOS or padding;
`batching.collate` adds these.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SMALL, _LARGE = "<u2", "<i4"  # types of a token, by the size of the vocabulary

Block = tuple[list[list[int]], list[list[int]]]


@dataclass(frozen=True, eq=False)
class Sequences:
    """Token sequences of any length: sequence i is the lengths[i] tokens from offsets[i]."""

    tokens: NDArray[Any]
    offsets: NDArray[np.int64]
    lengths: NDArray[np.int32]

    @classmethod
    def open(cls, stem: Path) -> "Sequences":
        """Map the files `<stem>.tokens` and `<stem>.offsets`."""
        tokens, offsets = stem.with_suffix(".tokens"), _map(stem.with_suffix(".offsets"), "<i8")
        dtype = _SMALL if tokens.stat().st_size == np.dtype(_SMALL).itemsize * offsets[-1] else _LARGE
        return cls(_map(tokens, dtype), offsets, np.diff(offsets).astype(np.int32))

    @classmethod
    def of(cls, sequences: list[list[int]], dtype: Any) -> "Sequences":
        """Make sequences in memory."""
        lengths = np.fromiter(map(len, sequences), dtype=np.int32, count=len(sequences))
        tokens = np.fromiter(chain.from_iterable(sequences), dtype=dtype, count=int(lengths.sum()))
        return cls(tokens, _offsets(lengths), lengths)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a token."""
        return self.tokens.dtype

    @classmethod
    def joined(cls, parts: "list[Sequences]") -> "Sequences":
        """All sequences of several parts, in memory."""
        lengths = np.concatenate([part.lengths for part in parts])
        return cls(np.concatenate([part.tokens for part in parts]), _offsets(lengths), lengths)

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> list[int]:
        start = int(self.offsets[index])
        return self.tokens[start : start + int(self.lengths[index])].tolist()

    def flat(self, indices: NDArray[np.integer]) -> NDArray[Any]:
        """The tokens of these sequences, end to end."""
        lengths = self.lengths[indices]
        starts = _offsets(lengths)
        return self.tokens[np.repeat(self.offsets[indices] - starts[:-1], lengths) + np.arange(starts[-1])]


@dataclass(frozen=True, eq=False)
class Replaced:
    """Sequences of which some are replaced: at[k] by new[k]; the others are not copied."""

    stored: "Sequences | Replaced"
    at: NDArray[np.int64]  # ascending
    new: Sequences

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a token."""
        return self.stored.dtype

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Tokens of each sequence."""
        lengths = self.stored.lengths.copy()
        lengths[self.at] = self.new.lengths
        return lengths

    def __len__(self) -> int:
        return len(self.stored)

    def __getitem__(self, index: int) -> list[int]:
        return self.flat(np.array([index])).tolist()

    def flat(self, indices: NDArray[np.integer]) -> NDArray[Any]:
        """The tokens of these sequences, end to end."""
        place, lengths = np.searchsorted(self.at, indices), self.lengths[indices]
        is_new = place < np.searchsorted(self.at, indices, side="right")
        tokens, among_new = np.empty(int(lengths.sum()), self.dtype), np.repeat(is_new, lengths)
        tokens[~among_new] = self.stored.flat(indices[~is_new])
        tokens[among_new] = self.new.flat(place[is_new])
        return tokens


def part(sequences: Sequences | Replaced, indices: Sequence[int]) -> Sequences:
    """Copy some sequences into memory."""
    chosen = np.asarray(indices, dtype=np.int64)
    lengths = sequences.lengths[chosen]
    return Sequences(sequences.flat(chosen), _offsets(lengths), lengths)


@dataclass(frozen=True, eq=False)
class TokenStore:
    """Sentence pairs as ids; pair i is (source[i], target[i])."""

    source: Sequences | Replaced
    target: Sequences | Replaced

    def __len__(self) -> int:
        return len(self.source)

    def target_tokens(self, pairs: NDArray[Any]) -> int:
        """Number of target tokens of some pairs, EOS included."""
        return int(self.target.lengths[pairs].sum()) + len(pairs)

    @classmethod
    def open(cls, directory: Path, split: str) -> "TokenStore":
        """Map a split that `write` has written."""
        return cls(*(Sequences.open(directory / f"{split}-{side}") for side in ("source", "target")))

    @staticmethod
    def write(directory: Path, split: str, blocks: Iterable[Block], source_vocab: int, target_vocab: int) -> None:
        """Write pairs that arrive in blocks of (source sequences, target sequences)."""
        ends, dtypes = [0, 0], [_SMALL if size <= 2**16 else _LARGE for size in (source_vocab, target_vocab)]
        with ExitStack() as stack:
            stems = [directory / f"{split}-{side}" for side in ("source", "target")]
            names = [(stem.with_suffix(".tokens"), stem.with_suffix(".offsets")) for stem in stems]
            files = [[stack.enter_context(name.open("wb")) for name in of_side] for of_side in names]
            for _, offsets in files:
                offsets.write(np.zeros(1, dtype="<i8").tobytes())
            for block in blocks:
                for side, sequences in enumerate(block):
                    written, (tokens, offsets) = Sequences.of(sequences, dtypes[side]), files[side]
                    tokens.write(written.tokens.tobytes())
                    offsets.write((ends[side] + np.cumsum(written.lengths)).astype("<i8").tobytes())
                    ends[side] += len(written.tokens)


def _map(path: Path, dtype: str) -> NDArray[Any]:
    if path.stat().st_size == 0:  # nothing to map
        return np.empty(0, dtype=dtype)
    return np.memmap(path, dtype, mode="r")


def _offsets(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Where sequences of these lengths begin when they stand end to end, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
