"""The confidence below which translations are called guesses: found in validation and kept in the run."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from nmt.guessing import Guessing
from nmt.run import Run
from tests.commands import Finished, assert_fails, succeeded, translate
from tests.conftest import tiny_translator

GOOD, BAD = 90.0, 10.0


def calibrated(*chrf: float) -> Guessing:
    """The threshold of translations in the order of their confidences: 0.01, 0.02 …"""
    return Guessing.calibrated("step-1", [i / 100 for i in range(1, len(chrf) + 1)], chrf)


def test_fifteen_bad_translations_below_every_good_one_are_the_fewest_that_give_a_threshold() -> None:
    assert calibrated(*[BAD] * 14, *[GOOD] * 86).threshold is None
    assert calibrated(*[BAD] * 15, *[GOOD] * 85) == Guessing("step-1", 0.15, 100, 15, 15, 15)
    assert calibrated().threshold is None


def test_of_few_notices_nearly_all_must_be_deserved_and_of_many_nine_of_ten() -> None:
    assert calibrated(*[BAD] * 18, *[GOOD] * 2, *[BAD] * 10, *[GOOD] * 70).notices == 18  # 28 of 30 is too uncertain
    many = [*[BAD] * 11, GOOD] * 50
    assert calibrated(*many).notices > 590  # 550 of 600
    assert calibrated(*[*[BAD] * 8, GOOD] * 70).threshold is None


def test_equal_confidences_get_a_notice_together() -> None:
    same = Guessing.calibrated("step-1", [0.1] * 20 + [0.5] * 5, [BAD] * 15 + [GOOD] * 10)
    assert same.threshold is None
    assert Guessing.calibrated("step-1", [0.1] * 20 + [0.5] * 5, [BAD] * 20 + [GOOD] * 5).notices == 20


def test_the_more_likely_the_tokens_the_higher_the_confidence() -> None:
    (translation,) = tiny_translator().translate("I see a cat .")
    sure, unsure = (replace(translation, log_probs=[log_prob] * 3) for log_prob in (-0.1, -2.0))
    assert 0.13 < unsure.confidence < 0.14 < 0.9 < sure.confidence < 0.91
    assert [each.is_guess(0.5) for each in (sure, unsure)] == [False, True]
    assert unsure.is_guess(None) is None


@pytest.fixture
def run(finished: Finished, tmp_path: Path) -> Path:
    shutil.copytree(finished[0], tmp_path / "run")
    return tmp_path / "run"


def notices(run: Path, *arguments: str) -> tuple[list[str], list[bool | None]]:
    """The notices on stderr, and what --json says of each sentence."""
    done = succeeded(translate(run, "--json", *arguments, "I see a cat.", "", "We want tea!"))
    lines = [line for line in done.stderr.splitlines() if "guessing" in line]
    return lines, [json.loads(line)["guessing"] for line in done.stdout.splitlines()]


def test_translate_says_when_the_model_is_guessing(run: Path) -> None:
    record = json.loads((run / "guessing.json").read_text())
    guessing = Guessing.of(Run(run), record["checkpoint"])
    assert guessing is not None
    assert guessing.sentences == len((run / "data/val.tsv").read_text().splitlines())
    replace(guessing, threshold=1.0).write(Run(run))
    first, second = notices(run)[0]
    assert first.startswith("Sentence 1 is translated by guessing (confidence 0.")
    assert first.endswith("): do not rely on its translation.")
    assert second.startswith("Sentence 3 ")
    assert notices(run)[1] == [True, False, True]
    silent = ([], [None] * 3)
    assert notices(run, "--sample") == silent  # the threshold is not of such translations
    assert notices(run, "--run", str(run)) == silent  # nor of an ensemble
    replace(guessing, threshold=0.0).write(Run(run))
    assert notices(run) == ([], [False] * 3)
    for unknown in (replace(guessing, threshold=None), replace(guessing, threshold=1.0, checkpoint="step-00000001")):
        unknown.write(Run(run))
        assert notices(run) == silent
    (run / "guessing.json").write_text("{}")
    assert_fails(translate(run, "tea"), "guessing.json is damaged")
    (run / "guessing.json").unlink()  # as in runs of earlier versions
    assert notices(run) == silent
