"""Token ids on disk, memory-mapped, so that a corpus may be larger than memory.

A split has four raw files (tokens and offsets of each side, little-endian) and a JSON file that describes
them. Sentences are stored without BOS, EOS or padding; `batching.collate` adds these.
"""

import json
import mmap
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CHUNK = 2**16  # offsets read together

Block = tuple[list[list[int]], list[list[int]]]


class Mapped:
    """The numbers in a file, mapped into memory."""

    def __init__(self, path: Path, dtype: str) -> None:
        with path.open("rb") as file:
            self._pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._numbers = np.frombuffer(self._pages, dtype)
        self.dtype = self._numbers.dtype

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, positions: Any) -> NDArray[Any]:
        """The numbers at positions that may be all that NumPy knows, as a copy."""
        found = np.array(self._numbers[positions])
        if hasattr(mmap, "MADV_DONTNEED"):  # else every page ever read counts as memory of this process
            self._pages.madvise(mmap.MADV_DONTNEED)  # they stay in the page cache of the system
        return found


@dataclass(frozen=True, eq=False)
class Sequences:
    """Token sequences of any length: sequence i is the lengths[i] tokens from offsets[i]."""

    tokens: Mapped | NDArray[Any]
    offsets: Mapped | NDArray[np.int64]
    lengths: NDArray[np.int32]

    @classmethod
    def open(cls, stem: Path, dtype: str) -> "Sequences":
        """Map the files `<stem>.tokens` and `<stem>.offsets`."""
        offsets = stem.with_suffix(".offsets")
        return cls(_map(stem.with_suffix(".tokens"), dtype), _map(offsets, "<i8"), _differences(offsets))

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
        meta = json.loads((directory / f"{split}.json").read_text(encoding="utf-8"))
        stems = {side: directory / f"{split}-{side}" for side in ("source", "target")}
        return cls(*(Sequences.open(stem, meta[side]["dtype"]) for side, stem in stems.items()))

    @staticmethod
    def write(directory: Path, split: str, blocks: Iterable[Block], source_vocab: int, target_vocab: int) -> None:
        """Write pairs that arrive in blocks of (source sequences, target sequences)."""
        pairs, ends, dtypes = 0, [0, 0], ["<u2" if size <= 2**16 else "<i4" for size in (source_vocab, target_vocab)]
        with ExitStack() as stack:
            stems = [directory / f"{split}-{side}" for side in ("source", "target")]
            names = [(stem.with_suffix(".tokens"), stem.with_suffix(".offsets")) for stem in stems]
            files = [[stack.enter_context(name.open("wb")) for name in of_side] for of_side in names]
            for _, offsets in files:
                offsets.write(np.zeros(1, dtype="<i8").tobytes())
            for block in blocks:
                pairs += len(block[0])
                for side, sequences in enumerate(block):
                    written, (tokens, offsets) = Sequences.of(sequences, dtypes[side]), files[side]
                    tokens.write(written.tokens[:].tobytes())
                    offsets.write((ends[side] + np.cumsum(written.lengths)).astype("<i8").tobytes())
                    ends[side] += len(written.tokens)
        source, target = ({"dtype": dtype, "tokens": end} for dtype, end in zip(dtypes, ends, strict=True))
        meta = {"pairs": pairs, "source": source, "target": target}
        (directory / f"{split}.json").write_text(json.dumps(meta, indent=2) + "\n", encoding="utf-8")


def _map(path: Path, dtype: str) -> Mapped | NDArray[Any]:
    if path.stat().st_size == 0:  # nothing to map
        return np.empty(0, dtype=dtype)
    return Mapped(path, dtype)


def _offsets(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Where sequences of these lengths begin when they stand end to end, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _differences(offsets: Path) -> NDArray[np.int32]:
    """Compute lengths from a file of offsets, which is read because mapped pages would stay in memory."""
    lengths = np.empty(offsets.stat().st_size // 8 - 1, dtype=np.int32)
    with offsets.open("rb") as file:
        last = np.frombuffer(file.read(8), dtype="<i8")
        for start in range(0, len(lengths), _CHUNK):
            ends = np.frombuffer(file.read(8 * _CHUNK), dtype="<i8")
            lengths[start : start + len(ends)] = np.diff(ends, prepend=last)
            last = ends[-1:]
    return lengths
