"""A prepared corpus that is not as it was written is never trained on: it is prepared again, with a notice."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from nmt.data.prepare import prepare
from nmt.data.settings import DataSettings
from nmt.files import SUMS
from tests.damage import DAMAGES, damaged

Build = Callable[..., DataSettings]


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_a_damaged_corpus_is_prepared_again(settings: Build, caplog: pytest.LogCaptureFixture) -> None:
    directory, other = (prepare(settings(vocab_size=size)).directory for size in (400, 390))
    pristine, random = contents(directory), Random(1)
    differing = sorted(name for name in pristine.keys() - {SUMS} if pristine[name] != (other / name).read_bytes())

    def assert_prepared_again(words: str) -> None:
        caplog.clear()
        assert prepare(settings()).directory == directory
        assert re.search(f"{words}.* is prepared again", caplog.text)
        assert contents(directory) == pristine

    for kind in DAMAGES:
        name = random.choice(differing)
        with damaged(directory / name, kind, random, other / name):
            assert_prepared_again(name)
    (directory / "more.tokens").write_bytes(b"1")
    assert_prepared_again("more.tokens is not listed")
    shutil.rmtree(directory)
    other.rename(directory)
    assert_prepared_again("another corpus")


def test_a_link_in_the_place_of_a_prepared_corpus_is_not_written_through(settings: Build, tmp_path: Path) -> None:
    directory = prepare(settings()).directory
    elsewhere = directory.rename(tmp_path / "elsewhere")
    (elsewhere / "val.tsv").write_text("changed")
    before = contents(elsewhere)
    directory.symlink_to(elsewhere)
    assert prepare(settings()).directory == directory
    assert not directory.is_symlink()
    assert contents(elsewhere) == before
