"""SacreBLEU's paired test of BLEU between each model and the baseline, corrected for the number of models."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from sacrebleu.significance import PairedTest

from comparison.runs import Member
from nmt.evaluation.report.words import bleu_metric
from nmt.metrics import reference_streams


def compare_with_baseline(groups: Mapping[str, Sequence[Member]], baseline: str, trials: int) -> dict[str, float]:
    """The p of each model: the median over the seeds that it shares with the baseline, corrected by Holm.

    A model with fewer than two common seeds has none, as one pair of runs cannot tell a better model from a lucky seed;
    nor has one that is better than the baseline with one seed and worse with another, as p has no direction.
    """
    twins = {member.seed: member for member in groups[baseline]}
    medians = {}
    for name, runs in groups.items():
        pairs = [(member, twins[member.seed]) for member in runs if name != baseline and member.seed in twins]
        if len(pairs) > 1 and len({member.bleu > twin.bleu for member, twin in pairs}) == 1:
            medians[name] = median(p_value(*pair, trials) for pair in pairs)
    return holm(medians)


def p_value(member: Member, twin: Member, trials: int) -> float:
    """Two-sided p of sacreBLEU's paired approximate randomisation test of BLEU between two runs.

    sacreBLEU counts only trials with a larger difference than the one observed. Exchanging d different sentences
    repeats that difference with a probability of at least 2 / 2^d, which p therefore cannot fall below.
    """
    systems: Any = [("baseline", twin.hypotheses), ("model", member.hypotheses)]
    metrics = {"BLEU": bleu_metric(member.scores["tokenizer"])}  # the runs were scored where its tokenizer is installed
    results: Any = PairedTest(systems, metrics, reference_streams(member.references), "ar", n_samples=trials)()[1]
    different = sum(a != b for a, b in zip(member.hypotheses, twin.hypotheses, strict=True))
    return min(1.0, max(results["BLEU"][1].p_value, 2.0 ** (1 - different)))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """P-values corrected for their number (Holm 1979): the chance of one false finding among all is at most p."""
    corrected: dict[str, float] = {}
    largest = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[name]))
        corrected[name] = largest
    return corrected
