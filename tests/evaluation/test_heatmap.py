import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from nmt.evaluation import fonts
from nmt.evaluation.heatmap import draw, save, to_array
from tests.conftest import assert_refused

SOURCE = ["They", "are", "watching", ".", "</s>"]
TARGET = ["Ils", "regardent", ".", "</s>"]
WEIGHTS = np.array([[1, 0, 0, 0, 0], [0, 0.3, 0.7, 0, 0], [0, 0, 0.04, 0.96, 0], [0, 0, 0, 0.1, 0.9]])


def even(rows: int, columns: int) -> np.ndarray:
    return np.full((rows, columns), 1 / columns)


@pytest.mark.parametrize(
    ("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF"), (".PNG", b"\x89PNG")]
)
def test_pictures_are_written_and_reproducible(tmp_path: Path, suffix: str, magic: bytes) -> None:
    paths = [tmp_path / folder / f"attention{suffix}" for folder in ("new", "newer/still")]
    for path in paths:
        save(draw(SOURCE, TARGET, WEIGHTS), path)
    first, second = (path.read_bytes() for path in paths)
    assert first.startswith(magic)
    assert first == second
    assert [path.name for path in paths[0].parent.iterdir()] == [paths[0].name]


def test_svg_is_well_formed_and_brings_its_letters(tmp_path: Path) -> None:
    save(draw(SOURCE, TARGET, WEIGHTS), tmp_path / "a.svg")
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(tmp_path / "a.svg").iter()}
    assert "path" in tags
    assert "text" not in tags


def test_unknown_suffix(tmp_path: Path) -> None:
    assert_refused(r"a\.jpeg.*\.png, \.svg or \.pdf", save, draw(["a"], ["b"], even(1, 1)), tmp_path / "a.jpeg")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (["a"], ["b"]),
        (["a"] * 9, ["b"]),
        (["a"], ["b"] * 9),
        (["Donaudampfschifffahrtsgesellschaftskapitän"], ["Rindfleischetikettierungsgesetz"] * 2),
        (["word"] * 70, ["word"] * 65),
    ],
)
def test_nothing_is_cut_off_and_cells_are_square(source: list[str], target: list[str]) -> None:
    figure = draw(source, target, even(len(target), len(source)))
    width, height = figure.get_size_inches()
    drawn = figure.get_tightbbox()
    assert 0 <= drawn.x0 < drawn.x1 <= width
    assert 0 <= drawn.y0 < drawn.y1 <= height
    box = figure.axes[0].get_position()
    cell = box.width * width / len(source)
    assert cell == pytest.approx(box.height * height / len(target))
    assert cell >= 0.17


def test_labels() -> None:
    figure = draw(SOURCE, TARGET, WEIGHTS, source_name="English", target_name="$5 or $6")
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == SOURCE
    assert [label.get_text() for label in axes.get_yticklabels()] == TARGET
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("English", "$5 or $6")
    assert not axes.yaxis.label.get_parse_math()
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {45}
    upright = draw(["我", "们"], ["a"], even(1, 2)).axes[0]
    assert {label.get_rotation() for label in upright.get_xticklabels()} == {0}


@pytest.mark.parametrize(
    ("source", "leftwards"), [("« שלום", True), ("1 مرحبا", True), ("hello שלום", False), ("…", False)]
)
def test_columns_run_as_the_source_is_read(source: str, leftwards: bool) -> None:
    tokens = source.split()
    axes = draw(tokens, ["a"], np.full((1, len(tokens)), 1 / len(tokens))).axes[0]
    assert axes.xaxis_inverted() == leftwards


def test_a_label_comes_from_one_font_where_one_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of </s>, a font for Devanagari has all but the s; drawn with two fonts, it falls apart."""
    monkeypatch.setattr(fonts, "_families", lambda characters: ("Noto Sans Devanagari", fonts.DEFAULT))
    labels = draw(["They"], ["ते", "</s>"], even(2, 1)).axes[0].get_yticklabels()
    assert [list(label.get_fontfamily()) for label in labels] == [
        ["Noto Sans Devanagari", fonts.DEFAULT],
        [fonts.DEFAULT],
    ]


def test_numbers_in_small_grids_only() -> None:
    small = draw(SOURCE, TARGET, WEIGHTS).axes[0]
    assert [text.get_text() for text in small.texts] == ["1.00", ".30", ".70", ".96", ".10", ".90"]
    assert not draw(["a"] * 40, ["b"] * 40, np.eye(40)).axes[0].texts


def test_pixels_show_the_weights() -> None:
    figure = draw(["a", "b"], ["c"], np.array([[1.0, 0.0]]))
    image = to_array(figure)
    height, width, channels = image.shape
    assert (channels, image.dtype) == (3, np.uint8)
    box = figure.axes[0].get_position()
    row = round((1 - box.y0 - box.height * 0.85) * height)  # above the number in the cell
    columns = [round((box.x0 + box.width * share) * width) for share in (0.25, 0.75)]
    dark, light = image[row, columns].astype(int).sum(axis=1)
    assert dark < 200 < 700 < light


def test_missing_glyphs_cause_no_warnings_of_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_families", lambda characters: (fonts.DEFAULT,))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Matplotlib currently does not support")  # of 3.10, for Python 3.10
        save(draw(["They", "watch"], ["मराठी", "ते"], even(2, 2)), tmp_path / "a.png")
