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
    rows = bitext.rows(skipped)
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


def write_held_out(path: Path, entries: Iterable[HeldOut]) -> None:
    """Write `source TAB reference TAB reference ...` lines."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines("\t".join((entry.source, *entry.references)) + "\n" for entry in entries)


def read_held_out(path: Path) -> Iterator[HeldOut]:
    """Read what `write_held_out` wrote."""
    for line in read_text(path):
        source, *references = line.split("\t")
        yield HeldOut(source, tuple(references))
