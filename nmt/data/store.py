"""Token ids on disk, memory-mapped: the corpus need not be in memory, whatever its size.

A split has four raw files (tokens and offsets of each side, little-endian) and a JSON file that describes
them. Sentences are stored without BOS, EOS or padding; `batching.collate` adds these.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CHUNK = 2**16  # offsets read together

Block = tuple[list[list[int]], list[list[int]]]


@dataclass(frozen=True, eq=False)
class Sequences:
    """Token sequences of any length, end to end: sequence i is tokens[offsets[i] : offsets[i + 1]]."""

    tokens: NDArray[Any]
    offsets: NDArray[np.int64]
    lengths: NDArray[np.int32]

    @classmethod
    def open(cls, stem: Path, dtype: str) -> "Sequences":
        """Map the files `<stem>.tokens` and `<stem>.offsets`."""
        offsets = stem.with_suffix(".offsets")
        return cls(_map(stem.with_suffix(".tokens"), dtype), _map(offsets, "<i8"), _differences(offsets))

    @classmethod
    def of(cls, sequences: list[list[int]], dtype: Any) -> "Sequences":
        """The same in memory."""
        lengths = np.fromiter(map(len, sequences), dtype=np.int32, count=len(sequences))
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        return cls(np.fromiter(chain.from_iterable(sequences), dtype=dtype, count=offsets[-1]), offsets, lengths)

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> list[int]:
        return self.tokens[self.offsets[index] : self.offsets[index + 1]].tolist()


@dataclass(frozen=True, eq=False)
class TokenStore:
    """Sentence pairs as ids; pair i is (source[i], target[i])."""

    source: Sequences
    target: Sequences

    def __len__(self) -> int:
        return len(self.source)

    def target_tokens(self, pairs: NDArray[Any]) -> int:
        """What the loss of some pairs is averaged over: their target tokens and EOS."""
        return int(self.target.lengths[pairs].sum()) + len(pairs)

    @classmethod
    def open(cls, directory: Path, split: str) -> "TokenStore":
        """Map a split that `write` has written."""
        meta = json.loads((directory / f"{split}.json").read_text(encoding="utf-8"))
        source, target = (
            Sequences.open(directory / f"{split}-{side}", meta[side]["dtype"]) for side in ("source", "target")
        )
        return cls(source, target)

    @staticmethod
    def write(directory: Path, split: str, blocks: Iterable[Block], source_vocab: int, target_vocab: int) -> None:
        """Write pairs that arrive in blocks of (source sequences, target sequences)."""
        source = _Writer(directory / f"{split}-source", source_vocab)
        target = _Writer(directory / f"{split}-target", target_vocab)
        with source, target:
            for sources, targets in blocks:
                source.add(sources)
                target.add(targets)
        meta = {"pairs": source.count, "source": source.meta(), "target": target.meta()}
        (directory / f"{split}.json").write_text(json.dumps(meta, indent=2) + "\n", encoding="utf-8")


class _Writer:
    def __init__(self, stem: Path, vocab_size: int) -> None:
        self.dtype = "<u2" if vocab_size <= 2**16 else "<i4"
        self.count = self.end = 0
        self._tokens = stem.with_suffix(".tokens").open("wb")
        self._offsets = stem.with_suffix(".offsets").open("wb")
        self._offsets.write(np.zeros(1, dtype="<i8").tobytes())

    def __enter__(self) -> "_Writer":
        return self

    def __exit__(self, *_: object) -> None:
        self._tokens.close()
        self._offsets.close()

    def add(self, sequences: list[list[int]]) -> None:
        tokens = np.fromiter(chain.from_iterable(sequences), dtype=self.dtype)
        ends = self.end + np.cumsum([len(sequence) for sequence in sequences], dtype="<i8")
        self._tokens.write(tokens.tobytes())
        self._offsets.write(ends.tobytes())
        self.count += len(sequences)
        self.end += len(tokens)

    def meta(self) -> dict[str, str | int]:
        return {"dtype": self.dtype, "tokens": self.end}


def _map(path: Path, dtype: str) -> NDArray[Any]:
    if path.stat().st_size == 0:  # nothing to map
        return np.empty(0, dtype=dtype)
    return np.memmap(path, dtype=dtype, mode="r")


def _differences(offsets: Path) -> NDArray[np.int32]:
    """Lengths, from a file of offsets; read rather than mapped, as mapped pages would stay in memory."""
    lengths = np.empty(offsets.stat().st_size // 8 - 1, dtype=np.int32)
    with offsets.open("rb") as file:
        last = np.frombuffer(file.read(8), dtype="<i8")
        for start in range(0, len(lengths), _CHUNK):
            ends = np.frombuffer(file.read(8 * _CHUNK), dtype="<i8")
            lengths[start : start + len(ends)] = np.diff(ends, prepend=last)
            last = ends[-1:]
    return lengths
