"""Validation and test sets: in memory, on disk, and read from files that a user provides."""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nmt.data.bitext import Bitext
from nmt.data.spool import read_text
from nmt.errors import UserError

logger = logging.getLogger(__name__)

# Held-out sets are kept in memory, so their size is limited.
_MOST_CHARACTERS = 2**26
_CHARACTERS_OF_A_ROW = 100  # the memory that an empty row takes, in characters


@dataclass(frozen=True)
class HeldOut:
    """A sentence with all its reference translations."""

    source: str
    references: tuple[str, ...]


def given_set(bitext: Bitext) -> list[HeldOut]:
    """Read a held-out set that the user provides.

    Parallel files are kept line by line, as published scores count them; rows of other formats are grouped by source,
    as in sets that are held out from the corpus.
    """
    skipped: Counter[str] = Counter()
    name = " and ".join(bitext.paths)
    rows = _bounded(bitext.rows(skipped), name)
    if bitext.reader.grouped:
        grouped: dict[str, dict[str, None]] = defaultdict(dict)  # a dict is a set that keeps its order
        for source, target in rows:
            if source and target:
                grouped[source][target] = None
        entries = [HeldOut(source, tuple(references)) for source, references in grouped.items()]
    else:
        entries = [HeldOut(source, tuple(references)) for source, *references in rows]
    if skipped:
        logger.warning("%s: %d malformed lines of a held-out set were skipped.", name, skipped.total())
    if not any(entry.source and any(entry.references) for entry in entries):
        raise UserError(f"{name}: no sentence pair to hold out: check data.val_path and data.test_path.")
    return entries


def _bounded(rows: Iterable[list[str]], name: str) -> Iterator[list[str]]:
    """Pass rows on; raise a UserError once they hold too many characters."""
    left = _MOST_CHARACTERS
    for number, row in enumerate(rows, start=1):
        left -= _CHARACTERS_OF_A_ROW + sum(map(len, row))
        if left < 0:
            raise UserError(f"{name}: line {number} is beyond what a held-out set may hold: use fewer lines.")
        yield row


def write_held_out(path: Path, entries: Iterable[HeldOut]) -> None:
    """Write `source TAB reference TAB reference ...` lines."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines("\t".join((entry.source, *entry.references)) + "\n" for entry in entries)


def read_held_out(path: Path) -> Iterator[HeldOut]:
    """Read what `write_held_out` wrote."""
    for line in read_text(path):
        source, *references = line.split("\t")
        yield HeldOut(source, tuple(references))
