"""The whole way at its real size: minutes, so `make test-full` only."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("demo") / "run"
    subprocess.run([sys.executable, "train.py", f"run_dir={directory}"], cwd=ROOT, check=True)
    return directory


def test_the_default_model_learns_the_demo_corpus(run: Path) -> None:
    scores = json.loads((run / "eval/scores.json").read_text())
    assert scores["bleu"]["value"] > 90
    done = subprocess.run(
        [sys.executable, "translate.py", "--run", str(run), "They are watching."],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == "Ils regardent.\n"


def test_one_sentence_from_a_cold_start(run: Path) -> None:
    done = subprocess.run(
        [sys.executable, "scripts/bench_start.py", "--run", str(run)],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert float(done.stdout.split()[-1]) <= 1.4, done.stdout


def test_compiled_training_runs(tmp_path: Path) -> None:
    arguments = ["experiment=smoke", "train.compile=true", "train.max_steps=4", f"run_dir={tmp_path / 'run'}"]
    subprocess.run([sys.executable, "train.py", *arguments], cwd=ROOT, check=True)
    assert (tmp_path / "run/finished.json").is_file()
