"""The style of all plots: axes, colours for the colour-blind, line labels beside the plot."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from nmt.evaluation.fonts import families
from nmt.evaluation.heatmap import FAINT, INK

# Paul Tol's muted scheme, less its palest, so that thin lines show on white. Beyond these eight the dashes change.
_COLOURS = ("#332288", "#cc6677", "#117733", "#88ccee", "#aa4499", "#999933", "#44aa99", "#882255")
_DASHES: tuple[Any, ...] = ("-", (0, (4, 1.6)), (0, (1.2, 1.4)))
_RULE = "#e4e7eb"
_LABEL_SIZE, _LABEL_HEIGHT = 8.5, 11.5  # points
_LEADER, _SAMPLE = 16.0, 16.0  # points from a plot to the samples of lines beside it, and their length


@dataclass(frozen=True)
class Look:
    """Colour, dashes and width of a model's line in every plot."""

    colour: str
    dashes: Any
    width: float


@dataclass(frozen=True)
class Line:
    """A curve of one model: mean, lowest and highest value over seeds."""

    name: str
    x: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


def looks(names: Sequence[str], baseline: str) -> dict[str, Look]:
    """A look for each model; the baseline is black."""
    others = [name for name in names if name != baseline]
    found = {
        name: Look(_COLOURS[i % len(_COLOURS)], _DASHES[i // len(_COLOURS) % len(_DASHES)], 1.1)
        for i, name in enumerate(others)
    }
    return found | {baseline: Look(INK, "-", 1.8)}


def new_figure() -> Figure:
    """A figure of one square inch, so that axes can be placed in inches before it is fitted to its content."""
    figure = Figure(figsize=(1, 1), dpi=160)
    FigureCanvasAgg(figure)
    return figure


def add_axes(figure: Figure, left: float, width: float, height: float) -> Axes:
    """Axes of a size in inches, with a light grid and no frame."""
    axes = figure.add_axes((left, 0, width, height))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize=_LABEL_SIZE, labelcolor=FAINT, pad=5)
    axes.grid(axis="y", color=_RULE, linewidth=0.8)
    axes.set_axisbelow(True)
    return axes


def name_axes(axes: Axes, title: str, x: str) -> None:
    """Set the title and the label of the x axis."""
    axes.set_title(title, loc="left", fontsize=10.5, color=INK, pad=12)
    axes.set_xlabel(x, fontsize=9, color=FAINT, labelpad=7)


def draw_lines(axes: Axes, lines: Sequence[Line], styles: dict[str, Look], **marks: Any) -> None:
    """Draw lines with bands from the lowest to the highest seed, and their names to the right."""
    alpha = 0.16 if len(lines) <= 6 else 0.09  # many bands overlap
    for line in lines:
        look = styles[line.name]
        if (line.high > line.low).any():
            axes.fill_between(line.x, line.low, line.high, color=look.colour, alpha=alpha, linewidth=0)
        axes.plot(line.x, line.mean, color=look.colour, linestyle=look.dashes, linewidth=look.width, **marks)
    _name_lines(axes, lines, styles)


def spread_out(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move labels apart, by the least sum of squares, until neighbours are `gap` apart.

    They stay between `low` and `high` if there is room; otherwise some end below `low`. With rank · gap subtracted from
    each place, this is isotonic regression, here by its min-max formula.
    """
    ranks, order = gap * np.arange(len(places)), np.argsort(places, kind="stable")
    free, count = np.asarray(places)[order] - ranks, len(places)
    moved = [max(min(free[i:j].mean() for j in range(k + 1, count + 1)) for i in range(k + 1)) for k in range(count)]
    result = np.empty(count)
    result[order] = np.minimum(np.maximum(moved, low) + ranks, high - ranks[::-1])
    return [float(place) for place in result]


def _name_lines(axes: Axes, lines: Sequence[Line], styles: dict[str, Look]) -> None:
    """Write each name beside the end of its line, with a thin line to it where it had to move."""
    points = 72 / axes.figure.dpi
    to_data = axes.transData.inverted()
    ends = [axes.transData.transform((line.x[-1], line.mean[-1])) * points for line in lines]
    box = axes.get_window_extent()
    right = box.x1 * points
    heights = spread_out([float(end[1]) for end in ends], _LABEL_HEIGHT, box.y0 * points, box.y1 * points)
    for line, end, height in zip(lines, ends, heights, strict=True):
        look = styles[line.name]
        axes.plot(line.x[-1], line.mean[-1], "o", color=look.colour, markersize=3, clip_on=False)
        # A thin line from the end of the curve to the edge of the plot, then a sample of the curve, then its name.
        edge, begin, close = (right, end[1]), (right + _LEADER, height), (right + _LEADER + _SAMPLE, height)
        thread = to_data.transform(np.array([end, edge, begin]) / points)
        sample = to_data.transform(np.array([begin, close]) / points)
        axes.plot(*thread.T, color=look.colour, linewidth=0.5, alpha=0.45, clip_on=False)
        axes.plot(*sample.T, color=look.colour, linestyle=look.dashes, linewidth=look.width, clip_on=False)
        axes.annotate(
            line.name,
            xy=tuple(sample[1]),
            xytext=(5, 0),
            textcoords="offset points",
            annotation_clip=False,
            va="center_baseline",
            fontsize=_LABEL_SIZE,
            fontfamily=families(line.name),
            color=INK,
        )
