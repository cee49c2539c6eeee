"""Plain text: cells between tabs, or one file per language."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from nmt.data.lines import Malformed, read_lines
from nmt.data.readers.base import Reader, Row
from nmt.data.readers.dialect import PLAIN, dialect_of
from nmt.errors import UserError


class Tsv(Reader):
    """Columns between tabs, without quotes, as Anki exports them; further columns are ignored."""

    name = "tsv"
    suffixes = (".tsv", ".tab", ".txt")
    is_table = True

    @classmethod
    def recognises(cls, path: str, lines: Sequence[str]) -> bool:
        return dialect_of(lines) == PLAIN

    def rows(self) -> Iterator[Row]:
        (path,), header = self.paths, self.header
        for number, line in enumerate(read_lines(path), start=1):
            if isinstance(line, Malformed):
                yield Malformed(line.problem, f"{path}:{number}")
            elif not line.strip():
                yield [""] * len(self.columns)  # a blank line is empty, not malformed
            elif header:  # its first line with text
                header = False
            else:
                yield self.chosen(line.split("\t"), f"{path}:{number}", "tabs")


class Parallel(Reader):
    """One file per language; the same line of each makes a row."""

    name = "parallel"
    one_file = grouped = False

    @classmethod
    def claims(cls, paths: tuple[str, ...]) -> bool:
        return len(paths) > 1

    def rows(self) -> Iterator[Row]:
        files = [read_lines(path) for path in self.paths]
        columns = self.columns or range(len(self.paths))
        for number, lines in enumerate(zip_longest(*files), start=1):
            if None in lines:  # never skipped: from here on, lines cannot be matched
                short = self.paths[lines.index(None)]
                long = next(path for path, line in zip(self.paths, lines, strict=True) if line is not None)
                raise UserError(f"{short} ends before line {number} but {long} goes on: make them equally long.")
            named = zip(self.paths, lines, strict=True)
            bad = [Malformed(x.problem, f"{path}:{number}") for path, x in named if isinstance(x, Malformed)]
            yield bad[0] if bad else [str(lines[column]) for column in columns]
