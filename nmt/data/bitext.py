"""Streams of sentence pairs: read, cleaned and filtered, with counts of what is dropped."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from nmt.data.cleaning import clean
from nmt.data.columns import is_header
from nmt.data.lines import Malformed
from nmt.data.readers import AUTO, Reader, choose_reader, held_out_format
from nmt.data.settings import DataSettings, as_list
from nmt.errors import UserError

# Shorter texts may differ in length by any factor: "Hi." can be a whole polite sentence in another language.
_RATIO_FROM_CHARS = 20


@dataclass(frozen=True)
class Bitext:
    """Rows of sentences that translate one another, in files of any format."""

    paths: tuple[str, ...]  # one file, or one file per language
    columns: tuple[int, ...]  # which columns, or which files, make a row: the source, then its translations
    on_error: str  # whether a malformed row stops the reading or is skipped
    max_megabytes: int  # the most that one file may decompress to
    format: str = AUTO  # name of the format; auto: by the suffix
    languages: tuple[str, ...] = ()  # of `columns`, where they are known
    header: bool = False  # the first row of a table names its columns

    @classmethod
    def of(cls, settings: DataSettings, path: str | list[str]) -> "Bitext":
        """The bitext at `path`, which is one of the path settings."""
        paths = tuple(as_list(path))
        source, target, *columns = settings.direction()
        if len(paths) == 2:
            columns = [0, 1] if columns[0] < columns[1] else [1, 0]
        elif len(paths) > 2:
            columns = list(range(len(paths)))
        languages = (source, *[target] * (len(columns) - 1))
        limits = settings.on_error, settings.max_megabytes
        if path == settings.path:
            return cls(paths, tuple(columns), *limits, settings.format, languages, bool(settings.header))
        bitext = cls(
            paths, tuple(columns), *limits, held_out_format(settings.format, paths, settings.max_megabytes), languages
        )
        return replace(bitext, header=bool(settings.header) and bitext.begins_with_header())

    @property
    def reader(self) -> Reader:
        """The reader of these files."""
        kind = choose_reader(self.format, self.paths)
        return kind(self.paths, self.columns, self.languages, self.max_megabytes, self.header)

    def begins_with_header(self) -> bool:
        """Whether the first row of a table names its columns."""
        rows = self.reader.rows() if self.reader.is_table else iter(())
        first = next((row for row in rows if isinstance(row, list) and any(row)), None)
        return first is not None and is_header(first, self.languages)

    def rows(self, dropped: Counter[str]) -> Iterator[list[str]]:
        """Cleaned rows, source first; malformed ones raise a UserError, or are counted in `dropped`."""
        for row in self.rows_or_gaps():
            if row:
                yield row
            else:
                dropped["malformed"] += 1

    def rows_or_gaps(self) -> Iterator[list[str]]:
        """Cleaned rows, and an empty list in the place of each malformed one that is skipped."""
        for row in self.reader.rows():
            if type(row) is list:
                yield [clean(cell) for cell in row]
                continue
            assert isinstance(row, Malformed)
            if self.on_error == "stop":
                raise UserError(f"{row.where}: {row.problem} (data.on_error=skip leaves such lines out).")
            yield []


def usable_pairs(bitext: Bitext, max_chars: int, max_ratio: float, dropped: Counter[str]) -> Iterator[tuple[str, str]]:
    """The pairs to train on; the others are counted in `dropped` by reason."""
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
