"""Figures of a training: curves over updates and minutes."""

from collections.abc import Sequence

import numpy as np

from nmt.evaluation.history import Curve, History
from nmt.evaluation.report.figures import Cell, Column, Figure
from nmt.metrics import METRICS

_MOST = 400  # points of a curve: more cannot be seen
_X = (Column("update"), Column("minutes", 2))

# Name in the events, title and digits.
_TRAINING = {
    "learning_rate": ("Learning rate", 6),
    "gradient_norm": ("Gradient norm", 3),
    "tokens_per_second": ("Target tokens per second", 0),
}


def training_figures(history: History, best_step: int | None) -> list[Figure]:
    """All curves that were recorded."""
    validated = history.metrics
    scores = {METRICS[name].label: validated[name] for name in METRICS if name in validated}
    losses = {"training": history.training.get("loss", {}), "validation": validated.get("loss", {})}
    entropies = {
        "entropy": validated.get("attention_entropy", {}),
        "weight on </s>": validated.get("attention_on_last", {}),
    }
    figures = [
        _figure("curve-scores", "Validation scores", scores, history, 2, best_step),
        _figure("curve-loss", "Loss per token", losses, history, 3, best_step, _LOSS),
        _figure("curve-entropy", "Entropy of the attention", entropies, history, 3, best_step, _ENTROPY),
    ]
    for name, (title, digits) in _TRAINING.items():
        curve = {title.lower(): history.training.get(name, {})}
        figures.append(_figure(f"curve-{name.replace('_', '-')}", title, curve, history, digits, best_step))
    return [figure for figure in figures if figure.rows]


_LOSS = "Cross-entropy in nats. Training includes label smoothing, validation does not."
_ENTROPY = (
    "Mean over the target tokens of the validation set, in nats: 0 looks at one word, ln S looks at all S words alike. "
    "Weight on the end of the source (</s>) near 1 means that attention has collapsed."
)


def _figure(
    name: str,
    title: str,
    curves: dict[str, Curve],
    history: History,
    digits: int,
    best_step: int | None,
    note: str = "",
) -> Figure:
    """A table with a row per update that any of the curves has, and its lines."""
    recorded = {label: thinned(curve) for label, curve in curves.items() if curve}
    steps = sorted({step for curve in recorded.values() for step in curve})
    minutes = history.time_of(np.array(steps, dtype=float)) / 60
    rows: list[list[Cell]] = [
        [step, float(minute), *(curve.get(step) for curve in recorded.values())]
        for step, minute in zip(steps, minutes, strict=True)
    ]
    chart = {"kind": "lines", "x": [0, 1], "y": list(range(2, 2 + len(recorded))), "mark": best_step}
    columns = [*_X, *(Column(label, digits) for label in recorded)]
    return Figure(name, title, columns, rows, note, chart)


def thinned(curve: Curve, most: int = _MOST) -> Curve:
    """At most so many points of a curve, evenly chosen, with the first and the last."""
    steps: Sequence[int] = sorted(curve)
    if len(steps) > most:
        steps = [steps[i] for i in np.unique(np.linspace(0, len(steps) - 1, most).astype(int))]
    return {step: curve[step] for step in steps}
