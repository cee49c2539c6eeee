"""Tables as spreadsheets export them."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from nmt.data.lines import Malformed, read_lines
from nmt.data.readers.base import Reader, Row
from nmt.data.readers.dialect import DELIMITERS, PLAIN, SEPARATOR, Dialect, dialect_of, first_lines, records


class Csv(Reader):
    """A table as spreadsheets export it: commas, semicolons, bars or tabs, cells in quotes where they need them."""

    name = "csv"
    suffixes = (".csv",)
    is_table = True

    @classmethod
    def recognises(cls, path: str, lines: Sequence[str]) -> bool:
        dialect = dialect_of(lines)
        if dialect is None or dialect == PLAIN:
            return False
        # Plain text is full of commas: elsewhere than in a .csv, they separate cells only if some are in quotes.
        return cls.claims((path,)) or dialect.delimiter != "," or any(line.startswith('"') for line in lines)

    def rows(self) -> Iterator[Row]:
        (path,), delimiter = self.paths, self._dialect.delimiter
        width, header = 0, self.header  # the width is that of the first row
        for number, row in records(read_lines(path), delimiter):
            where = f"{path}:{number}"
            if isinstance(row, Malformed):
                yield Malformed(row.problem, where)
                continue
            is_separator = number == 1 and SEPARATOR.fullmatch(delimiter.join(row))
            if is_separator or not any(cell.strip() for cell in row):
                yield [""] * len(self.columns)
                continue
            width = width or len(row)
            if header:  # its first row with text
                header = False
            elif len(row) > width and delimiter != "\t":  # else an unquoted comma would cut a sentence in two
                problem = f"{len(row)} cells where the first row has {width}"
                yield Malformed(f"{problem}; put quotes around cells that hold {DELIMITERS[delimiter]}", where)
            else:
                yield self.chosen(row, where, DELIMITERS[delimiter])

    def details(self) -> str:
        return str(self._dialect)

    @cached_property
    def _dialect(self) -> Dialect:
        return dialect_of(first_lines(self.paths[0])) or Dialect(",", quoted=True)
