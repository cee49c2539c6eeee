"""Corpus formats, one class each.

A new format is one subclass of `Reader`: data.format knows it by its name, and data.format=auto by its suffixes.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar

from nmt.data.lines import Malformed, plain_name, read_lines
from nmt.errors import UserError

AUTO = "auto"
READERS: dict[str, type["Reader"]] = {}  # by name, in the order in which `auto` tries them


@dataclass(frozen=True)
class Reader(ABC):
    """Reads one format as a stream of rows; built on `read_lines` or `read_chunks`, which unpack and limit it."""

    paths: tuple[str, ...]
    columns: tuple[int, ...]  # which cells make a row: the source, then its translations
    languages: tuple[str, ...]  # of these cells, for formats that name them (a header, xml:lang); may be empty
    max_megabytes: int  # the most that one file may decompress to

    name: ClassVar[str]  # value of data.format
    suffixes: ClassVar[tuple[str, ...]] = ()  # of its files, without .gz and .zip
    one_file: ClassVar[bool] = True  # False: a file for each language
    grouped: ClassVar[bool] = True  # the rows of a held-out set are grouped by source; False: one row, one sentence

    def __init_subclass__(cls) -> None:
        READERS[cls.name] = cls

    @classmethod
    def claims(cls, paths: tuple[str, ...]) -> bool:
        """Whether `auto` should read these files with this class."""
        return len(paths) == 1 and plain_name(paths[0]).suffix.lower() in cls.suffixes

    @abstractmethod
    def rows(self) -> Iterator[list[str] | Malformed]:
        """The cells of each row, uncleaned, or a Malformed with its position, such as corpus.tsv:12."""


class Tsv(Reader):
    """Columns between tabs, without quotes, as Anki exports them; further columns are ignored."""

    name = "tsv"
    suffixes = (".tsv", ".tab", ".txt")

    def rows(self) -> Iterator[list[str] | Malformed]:
        (path,), needed = self.paths, max(self.columns) + 1
        for number, line in enumerate(read_lines(path, self.max_megabytes), start=1):
            if isinstance(line, Malformed):
                yield Malformed(line.problem, f"{path}:{number}")
            elif not line.strip():
                yield [""] * len(self.columns)  # a blank line is empty, not malformed
            elif len(cells := line.split("\t")) < needed:
                yield Malformed(f"{len(cells)} columns between tabs where {needed} are needed", f"{path}:{number}")
            else:
                yield [cells[column] for column in self.columns]


class Parallel(Reader):
    """One file per language; the same line of each makes a row."""

    name = "parallel"
    one_file = grouped = False

    @classmethod
    def claims(cls, paths: tuple[str, ...]) -> bool:
        return len(paths) > 1

    def rows(self) -> Iterator[list[str] | Malformed]:
        files = [read_lines(path, self.max_megabytes) for path in self.paths]
        for number, lines in enumerate(zip_longest(*files), start=1):
            if None in lines:  # never skipped: from here on, lines cannot be matched
                short = self.paths[lines.index(None)]
                long = next(path for path, line in zip(self.paths, lines, strict=True) if line is not None)
                raise UserError(f"{short} ends before line {number} but {long} goes on: make them equally long.")
            named = zip(self.paths, lines, strict=True)
            bad = [Malformed(x.problem, f"{path}:{number}") for path, x in named if isinstance(x, Malformed)]
            yield bad[0] if bad else [str(lines[column]) for column in self.columns]


def choose_reader(format_: str, paths: tuple[str, ...]) -> type[Reader]:
    """The reader of a format; `auto` takes the first that claims the files, and a TSV for any other suffix."""
    if format_ == AUTO:
        return next((reader for reader in READERS.values() if reader.claims(paths)), Tsv)
    reader = READERS[format_]
    if reader.one_file != (len(paths) == 1):
        wanted = "one file" if reader.one_file else "a file for each language"
        raise UserError(f"data.format={format_} reads {wanted}, not {' and '.join(paths)}: choose another data.format.")
    return reader
