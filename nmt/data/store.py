"""Token ids on disk, memory-mapped, so that a corpus may be larger than memory.

A split has four raw files (tokens and offsets of each side, little-endian) and a JSON file that describes
them. Sentences are stored without BOS, EOS or padding; `batching.collate` adds these.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CHUNK = 2**16  # offsets read together

Block = tuple[list[list[int]], list[list[int]]]


class Joined:
    """Two arrays, end to end, of which the first may be a mapped file: it is not copied."""

    def __init__(self, first: NDArray[Any], second: NDArray[Any]) -> None:
        self._first, self._second, self.dtype = first, second, first.dtype

    def __getitem__(self, positions: NDArray[np.integer]) -> NDArray[Any]:
        """The elements at these positions."""
        in_second = positions >= len(self._first)
        found = np.empty(positions.shape, self.dtype)
        found[~in_second] = self._first[positions[~in_second]]
        found[in_second] = self._second[positions[in_second] - len(self._first)]
        return found


@dataclass(frozen=True, eq=False)
class Sequences:
    """Token sequences of any length: sequence i is the lengths[i] tokens from offsets[i]."""

    tokens: Any  # an array, or two of them, Joined
    offsets: NDArray[np.int64]
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
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        return cls(np.fromiter(chain.from_iterable(sequences), dtype=dtype, count=offsets[-1]), offsets, lengths)

    def replaced(self, new: Mapping[int, list[int]]) -> "Sequences":
        """These sequences, some of them replaced; the tokens of the others are not copied."""
        added, at = Sequences.of(list(new.values()), self.tokens.dtype), list(new)
        offsets, lengths = self.offsets[: len(self)].copy(), self.lengths.copy()
        offsets[at], lengths[at] = len(self.tokens) + added.offsets[:-1], added.lengths
        return Sequences(Joined(self.tokens, added.tokens), offsets, lengths)

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> list[int]:
        start = self.offsets[index]
        return self.tokens[np.arange(start, start + self.lengths[index])].tolist()


@dataclass(frozen=True, eq=False)
class TokenStore:
    """Sentence pairs as ids; pair i is (source[i], target[i])."""

    source: Sequences
    target: Sequences

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
                    tokens.write(written.tokens.tobytes())
                    offsets.write((ends[side] + written.offsets[1:]).astype("<i8").tobytes())
                    ends[side] += len(written.tokens)
        source, target = ({"dtype": dtype, "tokens": end} for dtype, end in zip(dtypes, ends, strict=True))
        meta = {"pairs": pairs, "source": source, "target": target}
        (directory / f"{split}.json").write_text(json.dumps(meta, indent=2) + "\n", encoding="utf-8")


def _map(path: Path, dtype: str) -> NDArray[Any]:
    if path.stat().st_size == 0:  # nothing to map
        return np.empty(0, dtype=dtype)
    return np.memmap(path, dtype=dtype, mode="r")


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
