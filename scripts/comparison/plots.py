"""Pictures of a comparison: scores, learning curves, and BLEU by sentence length."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from comparison.runs import Member
from comparison.style import Line, Look, add_axes, draw_lines, name_axes, new_figure
from comparison.summary import Groups
from nmt.evaluation.fonts import families
from nmt.evaluation.heatmap import INK, fit_figure, our_style
from nmt.evaluation.scores import LengthBucket


def draw_scores(groups: Groups, styles: dict[str, Look], baseline: str) -> Figure:
    """A dot per run, a stroke for the mean of each model, best first, and a thin line at the baseline's mean."""
    with our_style():
        figure = new_figure()
        axes = add_axes(figure, 0, 5.6, max(0.27 * len(groups), 0.6))
        axes.grid(False)
        axes.grid(axis="x", color="#e4e7eb", linewidth=0.8)
        for place, (name, runs) in enumerate(groups.items()):
            values = [member.bleu for member in runs]
            look = styles[name]
            axes.plot(
                values, [place] * len(values), "o", color=look.colour, alpha=0.45, markersize=6, markeredgewidth=0
            )
            mean = float(np.mean(values))
            axes.plot([mean, mean], [place - 0.3, place + 0.3], color=look.colour, linewidth=2)
            axes.annotate(
                f"{mean:.1f}",
                (1.02, place),
                xycoords=("axes fraction", "data"),
                va="center_baseline",
                fontsize=8.5,
                color=INK,
            )
            if name == baseline:
                axes.axvline(mean, color=look.colour, linewidth=0.6, zorder=0.9)
        axes.set_yticks(range(len(groups)), list(groups))
        for label in axes.get_yticklabels():
            label.set(fontfamily=families(label.get_text()), fontsize=9, color=INK)
        axes.set_ylim(len(groups) - 0.5, -0.5)
        axes.margins(x=0.06)
        name_axes(axes, "BLEU on the test set", "a dot for each run, a stroke for the mean")
        fit_figure(figure)
    return figure


def draw_curves(groups: Groups, styles: dict[str, Look]) -> Figure | None:
    """Validation BLEU over updates and over training time; None if no model has it for all its runs."""
    recorded = {name: all("bleu" in member.history.metrics for member in runs) for name, runs in groups.items()}
    by_step = [mean_curve(name, groups[name]) for name in groups if recorded[name]]
    if not by_step:
        return None
    times = [np.mean([member.history.time_of(line.x) for member in groups[line.name]], axis=0) for line in by_step]
    unit, seconds = _time_unit(max(time[-1] for time in times))
    by_time = [replace(line, x=time / seconds) for line, time in zip(by_step, times, strict=True)]
    with our_style():
        figure = new_figure()
        left = add_axes(figure, 0, 4.6, 4.2)
        gap = 0.9 + 0.075 * max(len(line.name) for line in by_step)  # for the names
        right = add_axes(figure, 4.6 + gap, 4.6, 4.2)
        for axes, lines, x in ((left, by_step, "updates"), (right, by_time, f"{unit} of training")):
            axes.set_xlim(0, max(line.x[-1] for line in lines))
            axes.set_ylim(*_visible(by_step))
            name_axes(axes, "Validation BLEU", x)
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
            draw_lines(axes, lines, styles)
        fit_figure(figure)
    return figure


def draw_lengths(groups: Groups, styles: dict[str, Look]) -> Figure:
    """BLEU by source length."""
    first = next(iter(groups.values()))[0].scores
    buckets = [LengthBucket(**bucket) for bucket in first["by_length"]]
    lines = []
    for name, runs in groups.items():
        values = np.array([[bucket["bleu"] for bucket in member.scores["by_length"]] for member in runs])
        lines.append(Line(name, np.arange(len(buckets)), values.mean(0), values.min(0), values.max(0)))
    with our_style():
        figure = new_figure()
        axes = add_axes(figure, 0, 5.6, 4.2)
        axes.set_xlim(-0.15, max(len(buckets) - 1, 1) + 0.05)
        axes.set_ylim(0, max(max(line.high.max() for line in lines) * 1.04, 1.0))
        axes.set_xticks(range(len(buckets)), [f"{bucket.label}\n{bucket.sentences:,}" for bucket in buckets])
        name_axes(
            axes,
            "Test BLEU by source length",
            f"source length in {first['length_unit']}, above the number of sentences",
        )
        draw_lines(axes, lines, styles, marker="o", markersize=2.6)
        fit_figure(figure)
    return figure


def mean_curve(name: str, runs: Sequence[Member], metric: str = "bleu") -> Line:
    """Mean over all seeds of what validations recorded, up to the last update of the shortest run."""
    curves = [member.history.by_step(metric) for member in runs]
    end = min(x[-1] for x, _ in curves)
    points = np.unique(np.concatenate([x[x <= end] for x, _ in curves]))
    values = np.array([np.interp(points, x, y) for x, y in curves])
    return Line(name, points, values.mean(0), values.min(0), values.max(0))


def _visible(lines: Sequence[Line]) -> tuple[float, float]:
    """Limits of the BLEU axis; the steep rise in the first tenth of the training is cut off."""
    bottom = min(float(np.interp(0.1 * line.x[-1], line.x, line.low)) for line in lines)
    return bottom, 1.04 * max(*(float(line.high.max()) for line in lines), bottom + 1.0)


def _time_unit(longest: float) -> tuple[str, float]:
    """A readable unit for times up to `longest` seconds, and its length in seconds."""
    if longest < 180:
        return "seconds", 1.0
    return ("minutes", 60.0) if longest < 3 * 3600 else ("hours", 3600.0)
