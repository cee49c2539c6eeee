"""Figures over all seeds: scores, learning curves and BLEU by length."""

from collections.abc import Sequence

import numpy as np

from comparison.runs import Member
from comparison.summary import Groups, Row
from nmt.evaluation.history import columns
from nmt.evaluation.report.figures import Cell, Column, Figure
from nmt.evaluation.scores import LengthBucket
from nmt.metrics import METRICS

# Name in the events, title and label of its values.
_CURVES = {
    "bleu": ("Validation BLEU, mean over seeds", "BLEU"),
    "loss": ("Validation loss per token in nats, mean over seeds", "loss"),
    "attention_entropy": ("Entropy of the attention in nats, mean over seeds", "entropy"),
}


def score_figure(rows: Sequence[Row]) -> Figure:
    """Means and standard deviations over seeds, and costs."""
    names = list(rows[0].scores)
    columns = [Column("model"), Column("runs")]
    for name in names:
        columns += [Column(METRICS[name].label, 1), Column("±", 2)]
    columns += [Column("Δ BLEU", 1), Column("p", 3), Column("parameters"), Column("tokens/s", 0), Column("minutes", 1)]
    columns += [Column("entropy", 2), Column("AER", 3), Column("low", 1), Column("high", 1)]
    cells: list[list[Cell]] = []
    for row in rows:
        line: list[Cell] = [row.name, len(row.seeds)]
        for name in names:
            line += [row.scores[name].mean, row.scores[name].std]
        line += [row.delta, row.p, row.parameters, row.tokens_per_second, row.minutes]
        mean, std = row.scores[names[0]].mean, row.scores[names[0]].std or 0.0
        cells.append([*line, row.entropy, row.aer.mean if row.aer else None, mean - std, mean + std])
    last = len(columns)
    chart = {"kind": "bars", "label": 0, "values": [2], "low": [last - 2], "high": [last - 1], "yLabel": "BLEU"}
    note = "± is the sample standard deviation over seeds, – for one; low and high are the mean less and plus that."
    return Figure("scores", "Scores over seeds", columns, cells, note, chart)


def curve_figures(groups: Groups) -> list[Figure]:
    """Mean curves of validations over updates and minutes, of the models that have them for all seeds."""
    figures = []
    for metric, (title, label) in _CURVES.items():
        cells: list[list[Cell]] = []
        for name, runs in groups.items():
            if all(metric in member.history.metrics for member in runs):
                steps, values = common_curve(runs, metric)
                minutes = np.mean([member.history.time_of(steps) for member in runs], axis=0) / 60
                lines = (steps, minutes, values.mean(0), values.min(0), values.max(0))
                cells += [[name, *map(float, point)] for point in zip(*lines, strict=True)]
        columns = [Column("model"), Column("update", 0), Column("minutes", 2)]
        columns += [Column(label, 3), Column("lowest seed", 3), Column("highest seed", 3)]
        chart = {"kind": "lines", "x": [1, 2], "y": [3], "by": 0, "series": list(groups), "yLabel": label}
        figures.append(Figure(f"curve-{label.lower()}", title, columns, cells, "", chart))
    return [figure for figure in figures if figure.rows]


def common_curve(runs: Sequence[Member], metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Updates up to the last one of the shortest run, and the values (runs, updates) of a metric, interpolated."""
    curves = [columns(member.history.metrics[metric]) for member in runs]
    end = min(x[-1] for x, _ in curves)
    steps = np.unique(np.concatenate([x[x <= end] for x, _ in curves]))
    return steps, np.array([np.interp(steps, x, y) for x, y in curves])


def length_figure(groups: Groups) -> Figure:
    """BLEU by source length, mean over seeds."""
    first = next(iter(groups.values()))[0].scores
    buckets = [LengthBucket(**bucket) for bucket in first["by_length"]]
    cells: list[list[Cell]] = []
    for name, runs in groups.items():
        values = np.mean([[bucket["bleu"] for bucket in member.scores["by_length"]] for member in runs], axis=0)
        cells.append([name, *map(float, values)])
    across = list(range(1, 1 + len(buckets)))
    unit = f"source length in {first['length_unit']}"
    chart = {"kind": "lines", "label": 0, "across": across, "xLabel": unit, "yLabel": "BLEU"}
    columns = [Column("model"), *(Column(bucket.label, 1) for bucket in buckets)]
    return Figure("by-length", "BLEU by source length, mean over seeds", columns, cells, "", chart)
