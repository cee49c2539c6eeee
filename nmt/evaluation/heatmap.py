"""Attention as a heatmap: target words down the side, source words on top."""

import io
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.text import Text

from nmt.errors import UserError
from nmt.evaluation.fonts import DEFAULT, families, is_plain
from nmt.files import write_bytes

if TYPE_CHECKING:  # drawing needs no PyTorch
    from nmt.translation import Translation

# The hue of the pages (nmt/web/tokens.css); lightness falls linearly in OKLab, so equal steps of weight look equal.
_COLOURS = LinearSegmentedColormap.from_list(
    "attention", ["#eefaf8", "#bde6e0", "#89d2c8", "#4abeb1", "#1ca598", "#058b7f", "#037067", "#01574f", "#003f39"]
)
_INK, _FAINT = "#1f2933", "#7b8794"

# Sizes in inches. Cells shrink to keep the longer side at _SIDE, but not below what can be read.
_CELL_MAX, _CELL_MIN, _SIDE = 0.46, 0.17, 14.0
_BAR_WIDTH, _BAR_HEIGHT, _BAR_GAP, _MARGIN = 0.11, 2.4, 0.16, 0.12
_LONGEST_LABEL = 28  # characters

_STYLE: dict[Any, Any] = {
    "text.usetex": False,
    "text.parse_math": False,  # "$5 or $6" is money
    "text.color": _INK,
    "svg.hashsalt": "nmt",  # the same picture gives the same bytes
    "svg.fonttype": "path",  # looks the same where the fonts are not installed
    "pdf.fonttype": 42,
}
_METADATA = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def draw(
    source_tokens: Sequence[str],
    target_tokens: Sequence[str],
    weights: np.ndarray,
    *,
    source_name: str = "source",
    target_name: str = "target",
) -> Figure:
    """Draw attention (T, S) as a grid with the source on top and the target down the side; names label the axes."""
    weights = np.asarray(weights, dtype=float)
    assert weights.size, "there is nothing to draw"
    rows, columns = weights.shape
    cell = float(np.clip(_SIDE / max(rows, columns), _CELL_MIN, _CELL_MAX))
    with _our_style():
        figure = Figure(figsize=(columns * cell, rows * cell), dpi=160)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        mesh = _draw_grid(axes, source_tokens, target_tokens, weights, cell)
        _name_axes(axes, source_name, target_name)
        if cell == _CELL_MAX and weights.size <= 200:
            _write_values(axes, weights)
        _add_colour_bar(figure, mesh, rows * cell)
        _fit_figure(figure)
    return figure


def _draw_grid(
    axes: Axes, source_tokens: Sequence[str], target_tokens: Sequence[str], weights: np.ndarray, cell: float
) -> QuadMesh:
    """Fill `axes` with the cells, each `cell` inches wide, and a token beside each row and above each column."""
    assert weights.shape == (len(target_tokens), len(source_tokens)), weights.shape
    mesh = axes.pcolormesh(weights, cmap=_COLOURS, vmin=0, vmax=1, edgecolors="white", linewidth=min(2.5 * cell, 1))
    mesh.set_rasterized(weights.size > 4000)  # else a vector file of a long pair takes megabytes
    axes.invert_yaxis()
    if _is_leftwards(source_tokens):
        axes.invert_xaxis()  # columns in the order in which the sentence is read
    axes.tick_params(length=0, pad=4)
    axes.spines[:].set_visible(False)
    _label_axes(axes, source_tokens, target_tokens, size=min(0.6 * cell * 72, 11))  # points
    _rotate_if_crowded(axes, cell)
    return mesh


def draw_translation(
    translation: "Translation", languages: tuple[str, str] = ("source", "target"), words: bool = True
) -> Figure:
    """Draw the attention behind a translation, by words or by the model's own pieces."""
    by_words = translation.word_attention if words else None
    pieces = translation.source_tokens, translation.target_tokens, translation.attention
    source, target, weights = by_words or pieces
    return draw(source, target, weights, source_name=languages[0], target_name=languages[1])


def save(figure: Figure, path: Path | str) -> None:
    """Write a picture atomically as PNG, SVG or PDF, by suffix; a UserError for any other suffix."""
    path = Path(path)
    check_name(path)
    kind = path.suffix.lower()
    content = io.BytesIO()
    with _our_style():
        figure.savefig(content, format=kind[1:], dpi=figure.dpi, metadata=_METADATA[kind])
    write_bytes(path, content.getvalue())


