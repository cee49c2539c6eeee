"""The training pairs of a run that starts from another: its old pairs, and new ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from nmt.data.spool import read_text

# Files of a prepared corpus, with their places in a run directory, that a run which starts from it keeps.
KEPT = {
    "source.model": "tokenizers/source.model",
    "target.model": "tokenizers/target.model",
    "val.tsv": "data/val.tsv",
    "test.tsv": "data/test.tsv",
}


class Merged(NamedTuple):
    """Numbers of pairs."""

    old: int  # in the merged file, before the new ones
    new: int
    known: int  # given as new, but among the old ones
    replaced: int  # old ones without their sentence's new translation, left out


def merge(corpora: Sequence[Path], merged: Path) -> Merged:
    """Write the pairs of all corpora, oldest first, to `merged`; those that only the last one has come last.

    Each corpus is a file of different `source TAB target` lines. A translation of a sentence replaces earlier ones that
    its corpus does not repeat.
    """
    first, *others = corpora
    counts = Merged(0, 0, 0, 0)
    for number, later in enumerate(others):
        target = merged if later == others[-1] else merged.with_suffix(f".{number}")
        counts = _merge(first, later, target)
        first = target
    return counts


def _merge(old: Path, new: Path, merged: Path) -> Merged:
    given = dict.fromkeys(read_text(new))  # a dict is a set that keeps its order
    sources = {line.partition("\t")[0] for line in given}
    kept = known = replaced = 0
    with merged.open("w", encoding="utf-8", newline="\n") as file:
        for line in read_text(old):
            if line in given:
                del given[line]
                known += 1
            elif line.partition("\t")[0] in sources:
                replaced += 1
                continue
            file.write(f"{line}\n")
            kept += 1
        file.writelines(f"{line}\n" for line in given)
    return Merged(kept, len(given), known, replaced)
