"""Paired approximate randomisation tests of BLEU between all models, corrected for their number."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from statistics import median
from typing import TypeVar

import numpy as np

from comparison.runs import Member
from nmt.evaluation.report.words import bleu_metric
from nmt.metrics import reference_streams

_ORDER = 4  # of BLEU's n-grams
_SEED = 12345  # as in sacreBLEU, whose p-values these are
_BLOCK = 2**22  # exchanges at once, as float32, which is exact up to 16 million n-grams
Pair = tuple[str, str]
Key = TypeVar("Key")


def compare_all(groups: Mapping[str, Sequence[Member]], trials: int) -> dict[Pair, float]:
    """The median, over the seeds that two models share, of p of BLEU between their runs; for each pair of models.

    A pair with fewer than two common seeds has none, as one pair of runs cannot tell a better model from a lucky seed;
    nor has a pair of which one is better with one seed and worse with another, as p says nothing of the direction.
    """
    found = {}
    for one, other in combinations(groups, 2):
        twins = {member.seed: member for member in groups[other]}
        tests = [
            (p_value(member, twin, trials), member.bleu > twin.bleu)
            for member in groups[one]
            if (twin := twins.get(member.seed))
        ]
        if len(tests) > 1 and len({better for _, better in tests}) == 1:
            found[one, other] = median(p for p, _ in tests)
    return found


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """P-values corrected for their number (Holm 1979): the chance of one false finding among all is at most p."""
    ordered = sorted(p_values.items(), key=lambda item: item[1])
    corrected: dict[Key, float] = {}
    largest = 0.0
    for rank, (name, p) in enumerate(ordered):
        largest = max(largest, min(1.0, (len(ordered) - rank) * p))
        corrected[name] = largest
    return corrected


def p_value(one: Member, other: Member, trials: int) -> float:
    """Two-sided p of sacreBLEU's paired approximate randomisation test of BLEU between two runs.

    sacreBLEU counts only trials with a larger difference, not those that repeat the one observed. Where few sentences
    differ these are many, up to all, and its p would be the smallest there is. Exchanging d sentences repeats the
    difference with a probability of at least 2 / 2^d, which p therefore cannot fall below.
    """
    ours, theirs = _statistics(one), _statistics(other)
    blocks = np.array_split(_exchanges(trials, len(ours)), -(-trials * len(ours) // _BLOCK))
    exchanged = np.concatenate([block.astype(np.float32) @ (theirs - ours) for block in blocks])  # (trials, 10)
    scores = [corpus_bleu(total) for total in (ours.sum(0) + exchanged, theirs.sum(0) - exchanged)]
    observed, repeated = corpus_bleu(np.stack([ours.sum(0), theirs.sum(0)]))
    larger = np.abs(scores[0] - scores[1]) > abs(observed - repeated) + 1e-9  # rounding makes no difference larger
    different = sum(a != b for a, b in zip(one.hypotheses, other.hypotheses, strict=True))
    return min(1.0, max(float(larger.sum() + 1) / (trials + 1), 2.0 ** (1 - different)))


def corpus_bleu(totals: np.ndarray) -> np.ndarray:
    """BLEU with exponential smoothing of summed statistics (N, 10): two lengths, matches and numbers of n-grams."""
    lengths, references = totals[:, 0], totals[:, 1]
    matches, counts = totals[:, 2 : 2 + _ORDER], totals[:, 2 + _ORDER :]
    smoothing = 2.0 ** np.cumsum(matches == 0, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = np.where(matches > 0, matches / counts, 1 / (smoothing * counts))
        brevity = np.where(lengths < references, np.exp(1 - references / lengths), 1.0)
        scores = 100 * brevity * np.exp(np.log(precisions).mean(axis=1))
    return np.where((counts > 0).all(axis=1) & (matches > 0).any(axis=1), scores, 0.0)


@cache
def _exchanges(trials: int, sentences: int) -> np.ndarray:
    """Which sentences each trial exchanges (trials, sentences), the same as in sacreBLEU."""
    return ~np.random.default_rng(_SEED).integers(2, size=(trials, sentences), dtype=bool)


@cache
def _statistics(member: Member) -> np.ndarray:
    """Lengths, matches and numbers of n-grams of each sentence of a run (sentences, 10)."""
    metric = bleu_metric(member.scores["tokenizer"])  # the runs were scored where it is installed
    streams = reference_streams(member.references)
    return np.array(metric._extract_corpus_statistics(member.hypotheses, streams), dtype=np.float32)
