"""The pairs of a corpus with the numbers of their rows."""

from collections import Counter

from nmt.checking.measures import Pair
from nmt.data.bitext import reader_of
from nmt.data.settings import DataSettings


def read_pairs(settings: DataSettings) -> tuple[list[Pair], Counter[str]]:
    """The pairs to check, and how many rows cannot be checked, by reason.

    A row is a line of a text file, a row of a spreadsheet (its header is row 1) or a unit of another format.
    """
    assert settings.path is not None, "require_files() comes first"
    pairs, dropped = [], Counter[str]()
    for number, cells in enumerate(reader_of(settings, settings.path).clean_rows(), start=2 if settings.header else 1):
        if not cells:
            dropped["malformed"] += 1
        elif not all(cells):
            dropped["empty"] += 1
        elif max(map(len, cells)) > settings.max_chars:
            dropped["too long"] += 1
        else:
            pairs.append(Pair(number, *cells))
    return pairs, dropped
