"""scripts/bench.py, briefly."""

import csv
from pathlib import Path

import bench
import pytest

from tests.commands import Finished, assert_fails, command, succeeded
from tests.conftest import ROOT, assert_refused


@pytest.mark.slow
def test_two_checkouts_are_measured_in_turn(finished: Finished, tmp_path: Path) -> None:
    arguments = ["--quick", "--against", str(ROOT), "--run", str(finished[0]), "--csv", str(tmp_path / "speed.csv")]
    succeeded(command("scripts/bench.py", *arguments, "--models", "seq2seq", "--set", "experiment=smoke"))
    with (tmp_path / "speed.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["measure"] for row in rows} == {"training", "decoding", "starting", "serving"}
    assert all(float(row["here"]) > 0 and float(row["here ÷ there"]) > 0 for row in rows)


def test_mistakes_are_refused(tmp_path: Path) -> None:
    assert_refused("no measurement traning", bench.parse, ["traning"])
    assert_fails(command("scripts/bench.py", "--against", str(tmp_path)), "no checkout")
