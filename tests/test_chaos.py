"""Some of `make chaos`: training is killed, stopped or meets a full disk, goes on, and ends with the same bytes."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT

ALL = ["--every", "20"]


@pytest.mark.parametrize(
    "some", [["--every", "90", "--fates", "kill", "full"], pytest.param(ALL, marks=pytest.mark.slow)]
)
def test_training_goes_on_to_the_same_bytes_wherever_it_ends(some: list[str]) -> None:
    command = [sys.executable, "-m", "tests.chaos", *some]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("equal bytes") >= 2
