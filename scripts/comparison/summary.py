"""One row per model: means over seeds, their standard deviation, and a paired test against the baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from comparison.runs import Member
from nmt.errors import UserError
from nmt.metrics import MAIN, METRICS

Groups = dict[str, list[Member]]  # model → its runs, by seed


@dataclass(frozen=True)
class Spread:
    """Mean and sample standard deviation (n − 1) over seeds; the deviation of one seed is None."""

    mean: float
    std: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """Summarise at least one value."""
        return cls(fmean(values), stdev(values) if len(values) > 1 else None)


@dataclass(frozen=True)
class Row:
    """The results of one model."""

    name: str
    seeds: tuple[int, ...]
    scores: dict[str, Spread]  # by metric: those that every run of the comparison has
    delta: float | None  # mean BLEU minus that of the baseline; None for the baseline itself
    p: float | None  # of the test against the baseline, corrected by Holm; None where there was none
    parameters: int
    tokens_per_second: float
    minutes: float
    entropy: float | None
    aer: Spread | None


def group(members: Sequence[Member]) -> Groups:
    """Group runs by model, best mean BLEU first; the runs of a model are sorted by seed."""
    groups: Groups = {}
    for member in members:
        groups.setdefault(member.name, []).append(member)
    ordered = sorted(groups.items(), key=lambda item: -spread(item[1]).mean)
    return {name: sorted(runs, key=lambda member: member.seed) for name, runs in ordered}


def choose_baseline(members: Sequence[Member], wanted: str | None) -> str:
    """The baseline: the model asked for, else bahdanau, else the model of the first run."""
    names = list(dict.fromkeys(member.name for member in members))
    if wanted is not None and wanted not in names:
        raise UserError(f"--baseline {wanted} is none of the models here: choose among {', '.join(names)}.")
    return wanted or ("bahdanau" if "bahdanau" in names else names[0])


def summarise(groups: Groups, baseline: str, tested: Mapping[str, float]) -> list[Row]:
    """One row per model, in the order of the groups; `tested` has the p of each model that has one."""
    reference = spread(groups[baseline]).mean
    members = [member for runs in groups.values() for member in runs]
    metrics = [name for name in METRICS if all(member.scores.get(name) for member in members)]
    return [
        _row(name, runs, metrics, None if name == baseline else reference, tested.get(name))
        for name, runs in groups.items()
    ]


def spread(runs: Sequence[Member], metric: str = MAIN) -> Spread:
    """Mean and deviation of a metric over the runs of a model."""
    return Spread.of([float(member.scores[metric]["value"]) for member in runs])


def _row(name: str, runs: list[Member], metrics: list[str], reference: float | None, p: float | None) -> Row:
    seconds = [max(member.finished["training_seconds"], 0.1) for member in runs]  # recorded to a tenth
    tokens = [member.finished["target_tokens"] for member in runs]
    entropies = [member.history.metrics.get("attention_entropy", {}) for member in runs]
    best = [values.get(int(member.finished["best_step"])) for values, member in zip(entropies, runs, strict=True)]
    known = [entropy for entropy in best if entropy is not None]
    errors = [member.alignment.aer for member in runs if member.alignment]
    return Row(
        name=name,
        seeds=tuple(member.seed for member in runs),
        scores={metric: spread(runs, metric) for metric in metrics},
        delta=None if reference is None else spread(runs).mean - reference,
        p=p,
        parameters=runs[0].parameters,
        tokens_per_second=fmean(t / s for t, s in zip(tokens, seconds, strict=True)),
        minutes=fmean(seconds) / 60,
        entropy=fmean(known) if known else None,
        aer=Spread.of(errors) if errors else None,
    )
