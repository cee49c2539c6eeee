"""One row per model: means over seeds, their standard deviation, and a paired test against the baseline."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from comparison.runs import Member
from nmt.errors import UserError
from nmt.metrics import MAIN, METRICS, reference_streams

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
    p: float | None
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


def summarise(groups: Groups, baseline: str, trials: int) -> list[Row]:
    """One row per model, in the order of the groups."""
    reference = spread(groups[baseline]).mean
    tested = compare(groups, baseline, trials)
    members = [member for runs in groups.values() for member in runs]
    metrics = [name for name in METRICS if all(member.scores.get(name) for member in members)]
    return [
        _row(name, runs, metrics, None if name == baseline else reference, tested.get(name))
        for name, runs in groups.items()
    ]


def compare(groups: Groups, baseline: str, trials: int) -> dict[str, float]:
    """The median of `p_values` over the seeds that a model shares with the baseline.

    A model with fewer than two such seeds has none, as one pair of runs cannot tell a better model from a lucky seed;
    nor has a model that is better with one seed and worse with another, as p says nothing of the direction.
    """
    found: dict[str, list[tuple[float, bool]]] = {}  # p, and whether it is better than the baseline
    for member in groups[baseline]:
        others = [runs for name, runs in groups.items() if name != baseline]
        twins = {twin.name: twin for runs in others for twin in runs if twin.seed == member.seed}
        texts = {name: twin.hypotheses for name, twin in twins.items()}
        for name, p in p_values(member, texts, trials).items():
            found.setdefault(name, []).append((p, bleu(twins[name]) > bleu(member)))
    return {
        name: median(p for p, _ in tests)
        for name, tests in found.items()
        if len(tests) > 1 and len({better for _, better in tests}) == 1
    }


def p_values(baseline: Member, others: dict[str, tuple[str, ...]], trials: int) -> dict[str, float]:
    """Two-sided p of sacreBLEU's paired approximate randomisation test of BLEU, for each other system."""
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
    found = {}
    for (name, texts), result in zip(others.items(), results, strict=True):
        different = sum(a != b for a, b in zip(baseline.hypotheses, texts, strict=True))
        found[name] = min(1.0, max(float(result.p_value), 2.0 ** (1 - different)))
    return found


def bleu(member: Member) -> float:
    """BLEU of a run on its test set."""
    return float(member.scores[MAIN]["value"])


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
