"""Attention of all models on one sentence, side by side."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from comparison.runs import Member
from comparison.style import new_figure
from comparison.summary import Groups
from nmt.evaluation.fonts import families
from nmt.evaluation.heatmap import INK, add_colour_bar, draw_grid, fit_figure, our_style
from nmt.evaluation.scores import source_lengths
from nmt.translation import Translation
from nmt.translator import Translator

_LENGTH = {"words": 8, "characters": 12}  # long enough to show a pattern, short enough to read many times
_CELL, _GAP = 0.27, 0.32  # inches


def choose_sentence(member: Member) -> str:
    """The first of the test sentences nearest to a readable length, whatever their scores."""
    unit, lengths = source_lengths(member.sources)
    return member.sources[int(np.abs(lengths - _LENGTH[unit]).argmin())]


def translate(groups: Groups, sentence: str) -> dict[str, Translation]:
    """The translation by the first seed of each model that has attention."""
    found = {}
    for name, runs in groups.items():
        best = Translator.load(runs[0].run, "cpu").translate(sentence)[0]
        if best.attention is not None:
            found[name] = best
    return found


def draw_panel(translations: dict[str, Translation]) -> Figure:
    """Heatmaps over words, in rows, each with the name of its model above it."""
    with our_style():
        figure = new_figure()
        maps, mesh = [], None
        for name, translation in translations.items():
            source, target, weights = translation.word_attention or ([], [], np.empty(0))
            axes = figure.add_axes((0, 0, len(source) * _CELL, len(target) * _CELL), label=name)
            mesh = draw_grid(axes, source, target, weights, _CELL)
            axes.set_title(name, loc="left", fontfamily=families(name), fontsize=12, color=INK, pad=7)
            maps.append(axes)
        assert mesh is not None, "there is nothing to draw"
        _arrange(figure, maps)
        add_colour_bar(figure, mesh, 1.6)
        fit_figure(figure)
    return figure


def _arrange(figure: Figure, maps: Sequence[Axes]) -> None:
    """Place the maps in rows from the top left, with aligned grids and room for the longest labels."""
    boxes = [_inches(figure, axes) for axes in maps]
    width, height = (max(box[side] for box in boxes) for side in (2, 3))
    before, above = max(-box[0] for box in boxes), max(box[1] for box in boxes)
    columns = _columns(len(maps), width, height)
    tops = [0.0]  # of the grids, from the top of the first
    for row in range(0, len(maps), columns):
        lowest = max(axes.get_position().height for axes in maps[row : row + columns])
        tops.append(tops[-1] + lowest + above + _GAP)
    total = np.array([(columns - 1) * (width + _GAP) + width - before, tops[-1] - above - _GAP])
    figure.set_size_inches(*total)
    for place, axes in enumerate(maps):
        row, column = divmod(place, columns)
        size = axes.get_position().size
        corner = np.array([column * (width + _GAP), total[1] - tops[row] - size[1]])
        axes.set_position((*(corner / total), *(size / total)))


def _inches(figure: Figure, axes: Axes) -> tuple[float, float, float, float]:
    """Extent of a map with labels, in inches: left of its grid (negative), above its grid, width, height."""
    drawn = axes.get_tightbbox()
    assert drawn is not None
    box = drawn.transformed(figure.dpi_scale_trans.inverted())
    return box.x0, box.y1 - axes.get_position().height, box.width, box.height


def _columns(count: int, width: float, height: float) -> int:
    """Number of columns: up to four maps in one row, more maps in a shape somewhat wider than high."""
    fitting = round(math.sqrt(1.2 * count * height / width))
    rows = math.ceil(count / max(fitting, 4))
    return math.ceil(count / rows)  # so that the last row is as full as possible
