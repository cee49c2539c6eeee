"""The dialect of a table: which delimiter separates its cells, and whether they are in quotes."""

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from nmt.data.lines import Malformed, read_lines
from nmt.data.readers.base import Row

HEAD_LINES, HEAD_CHARACTERS = 20_000, 2**22  # what a format is found out from, at most
DELIMITERS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas"}  # the least common in sentences first
_MOST_LINES = 100  # of one row: a quote that is not closed by then was no quote
_REGULAR = 0.8  # share of the rows that have as many cells as the first one, for a delimiter to be believed


@dataclass(frozen=True)
class Dialect:
    """How the cells of a table are separated."""

    delimiter: str
    quoted: bool  # cells may be in double quotes, and quotes in them are doubled

    def __str__(self) -> str:
        return f"cells between {DELIMITERS[self.delimiter]}{', in quotes' if self.quoted else ''}"


PLAIN = Dialect("\t", quoted=False)
SEPARATOR = re.compile(r'"?sep=([\t;|,])"?')  # a first line that tells Excel the delimiter


def first_lines(path: str) -> list[str]:
    """The first lines of a file, without those that are malformed."""
    found, left = [], HEAD_CHARACTERS
    for line in islice(read_lines(path), HEAD_LINES):
        left -= 1 if isinstance(line, Malformed) else len(line)
        if left < 0:
            break
        if isinstance(line, str):
            found.append(line)
    return found


def dialect_of(lines: Sequence[str]) -> Dialect | None:
    """Find out the dialect of a table from its first lines; None if it has one column."""
    if lines and (separator := SEPARATOR.fullmatch(lines[0])):
        return Dialect(separator[1], quoted=True)
    lines = [line for part in lines for line in part.split("\r") if line.strip()]
    if sum("\t" in line for line in lines) > len(lines) / 2:  # hardly a sentence holds a tab
        return Dialect("\t", _is_quoted(lines, "\t"))
    shares = {delimiter: _regularity(lines, delimiter) for delimiter in ";|,"}
    regular = [delimiter for delimiter, share in shares.items() if share >= _REGULAR]
    best = regular[0] if regular else max(shares, key=lambda delimiter: shares[delimiter])
    return Dialect(best, True) if shares[best] > 0 else None


def _regularity(lines: Sequence[str], delimiter: str) -> float:
    """Share of the rows that have as many cells as the first one, if that is more than one."""
    widths = [0 if isinstance(row, Malformed) else len(row) for _, row in records(lines, delimiter)]
    return widths.count(widths[0]) / len(widths) if widths and widths[0] > 1 else 0.0


def _is_quoted(lines: Sequence[str], delimiter: str) -> bool:
    """Whether quotes are a spreadsheet's: around all cells, or with doubled quotes or delimiters inside, and only so.

    The quotes of sentences ("Look," she said.) stand at any place.
    """
    text, ends = "\n".join(lines), f"[{delimiter}\n]"
    quoted: list[str] = []

    def take(match: re.Match[str]) -> str:
        quoted.append(match[1])
        return ""

    rest = re.sub(rf'(?:(?<={ends})|\A)"((?:[^"]|"")*)"(?=\Z|{ends})', take, text)
    if '"' in rest or not quoted:
        return False
    return not rest.strip() or any('""' in cell or re.search(ends, cell) for cell in quoted)


def records(lines: Iterable[str | Malformed], delimiter: str) -> Iterator[tuple[int, Row]]:
    """Rows of quoted cells, which may go over several lines, each with the number of its first line.

    A carriage return ends a line too, as in files of old Macintosh programs. A row that breaks the rules of quoting is
    a Malformed, and the next one begins on the line after it.
    """
    again: deque[str | Malformed] = deque()  # lines that seemed to belong to a malformed row
    source = (part for line in lines for part in (line.split("\r") if isinstance(line, str) else [line]))
    first = 1
    used: list[str | Malformed] = []

    def lines_of_row() -> Iterator[str]:
        while len(used) < _MOST_LINES:
            line = again.popleft() if again else next(source, None)
            if line is None:
                return
            used.append(line)
            if isinstance(line, Malformed):
                return
            yield line + "\n"

    while True:
        used.clear()
        try:
            row: Row | None = next(csv.reader(lines_of_row(), delimiter=delimiter, strict=True), None)
        except csv.Error as error:
            row = Malformed(_problem(str(error), delimiter))
        if not used:
            return
        row = used[0] if isinstance(used[0], Malformed) else row or []
        if isinstance(row, Malformed):
            again.extendleft(reversed(used[1:]))
            del used[1:]
        yield first, row
        first += len(used)


def _problem(error: str, delimiter: str) -> str:
    """What is wrong with a row, given the message of the module csv."""
    if "unexpected end" in error:
        return f"a quote is opened that is not closed within {_MOST_LINES} lines; close it, or double it inside a cell"
    if "field limit" in error:
        return "a cell is longer than 128 KiB; put one sentence pair into a row"
    return f"text follows a closing quote, before one of the {DELIMITERS[delimiter]}; double the quotes in cells"
