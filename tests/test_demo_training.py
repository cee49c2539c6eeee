"""The whole way at its real size: minutes, so `make test-full` only."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow


def typed(*arguments: str) -> str:
    """What a command prints."""
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("demo") / "run"
    typed("train.py", f"run_dir={directory}")
    return directory


def test_the_default_model_learns_the_demo_corpus(run: Path) -> None:
    scores = json.loads((run / "eval/scores.json").read_text())
    assert scores["bleu"]["value"] > 90
    assert typed("translate.py", "--run", str(run), "They are watching.") == "Ils regardent.\n"


def test_compiled_training_runs(tmp_path: Path) -> None:
    typed("train.py", "experiment=smoke", "train.compile=true", "train.max_steps=4", f"run_dir={tmp_path / 'run'}")
    assert (tmp_path / "run/finished.json").is_file()
