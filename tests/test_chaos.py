"""Some of `make chaos`: training is killed, stopped or meets a full disk, goes on, and ends with the same bytes."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize("every", [90, pytest.param(20, marks=pytest.mark.slow)])
def test_training_goes_on_to_the_same_bytes_wherever_it_ends(every: int) -> None:
    command = [sys.executable, "-m", "tests.chaos", "--every", str(every)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("equal bytes") >= 3
