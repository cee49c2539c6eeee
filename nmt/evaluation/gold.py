"""Gold word alignments: a bitext, and a file with the links between the words of each of its lines."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from nmt.data.bitext import reader_of
from nmt.data.heldout import HeldOut
from nmt.data.lines import MEMBER_SEPARATOR, Malformed, read_lines
from nmt.data.settings import DataSettings, as_list
from nmt.errors import UserError
from nmt.evaluation.links import GoldLinks, parse_links


class AlignedPair(NamedTuple):
    """A sentence, its translation, and the gold links between their words."""

    source: str
    target: str
    gold: GoldLinks


def read_aligned(
    rows: Iterable[Sequence[str]], corpus: str, gold: Path, *, flip: bool = False
) -> Iterator[AlignedPair]:
    """Sentence pairs, each with the links on the same line of `gold`.

    Args:
        rows: A source and its translation for each line of the corpus; empty for a malformed line.
        corpus: Name of the corpus, for messages.
        gold: The file of links.
        flip: Swap the sides of the links.
    """
    lines = zip_longest(rows, read_lines(str(gold)))
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
        if not row:  # malformed, and skipped when the corpus was prepared
            continue
        source, target = row
        lengths = len(source.split()), len(target.split())
        if link := links.outside(*lengths):
            s, t = link[::-1] if flip else link
            first, second = lengths[::-1] if flip else lengths
            have = f"{corpus} has {first} and {second} words there, counted from 0 and set apart by white space"
            raise UserError(f"{gold}:{number}: the link {s}-{t} leads outside of its sentences: {have}.")
        yield AlignedPair(source, target, links)


def read_aligned_test_set(data: DataSettings, test_set: Iterable[HeldOut], gold: Path) -> list[AlignedPair]:
    """The pairs of a run's test set with their links, read again from the file that the set was taken from."""
    wanted = Counter((entry.source, reference) for entry in test_set for reference in entry.references)
    size = wanted.total()
    pairs = []
    for pair in _read_test_file(data, gold):
        if wanted[pair.source, pair.target] > 0:  # no more often than in the test set: a corpus may repeat a pair
            wanted[pair.source, pair.target] -= 1
            pairs.append(pair)
    if missing := wanted.total():
        problem = f"has changed since the run began: {missing} of its {size} test pairs are gone"
        raise UserError(f"{_named(data)} {problem}; {_INSTEAD}.")
    return pairs


_INSTEAD = "name files with --source and --reference, and links between them with --alignments"


def _read_test_file(data: DataSettings, gold: Path) -> Iterator[AlignedPair]:
    """All pairs of the file that a run's test set was taken from, with their links."""
    path = data.test_path or data.path
    if path is None or len(as_list(path)) > 2:
        raise UserError(f"The test set of this run has no file with one translation for each line: {_INSTEAD}.")
    for name in as_list(path):
        if not Path(name.partition(MEMBER_SEPARATOR)[0]).expanduser().is_file():
            raise UserError(f"{name}, which the run's test set was taken from, is not there: {_INSTEAD}.")
    direction = data.direction()
    flip = direction.source_column > direction.target_column
    yield from read_aligned(reader_of(data, path).clean_rows(), _named(data), gold, flip=flip)


def _named(data: DataSettings) -> str:
    return " and ".join(as_list(data.test_path or data.path))
