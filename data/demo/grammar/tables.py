"""Read the tables of words (*.tsv), whose first line names the columns."""

import csv
from functools import cache
from pathlib import Path


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a table, as column name → cell.

    Raises:
        ValueError: A row has more or fewer cells than there are columns.
    """
    path = Path(__file__).with_name(f"{name}.tsv")
    header, *lines = csv.reader(path.read_text(encoding="utf-8").splitlines(), "excel-tab", quoting=csv.QUOTE_NONE)
    return tuple(dict(zip(header, line, strict=True)) for line in lines)
