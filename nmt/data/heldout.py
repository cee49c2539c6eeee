"""Validation and test sets: in memory, on disk, and read from files that a user provides."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nmt.data.readers import Reader
from nmt.data.spool import read_text
from nmt.errors import UserError

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HeldOut:
    """A sentence with all its reference translations."""

    source: str
    references: tuple[str, ...]


def given_set(reader: Reader) -> list[HeldOut]:
    """Read a held-out set that the user provides.

    Parallel files are kept line by line, as published scores count them; rows of other formats are grouped by source,
    as in sets that are held out from the corpus.
    """
    rows, name = list(reader.clean_rows()), " and ".join(reader.paths)
    if malformed := rows.count([]):
        log.warning("%s: %d malformed lines of a held-out set were skipped.", name, malformed)
    pairs = [(source, references) for source, *references in filter(None, rows)]
    if reader.grouped:
        grouped: dict[str, dict[str, None]] = defaultdict(dict)  # a dict is a set that keeps its order
        for source, (target,) in pairs:
            if source and target:
                grouped[source][target] = None
        pairs = [(source, [*references]) for source, references in grouped.items()]
    entries = [HeldOut(source, tuple(references)) for source, references in pairs]
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
