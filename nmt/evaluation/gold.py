"""Sentence pairs with the links that people drew between their words: line by line, a bitext and a file of links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import repeat, zip_longest
from pathlib import Path
from typing import NamedTuple

from nmt.data.bitext import Bitext
from nmt.data.heldout import HeldOut
from nmt.data.lines import Malformed, read_lines
from nmt.data.settings import MEMBER_SEPARATOR, DataSettings, as_list
from nmt.errors import UserError
from nmt.evaluation.links import GoldLinks, parse_links

MAX_MEGABYTES = 4096  # of a file of links


class AlignedPair(NamedTuple):
    """A sentence, its translation, and the links that people drew between their words."""

    source: str
    target: str
    gold: GoldLinks


def read_aligned(bitext: Bitext, gold: Path, *, flip: bool = False) -> Iterator[AlignedPair]:
    """The pairs of a bitext with the links on the same line of `gold`; `flip` if they go from target to source.

    Raises:
        UserError: The files differ in length, or a line holds anything but links between words of its pair.
    """
    corpus = " and ".join(bitext.paths)
    lines = zip_longest(_row_of_each_line(bitext), read_lines(str(gold), MAX_MEGABYTES))
    for number, (row, line) in enumerate(lines, start=1):
        if row is None or line is None:
            short, long = (corpus, gold) if row is None else (gold, corpus)
            advice = "give one line of links for every pair, an empty one for none"
            raise UserError(f"{short} ends before line {number} but {long} goes on: {advice}.")
        try:
            if isinstance(line, Malformed):
                raise UserError(f"{line.problem}.")
            links = parse_links(line)
            links = links.flipped() if flip else links
        except UserError as error:
            raise UserError(f"{gold}:{number}: {error}") from error
        if not row:  # a malformed line that the run, too, has skipped
            continue
        source, target = row
        lengths = len(source.split()), len(target.split())
        if link := links.outside(*lengths):
            s, t = link[::-1] if flip else link
            first, second = lengths[::-1] if flip else lengths
            have = f"{corpus} has {first} and {second} words there, counted from 0 and set apart by white space"
            raise UserError(f"{gold}:{number}: the link {s}-{t} leads outside of its sentences: {have}.")
        yield AlignedPair(source, target, links)


def _row_of_each_line(bitext: Bitext) -> Iterator[list[str]]:
    """One row for each line of the files: an empty list for the malformed ones, which are skipped elsewhere."""
    skipped: Counter[str] = Counter()
    known = 0
    for row in bitext.rows(skipped):
        yield from repeat([], skipped.total() - known)
        known = skipped.total()
        yield row
    yield from repeat([], skipped.total() - known)


def read_aligned_test_set(data: DataSettings, test_set: Iterable[HeldOut], gold: Path) -> list[AlignedPair]:
    """The pairs of a run's test set, out of the file that they were taken from and the links beside it.

    Raises:
        UserError: That file is gone or has changed, or is not two files or columns.
    """
    path = data.test_path or data.path
    instead = "name files with --source and --reference, and links between them with --alignments"
    if path is None or len(as_list(path)) > 2:
        raise UserError(f"The test set of this run has no file with one translation for each line: {instead}.")
    for name in as_list(path):
        if not Path(name.partition(MEMBER_SEPARATOR)[0]).expanduser().is_file():
            raise UserError(f"{name}, which the run's test set was taken from, is not there: {instead}.")
    wanted = Counter((entry.source, reference) for entry in test_set for reference in entry.references)
    size, direction = wanted.total(), data.direction()
    pairs = []
    for pair in read_aligned(Bitext.of(data, path), gold, flip=direction.source_column > direction.target_column):
        if wanted[pair.source, pair.target] > 0:  # as often as it is in the test set: a corpus repeats itself
            wanted[pair.source, pair.target] -= 1
            pairs.append(pair)
    if missing := wanted.total():
        name = " and ".join(as_list(path))
        raise UserError(
            f"{name} has changed since the run began: {missing} of its {size} test pairs are gone; {instead}."
        )
    return pairs
