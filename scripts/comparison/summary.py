"""One row for each model: means over seeds, their spread, and a paired test against the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from comparison.runs import Member
from nmt.errors import UserError
from nmt.evaluation.metrics import reference_streams

Groups = dict[str, list[Member]]  # model → its runs, by seed


@dataclass(frozen=True)
class Spread:
    """Mean and sample standard deviation (n − 1) over seeds; one seed has no deviation."""

    mean: float
    std: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Summarise at least one value."""
        return cls(fmean(values), stdev(values) if len(values) > 1 else None)


@dataclass(frozen=True)
class Row:
    """What a comparison says of one model."""

    name: str
    seeds: tuple[int, ...]
    bleu: Spread
    chrf: Spread
    delta: float | None  # of mean BLEU, against the baseline; None for itself
    p: float | None
    parameters: int
    tokens_per_second: float
    minutes: float
    entropy: float | None
    aer: Spread | None


def group(members: Sequence[Member]) -> Groups:
    """Runs by the name of their model, the best mean BLEU first, and by seed."""
    groups: Groups = {}
    for member in members:
        groups.setdefault(member.name, []).append(member)
    ordered = sorted(groups.items(), key=lambda item: -Spread.of([bleu(member) for member in item[1]]).mean)
    return {name: sorted(runs, key=lambda member: member.seed) for name, runs in ordered}


def choose_baseline(members: Sequence[Member], wanted: str | None) -> str:
    """The model that others are compared with: the one asked for, bahdanau, or that of the first run."""
    names = list(dict.fromkeys(member.name for member in members))
    if wanted is not None and wanted not in names:
        raise UserError(f"--baseline {wanted} is none of the models here: choose among {', '.join(names)}.")
    return wanted or ("bahdanau" if "bahdanau" in names else names[0])


def summarise(groups: Groups, baseline: str, trials: int) -> list[Row]:
    """The rows of the table, in the order of the groups."""
    reference = Spread.of([bleu(member) for member in groups[baseline]]).mean
    p_values = compare(groups, baseline, trials)
    return [_row(name, runs, name == baseline, reference, p_values.get(name)) for name, runs in groups.items()]


def compare(groups: Groups, baseline: str, trials: int) -> dict[str, float]:
    """For each model the median, over the seeds that it shares with the baseline, of `p_values`.

    A model that is better with one seed and worse with another has none: p knows nothing of the direction.
    """
    found: dict[str, list[float]] = {}
    better: dict[str, set[bool]] = {}
    for member in groups[baseline]:
        others = {
            name: twin.hypotheses
            for name, runs in groups.items()
            for twin in runs
            if name != baseline and twin.seed == member.seed
        }
        for name, p in p_values(member, others, trials).items():
            found.setdefault(name, []).append(p)
        for name, runs in groups.items():
            better.setdefault(name, set()).update(
                bleu(twin) > bleu(member) for twin in runs if twin.seed == member.seed
            )
    return {name: median(values) for name, values in found.items() if len(better[name]) == 1}


def p_values(baseline: Member, others: dict[str, tuple[str, ...]], trials: int) -> dict[str, float]:
    """Two-sided p of sacreBLEU's paired approximate randomisation of BLEU, for each other set of translations."""
    if not others:
        return {}
    tokenizer = baseline.scores["tokenizer"]
    try:
        metric = BLEU(tokenize=tokenizer, force=True)
    except RuntimeError as error:  # the runs were scored where it is installed
        raise UserError(
            f'BLEU\'s tokenizer {tokenizer} is missing here: run pip install "sacrebleu[ja,ko]".'
        ) from error
    systems: list[tuple[str, Sequence[str]]] = [("", baseline.hypotheses), *others.items()]
    test = PairedTest(systems, {"BLEU": metric}, reference_streams(baseline.references), "ar", n_samples=trials)
    results: list[Any] = test()[1]["BLEU"][1:]  # the first is the baseline itself
    # sacreBLEU counts only trials with a larger difference, not those that repeat the one observed. Where few
    # sentences differ these are many, up to all, and its p would be the smallest there is. Exchanging d sentences
    # repeats the difference with a probability of at least 2 / 2^d, which p therefore cannot fall below.
    floor = {name: 2.0 ** (1 - _number_different(baseline.hypotheses, texts)) for name, texts in others.items()}
    found = zip(others, results, strict=True)
    return {name: min(1.0, max(float(result.p_value), floor[name])) for name, result in found}


def bleu(member: Member) -> float:
    """BLEU of a run on its test set."""
    return float(member.scores["bleu"]["value"])


def _number_different(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def _row(name: str, runs: list[Member], is_baseline: bool, reference: float, p: float | None) -> Row:
    scores = Spread.of([bleu(member) for member in runs])
    seconds = [max(member.finished["training_seconds"], 0.1) for member in runs]  # recorded to a tenth
    tokens = [member.finished["target_tokens"] for member in runs]
    entropies = [member.history.at("attention_entropy", int(member.finished["best_step"])) for member in runs]
    known = [entropy for entropy in entropies if entropy is not None]
    errors = [member.alignment.aer for member in runs if member.alignment]
    return Row(
        name=name,
        seeds=tuple(member.seed for member in runs),
        bleu=scores,
        chrf=Spread.of([float(member.scores["chrf"]["value"]) for member in runs]),
        delta=None if is_baseline else scores.mean - reference,
        p=p,
        parameters=runs[0].parameters,
        tokens_per_second=fmean(t / s for t, s in zip(tokens, seconds, strict=True)),
        minutes=fmean(seconds) / 60,
        entropy=fmean(known) if known else None,
        aer=Spread.of(errors) if errors else None,
    )
