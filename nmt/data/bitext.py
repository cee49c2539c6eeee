"""Sentence pairs out of files: read as a stream, cleaned, and filtered, with every dropped line counted."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from nmt.data.lines import Malformed, read_lines
from nmt.data.settings import DataSettings, as_list
from nmt.errors import UserError
from nmt.special import WORD_START

# Controls that are no white space, and the byte order mark. Joiners (ZWJ, ZWNJ) shape words and stay.
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]")
# "Hi." may well be a whole polite sentence elsewhere: ratios mean something from this length on.
_RATIO_FROM_CHARS = 20


def clean(text: str) -> str:
    """Text in NFC with single spaces and no control characters; otherwise as it was written.

    SentencePiece's sign for a space (▁) becomes one, as it would in the tokeniser. Training text and text to
    translate must both pass through here.
    """
    if not text.isprintable():  # a quick look that spares most text the search
        text = _CONTROLS.sub("", text)
    text = " ".join(text.replace(WORD_START, " ").split())
    return text if text.isascii() else unicodedata.normalize("NFC", text)


@dataclass(frozen=True)
class Bitext:
    """Rows of sentences that translate one another: one TSV file, or files that run in parallel.

    Attributes:
        paths: One TSV file, or one file per language.
        columns: Which columns of the TSV, or which files, make a row: the source, then its translations.
        on_error: Whether a malformed line stops the reading or is skipped.
        max_megabytes: The most that one file may decompress to.
    """

    paths: tuple[str, ...]
    columns: tuple[int, ...]
    on_error: str
    max_megabytes: int

    @classmethod
    def of(cls, settings: DataSettings, path: str | list[str]) -> "Bitext":
        """The bitext at `path`, which is one of the path settings."""
        paths = tuple(as_list(path))
        _, _, source, target = settings.direction()
        if len(paths) == 2:
            columns: tuple[int, ...] = (0, 1) if source < target else (1, 0)
        else:
            columns = tuple(range(len(paths))) if len(paths) > 2 else (source, target)
        return cls(paths, columns, settings.on_error, settings.max_megabytes)

    @property
    def is_parallel(self) -> bool:
        """Whether the languages are in files of their own."""
        return len(self.paths) > 1

    def rows(self, dropped: Counter[str]) -> Iterator[list[str]]:
        """Cleaned rows, source first; malformed lines raise, or are counted in `dropped`."""
        for number, row in enumerate(self._parallel() if self.is_parallel else self._table(), start=1):
            if type(row) is list:
                yield [clean(cell) for cell in row]
                continue
            assert isinstance(row, _MalformedRow)
            if self.on_error == "stop":
                raise UserError(f"{row.path}:{number}: {row.problem} (data.on_error=skip leaves such lines out).")
            dropped["malformed"] += 1

    def _table(self) -> Iterator["list[str] | _MalformedRow"]:
        (path,) = self.paths
        needed = max(self.columns) + 1
        for line in read_lines(path, self.max_megabytes):
            if isinstance(line, Malformed):
                yield _MalformedRow(path, line.problem)
            elif not line.strip():
                yield [""] * len(self.columns)  # a blank line is empty, not wrong
            elif len(cells := line.split("\t")) < needed:
                yield _MalformedRow(path, f"{len(cells)} columns between tabs where {needed} are needed")
            else:
                yield [cells[column] for column in self.columns]

    def _parallel(self) -> Iterator["list[str] | _MalformedRow"]:
        files = [read_lines(path, self.max_megabytes) for path in self.paths]
        for number, lines in enumerate(zip_longest(*files), start=1):
            if None in lines:  # never skipped: from here on nothing says which lines belong together
                short = self.paths[lines.index(None)]
                long = next(path for path, line in zip(self.paths, lines, strict=True) if line is not None)
                raise UserError(f"{short} ends before line {number} but {long} goes on: make them equally long.")
            texts = [line for line in lines if isinstance(line, str)]
            if len(texts) == len(lines):
                yield [texts[column] for column in self.columns]
            else:
                bad = ((path, x) for path, x in zip(self.paths, lines, strict=True) if isinstance(x, Malformed))
                path, malformed = next(bad)
                yield _MalformedRow(path, malformed.problem)


@dataclass(frozen=True)
class _MalformedRow:
    path: str
    problem: str


def usable_pairs(bitext: Bitext, max_chars: int, max_ratio: float, dropped: Counter[str]) -> Iterator[tuple[str, str]]:
    """The pairs that are fit to learn from; the others are counted in `dropped` by reason."""
    for source, target in bitext.rows(dropped):
        short, long = sorted((len(source), len(target)))
        if short == 0:
            dropped["empty"] += 1
        elif long > max_chars:
            dropped["too long"] += 1
        elif long > _RATIO_FROM_CHARS and long > max_ratio * short:
            dropped["length ratio"] += 1
        else:
            yield source, target
