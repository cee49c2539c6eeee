"""Cleaned pairs: their text on disk, and in memory the hashes of their sentences, which find what is shared."""

import unicodedata
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nmt.writing_systems import ByCharacter

Hashes = NDArray[np.uint64]

_BLOCK = 2**12  # pairs written together


def _kept(character: str) -> str:
    """Keep letters, marks and numbers, delete formatting, and make the rest spaces."""
    category = unicodedata.category(character)
    return character if category[0] in "LMN" else "" if category == "Cf" else " "


_WORDS_ONLY = ByCharacter(_kept)
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


class PairSpool:
    """The text of pairs in a temporary directory, and 24 bytes of hashes for each pair."""

    def __init__(self, directory: Path, pairs: Iterable[tuple[str, str]]) -> None:
        """Write the text of all pairs, and hash their sentences."""
        self._file, rows = directory / "pairs.tsv", bytearray()
        with self._file.open("wb") as text:
            pairs = iter(pairs)
            while block := list(islice(pairs, _BLOCK)):
                lines = [f"{source}\t{target}\n".encode() for source, target in block]  # clean: no tab, no newline
                text.write(b"".join(lines))
                for (source, target), line in zip(block, lines, strict=True):
                    rows += sentence_hash(source) + sentence_hash(target) + blake2b(line, digest_size=8).digest()
        self.source, self.target, self.pair = np.frombuffer(rows, "<u8").reshape(-1, 3).T
        self.first = np.zeros(len(self.pair), dtype=bool)  # whether a pair is the first with its exact text
        self.first[np.unique(self.pair, return_index=True)[1]] = True

    def __len__(self) -> int:
        return len(self.pair)

    def lines(self) -> Iterator[str]:
        """Every pair as `source TAB target`, in order."""
        return read_text(self._file)


def read_text(path: Path) -> Iterator[str]:
    """Lines of a file that we wrote: UTF-8, each ended by a newline only."""
    with path.open(encoding="utf-8", newline="\n") as file:
        while lines := file.readlines(2**18):
            yield from [line[:-1] for line in lines]