def check_name(path: Path) -> None:
    """Raise a UserError unless `save` can write a picture of this name."""
    if path.suffix.lower() not in _METADATA:
        raise UserError(f"{path}: a picture is written as .png, .svg or .pdf; choose one of these endings.")


def to_array(figure: Figure) -> np.ndarray:
    """The picture as pixels (height, width, 3), uint8."""
    canvas = FigureCanvasAgg(figure)
    with _our_style():
        canvas.draw()
    return np.array(canvas.buffer_rgba())[..., :3]


@contextmanager
def _our_style() -> Iterator[None]:
    """Apply our matplotlib settings, and silence its warnings of missing glyphs: `fonts` has its own."""
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def _label_axes(axes: Axes, source: Sequence[str], target: Sequence[str], size: float) -> None:
    """Write a token beside each row and above each column."""
    axes.xaxis.tick_top()
    axes.set_xticks(np.arange(len(source)) + 0.5, [_shorten(token) for token in source])
    axes.set_yticks(np.arange(len(target)) + 0.5, [_shorten(token) for token in target])
    for labels, tokens in ((axes.get_xticklabels(), source), (axes.get_yticklabels(), target)):
        fonts = families("…".join(tokens))
        for label in labels:
            # A Devanagari font has "<" and "/" but no "s": taken from two fonts, </s> would fall apart.
            chosen = DEFAULT if is_plain(label.get_text()) else fonts
            label.set(fontfamily=chosen, fontsize=size, color=_INK, parse_math=False)


def _is_leftwards(tokens: Sequence[str]) -> bool:
    """Whether a sentence, by its first letter, is written from right to left."""
    letters = (character for token in tokens for character in token if character.isalpha())
    return unicodedata.bidirectional(next(letters, "a")) in {"R", "AL"}


def _shorten(token: str) -> str:
    """Cut a very long token, but not between a letter and its marks."""
    if len(token) <= _LONGEST_LABEL:
        return token
    end = _LONGEST_LABEL - 1
    while end > 1 and unicodedata.category(token[end]).startswith("M"):
        end -= 1
    return token[:end] + "…"


def _rotate_if_crowded(axes: Axes, cell: float) -> None:
    """Slant the source labels unless each fits over its column."""
    labels: list[Text] = axes.get_xticklabels()
    if max(label.get_window_extent().width for label in labels) > 0.92 * cell * axes.figure.dpi:
        for label in labels:
            label.set(rotation=45, ha="left", va="bottom", rotation_mode="anchor")


def _name_axes(axes: Axes, source_name: str, target_name: str) -> None:
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(source_name, fontfamily=families(source_name), fontsize=9, color=_FAINT, labelpad=8)
    axes.set_ylabel(target_name, fontfamily=families(target_name), fontsize=9, color=_FAINT, labelpad=8)


def _write_values(axes: Axes, weights: np.ndarray) -> None:
    """Write weights of at least 0.05 into their cells."""
    for (row, column), weight in np.ndenumerate(weights):
        if weight >= 0.05:
            number = f"{weight:.2f}".removeprefix("0")
            colour = "white" if weight > 0.55 else _INK
            axes.text(column + 0.5, row + 0.5, number, ha="center", va="center", fontsize=7.5, color=colour)


def _add_colour_bar(figure: Figure, mesh: QuadMesh, height: float) -> None:
    """Put a slim scale from 0 to 1 to the right, as tall as the grid, up to a maximum."""
    width_inches, height_inches = figure.get_size_inches()
    bar_height = min(height, _BAR_HEIGHT)
    share = bar_height / height_inches
    box = (1 + _BAR_GAP / width_inches, 1 - share, _BAR_WIDTH / width_inches, share)
    bar = figure.colorbar(mesh, cax=figure.add_axes(box), ticks=[0, 0.5, 1] if bar_height > 0.8 else [0, 1])
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, pad=3, labelsize=7.5, labelcolor=_FAINT)


def _fit_figure(figure: Figure) -> None:
    """Grow the figure around everything drawn; matplotlib's layout engines would shrink the cells instead."""
    drawn = figure.get_tightbbox()  # inches, from the corner of the grid
    old_size = figure.get_size_inches()
    new_size = np.array([drawn.width, drawn.height]) + 2 * _MARGIN
    for axes in figure.axes:
        box = axes.get_position()
        corner = (np.array([box.x0, box.y0]) * old_size - [drawn.x0, drawn.y0] + _MARGIN) / new_size
        axes.set_position((*corner, *(np.array([box.width, box.height]) * old_size / new_size)))
    figure.set_size_inches(float(new_size[0]), float(new_size[1]))
