"""Held-out sets that share no sentence with the training data.

Corpora of short sentences repeat themselves: a random split of pairs puts half of its test sentences into
training as well. Here the sources with the smallest hashes are held out, whatever the order of the file,
and a training pair that shares a source or a target with a held-out set is dropped.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nmt.data.heldout import HeldOut
from nmt.data.spool import Hashes, PairSpool, sentence_hash, sentence_hashes
from nmt.errors import UserError

LARGEST_SHARE = 20  # a held-out set has at most one in 20 of the sources
_TRAIN, _VAL, _TEST, _LEAK, _DUPLICATE = range(5)


@dataclass(frozen=True)
class Split:
    """The held-out sets, and the number of all other pairs; the training pairs themselves are in a file."""

    val: list[HeldOut]  # sentences to choose a model by
    test: list[HeldOut]  # sentences to score it on
    train_pairs: int  # number of pairs in the training file
    dropped: Counter[str]  # pairs left out, by reason
    random_leak: float  # share of a random split's test pairs that would share a sentence with its training set


def split_pairs(spool: PairSpool, train_file: Path, val: int | list[HeldOut], test: int | list[HeldOut]) -> Split:
    """Split all pairs of the spool; training pairs are written to `train_file` as `source TAB target`.

    `val` and `test` are given sets, or how many distinct sources to hold out; those of the test set are chosen first.
    """
    given = [entry for entries in (val, test) if isinstance(entries, list) for entry in entries]
    given_sources = sentence_hashes(entry.source for entry in given)
    given_targets = sentence_hashes(reference for entry in given for reference in entry.references)
    val_sources, test_sources = _choose(spool, val, test, given_sources)
    is_val, is_test = np.isin(spool.source, val_sources), np.isin(spool.source, test_sources)
    targets = np.union1d(given_targets, spool.target[is_val | is_test])
    labels = np.full(len(spool), _TRAIN, np.uint8)
    labels[np.isin(spool.source, given_sources) | np.isin(spool.target, targets)] = _LEAK
    labels[is_val], labels[is_test], labels[~spool.first] = _VAL, _TEST, _DUPLICATE
    counts = np.bincount(labels, minlength=5).tolist()
    held: dict[int, dict[str, list[str]]] = {_VAL: defaultdict(list), _TEST: defaultdict(list)}
    with train_file.open("w", encoding="utf-8", newline="\n") as train:
        for label, line in zip(labels.tobytes(), spool.lines(), strict=True):
            if label == _TRAIN:
                train.write(f"{line}\n")
            elif label in held:
                source, target = line.split("\t")
                held[label][source].append(target)
    if not counts[_TRAIN]:
        raise UserError(
            "data.path has no pair left to train on, as all share a sentence with val or test: add more pairs."
        )
    dropped = Counter({"duplicate": counts[_DUPLICATE], "shared with val or test": counts[_LEAK]})
    return Split(
        val=val if isinstance(val, list) else _one_per_hash(held[_VAL], dropped),
        test=test if isinstance(test, list) else _one_per_hash(held[_TEST], dropped),
        train_pairs=counts[_TRAIN],
        dropped=+dropped,
        random_leak=_random_leak(spool, counts[_TEST] or len(given)),
    )


def _choose(
    spool: PairSpool, val: int | list[HeldOut], test: int | list[HeldOut], given_sources: Hashes
) -> tuple[Hashes, Hashes]:
    """The source hashes of the validation and test sets; none for a set that is given."""
    wanted = [size if isinstance(size, int) else 0 for size in (test, val)]
    sources = np.setdiff1d(spool.source, given_sources)  # sorted
    distinct = len(sources)
    sets = sum(size > 0 for size in wanted)
    if sets and distinct <= sets:
        raise UserError(
            f"data.path has {distinct} usable source sentences that differ, too few to hold some out: add more pairs."
        )
    test_size, val_size = (min(size, max(1, distinct // LARGEST_SHARE)) for size in wanted)
    return sources[test_size : test_size + val_size], sources[:test_size]


def _one_per_hash(references: dict[str, list[str]], dropped: Counter[str]) -> list[HeldOut]:
    """Held-out sentences ordered by hash; of spellings that share one ("Run!", "run"), that with most references."""
    spellings: dict[bytes, list[HeldOut]] = defaultdict(list)
    for source, targets in references.items():
        spellings[sentence_hash(source)].append(HeldOut(source, tuple(sorted(targets))))
    chosen = []
    for _, entries in sorted(spellings.items()):
        entries.sort(key=lambda entry: (-len(entry.references), entry.source))
        chosen.append(entries[0])
        dropped["other spelling of a held-out source"] += sum(len(entry.references) for entry in entries[1:])
    return chosen


def _random_leak(spool: PairSpool, size: int) -> float:
    """Share of `size` random pairs whose source or target also occurs in a pair outside of them.

    The hash of a pair is as good as a random number, so the pairs with the smallest ones are a random sample.
    """
    sample = np.flatnonzero(spool.first)
    sample = sample[np.argsort(spool.pair[sample])[:size]]
    rest = ~np.isin(spool.pair, spool.pair[sample])
    shared = np.isin(spool.source[sample], spool.source[rest]) | np.isin(spool.target[sample], spool.target[rest])
    return float(shared.mean())
