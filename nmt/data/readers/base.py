"""What every corpus format has: the base class, and the list of formats."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nmt.data.cleaning import clean
from nmt.data.lines import Malformed, plain_name
from nmt.errors import UserError
from nmt.languages import same_language

READERS: dict[str, type["Reader"]] = {}  # by name, in the order in which `auto` tries them

Row = list[str] | Malformed


@dataclass(frozen=True)
class Reader(ABC):
    """Reads one format as a stream of rows; built on `read_lines` or `read_chunks`, which unpack it."""

    paths: tuple[str, ...]
    columns: tuple[int, ...] = ()  # which cells make a row: the source, then its translations; empty: all of them
    languages: tuple[str, ...] = ()  # of these cells; may be empty
    header: bool = False  # the first row of a table names its columns
    on_error: str = "stop"  # a malformed row ends the reading; or "skip"

    name: ClassVar[str]  # value of data.format
    suffixes: ClassVar[tuple[str, ...]] = ()  # of its files, without .gz and .zip
    one_file: ClassVar[bool] = True  # False: a file for each language
    grouped: ClassVar[bool] = True  # the rows of a held-out set are grouped by source; False: one row, one sentence
    is_table: ClassVar[bool] = False  # its first row may be a header

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls):
            READERS[cls.name] = cls

    @classmethod
    def claims(cls, paths: tuple[str, ...]) -> bool:
        """Whether `auto` should read files of these names with this class."""
        return len(paths) == 1 and plain_name(paths[0]).suffix.lower() in cls.suffixes

    @classmethod
    def recognises(cls, path: str, lines: Sequence[str]) -> bool:
        """Whether `auto` should read a file that begins with these lines with this class, whatever its name."""
        return False

    def names(self) -> tuple[str, ...]:
        """The names that the file itself gives its columns (not by a header row, which tables may have)."""
        return ()

    def details(self) -> str:
        """What was found out about the file, in a few words for the user."""
        return ""

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """The cells of each row, uncleaned, or a Malformed with its position, such as corpus.tsv:12."""

    def clean_rows(self) -> Iterator[list[str]]:
        """Cleaned rows, and an empty list in the place of each malformed one that is skipped."""
        for row in self.rows():
            if not isinstance(row, Malformed):
                yield [clean(cell) for cell in row]
            elif self.on_error == "stop":
                raise UserError(f"{row.where}: {row.problem} (data.on_error=skip leaves such lines out).")
            else:
                yield []

    def chosen(self, cells: list[str], where: str, between: str) -> Row:
        """The cells of `columns`, or a Malformed if there are too few."""
        if not self.columns:
            return cells
        if len(cells) <= (last := max(self.columns)):
            columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
            return Malformed(f"{columns} between {between} where {last + 1} are needed", where)
        return [cells[column] for column in self.columns]


class Named(Reader):
    """A format whose files name their columns themselves, by keys or language codes."""

    def wanted(self) -> list[str]:
        """The names of `columns`: those that mean their languages, else by their place among all names."""
        names = self.names()
        if not self.columns:
            return list(names)
        languages = self.languages or [""] * len(self.columns)
        return [self._wanted(names, place, each) for place, each in zip(self.columns, languages, strict=True)]

    @staticmethod
    def _wanted(names: tuple[str, ...], place: int, language: str) -> str:
        alike = [name for name in names if name.casefold() == language.casefold()]
        alike += [name for name in names if same_language(name, language)]
        return alike[0] if alike else names[place] if place < len(names) else language
