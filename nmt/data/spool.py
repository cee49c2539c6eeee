"""Cleaned pairs on disk with the hashes of their sentences, to find duplicates and shared sentences in bounded memory.

The text is in one file, the 64-bit hashes are in three others (source, target, exact pair). Passes stream over them
in chunks; where hashes must be sorted, one range of hash values is sorted after the other.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

CHUNK = 2**15  # pairs per chunk
PARTITION = 2**16  # hashes per range that is sorted, on average
_MOST_PARTITION_BITS = 6  # at most 64 ranges, as each takes a pass over all hashes
_BLOCK = 2**12  # pairs written together
_COLUMNS = ("source", "target", "pair")


class _KeepWords(dict[int, int | str]):
    """A table for str.translate: keeps letters, marks and numbers, deletes formatting, makes the rest spaces."""

    def __missing__(self, code: int) -> int | str:
        category = unicodedata.category(chr(code))
        kept: int | str = code if category[0] in "LMN" else "" if category == "Cf" else " "
        self[code] = kept
        return kept


_WORDS_ONLY = _KeepWords()
# The same for ASCII bytes, with lower-cased letters.
_ASCII_WORDS = bytes(ord(chr(code).lower()) if chr(code).isalnum() else ord(" ") for code in range(128)).ljust(256)


def sentence_hash(text: str) -> bytes:
    """A 64-bit hash that ignores case, punctuation and spacing."""
    if text.isascii():
        words = b" ".join(text.encode().translate(_ASCII_WORDS).split())
    else:
        folded = unicodedata.normalize("NFKC", text).casefold()
        words = " ".join(folded.translate(_WORDS_ONLY).split()).encode()
    return blake2b(words or text.encode(), digest_size=8).digest()


def sentence_hashes(texts: Iterable[str]) -> Hashes:
    """The distinct hashes of some sentences, sorted."""
    return np.unique(np.frombuffer(b"".join(map(sentence_hash, texts)), dtype="<u8"))


class Chunk(NamedTuple):
    """Hashes of consecutive pairs, and whether each pair is the first with its exact text."""

    source: Hashes
    target: Hashes
    pair: Hashes
    first: NDArray[np.bool_]


class PairSpool:
    """Pairs in a temporary directory, written once by `fill`."""

    def __init__(self, directory: Path) -> None:
        self.directory, self._first_file = directory, directory / "first.bool"
        self.count = 0

    def fill(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Write all pairs, then mark those that repeat no earlier one."""
        with ExitStack() as stack:
            text = stack.enter_context((self.directory / "pairs.tsv").open("wb"))
            source_file, target_file, pair_file = (
                stack.enter_context(self._hash_file(column).open("wb")) for column in _COLUMNS
            )
            pairs = iter(pairs)
            while block := list(islice(pairs, _BLOCK)):
                lines = [f"{source}\t{target}\n".encode() for source, target in block]  # clean: no tab, no newline
                text.write(b"".join(lines))
                source_file.write(b"".join([sentence_hash(source) for source, _ in block]))
                target_file.write(b"".join([sentence_hash(target) for _, target in block]))
                pair_file.write(b"".join([blake2b(line, digest_size=8).digest() for line in lines]))
                self.count += len(block)
        if self.count:
            first = np.memmap(self._first_file, dtype="?", mode="w+", shape=(self.count,))
            for hashes, positions in self._partitions("pair"):
                first[positions[np.unique(hashes, return_index=True)[1]]] = True
            first.flush()

    def lines(self) -> Iterator[str]:
        """Every pair as `source TAB target`, in order."""
        return read_text(self.directory / "pairs.tsv")

    def chunks(self) -> Iterator[Chunk]:
        """The hashes of all pairs, in order."""
        with ExitStack() as stack:
            files = [stack.enter_context(self._hash_file(column).open("rb")) for column in _COLUMNS]
            first_file = stack.enter_context(self._first_file.open("rb"))
            for _ in range(0, self.count, CHUNK):
                source, target, pair = (_read(file, "<u8") for file in files)
                yield Chunk(source, target, pair, _read(first_file, "?"))

    def distinct_sources(self, smallest: int, excluded: Hashes) -> tuple[int, Hashes]:
        """The number of distinct source hashes that are not excluded, and the `smallest` smallest of them."""
        count, kept = 0, np.empty(0, dtype=np.uint64)
        for hashes, _ in self._partitions("source"):  # in ascending ranges: the first hold the smallest
            distinct = np.setdiff1d(hashes, excluded)
            count += len(distinct)
            kept = np.concatenate([kept, distinct[: smallest - len(kept)]])
        return count, kept

    def _partitions(self, column: str) -> Iterator[tuple[Hashes, NDArray[np.int64]]]:
        """Hashes with their positions, one range of hash values at a time, ranges ascending."""
        bits = min(max(0, (self.count - 1) // PARTITION).bit_length(), _MOST_PARTITION_BITS)
        for part in range(2**bits):
            hashes, positions = [], []
            with self._hash_file(column).open("rb") as file:
                for start in range(0, self.count, CHUNK):
                    chunk = _read(file, "<u8")
                    # Shifted in two steps, as a shift by all 64 bits is undefined.
                    inside = np.flatnonzero(chunk >> np.uint64(63 - bits) >> np.uint64(1) == part)
                    hashes.append(chunk[inside])
                    positions.append(inside + start)
            if hashes:
                yield np.concatenate(hashes), np.concatenate(positions)

    def _hash_file(self, column: str) -> Path:
        return self.directory / f"{column}.hashes"


def read_text(path: Path) -> Iterator[str]:
    """Lines of a file that we wrote: UTF-8, each ended by a newline only."""
    with path.open(encoding="utf-8", newline="\n") as file:
        while lines := file.readlines(2**18):
            yield from [line[:-1] for line in lines]


def _read(file: IO[bytes], dtype: str) -> NDArray[Any]:
    # Read rather than memory-mapped: mapped pages count as memory of this process until the kernel reclaims them.
    return np.frombuffer(file.read(CHUNK * np.dtype(dtype).itemsize), dtype=dtype)
