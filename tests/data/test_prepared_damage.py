"""A prepared corpus that is not as it was written is never trained on: it is prepared again, with a notice."""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from nmt.data.prepare import prepare
from nmt.data.settings import DataSettings
from nmt.files import damage
from tests.damage import mutate

Build = Callable[..., DataSettings]


def contents(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def corrupt(directory: Path, kind: str) -> None:
    """Damage a prepared corpus in one way."""
    file, other = directory / "train-source.tokens", directory / "train-target.tokens"
    if kind == "remove":
        file.unlink()
    elif kind == "swap":
        file_content, other_content = file.read_bytes(), other.read_bytes()
        file.write_bytes(other_content)
        other.write_bytes(file_content)
    elif kind == "add":
        (directory / "more.tokens").write_bytes(b"1")
    elif kind == "link":
        file.rename(directory.parent / "elsewhere")
        file.symlink_to(directory.parent / "elsewhere")
    else:
        mutate(Random(int(kind)), file)


def test_a_damaged_corpus_is_prepared_again(settings: Build, caplog: pytest.LogCaptureFixture) -> None:
    directory = prepare(settings()).directory
    pristine = contents(directory)
    for kind in ("remove", "swap", "add", "link", *map(str, range(10))):
        corrupt(directory, kind)
        assert damage(directory), kind
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="nmt"):
            assert prepare(settings()).directory == directory
        assert "is prepared again" in caplog.text, kind
        assert contents(directory) == pristine


def test_another_corpus_under_this_name_is_found(settings: Build, caplog: pytest.LogCaptureFixture) -> None:
    directory, other = (prepare(settings(vocab_size=size)).directory for size in (400, 390))
    pristine = contents(directory)
    shutil.rmtree(directory)
    other.rename(directory)
    assert damage(directory) is None  # intact in itself
    with caplog.at_level(logging.WARNING, logger="nmt"):
        prepare(settings())
    assert "another corpus" in caplog.text
    assert contents(directory) == pristine


def test_a_link_in_the_place_of_a_prepared_corpus_is_not_written_through(settings: Build, tmp_path: Path) -> None:
    directory = prepare(settings()).directory
    elsewhere = directory.rename(tmp_path / "elsewhere")
    (elsewhere / "val.tsv").write_text("changed")
    before = contents(elsewhere)
    directory.symlink_to(elsewhere)
    assert prepare(settings()).directory == directory
    assert not directory.is_symlink()
    assert contents(elsewhere) == before
