"""Sentences that the model never trains on: their form in memory, on disk, and in a user's files."""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nmt.data.bitext import Bitext
from nmt.data.spool import read_text
from nmt.errors import UserError

logger = logging.getLogger(__name__)

# These sets are the only text that is held in memory: no archive may unpack to more of it than this.
_MOST_CHARACTERS = 2**26
_CHARACTERS_OF_A_ROW = 100  # or what an empty row takes of the same


@dataclass(frozen=True)
class HeldOut:
    """A sentence with every translation known for it."""

    source: str
    references: tuple[str, ...]


def given_set(bitext: Bitext) -> list[HeldOut]:
    """A held-out set that the user provides.

    Parallel files are kept line by line, as published scores count them; the rows of a table are grouped by
    their source, like those of the corpus itself.
    """
    skipped: Counter[str] = Counter()
    rows = _bounded(bitext.rows(skipped), " and ".join(bitext.paths))
    if bitext.is_parallel:
        entries = [HeldOut(source, tuple(references)) for source, *references in rows]
    else:
        grouped: dict[str, dict[str, None]] = defaultdict(dict)  # a dict is a set that keeps its order
        for source, target in rows:
            if source and target:
                grouped[source][target] = None
        entries = [HeldOut(source, tuple(references)) for source, references in grouped.items()]
    name = " and ".join(bitext.paths)
    if skipped:
        logger.warning("%s: %d malformed lines of a held-out set were skipped.", name, skipped.total())
    if not any(entry.source and any(entry.references) for entry in entries):
        raise UserError(f"{name}: no sentence pair to hold out: check data.val_path and data.test_path.")
    return entries


def _bounded(rows: Iterable[list[str]], name: str) -> Iterator[list[str]]:
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
