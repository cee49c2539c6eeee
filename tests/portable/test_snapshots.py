"""Snapshots through training: which are kept, what they hold, and that resuming keeps them (`train.keep`)."""

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from nmt.portable import file
from nmt.portable.snapshots import Snapshots, kept_steps, thinned
from nmt.portable.translator import PortableTranslator
from nmt.run import OpenRun, Run
from nmt.translator import Translator
from tests.commands import Finished, command, process, succeeded, train_arguments, translate
from tests.conftest import ROOT
from tests.portable.models import portable_of
from tests.training.toys import resumed, toy_trainer, trained


@pytest.mark.parametrize("most", [2, 3, 5, 8, 13])
def test_what_is_kept_lies_evenly(most: int) -> None:
    kept: list[int] = []
    for number, step in enumerate(range(0, 10_000, 100), start=1):
        kept = thinned([*kept, step], most)
        assert kept == thinned(kept, most)  # when a step is repeated after a resume
        assert (kept[0], kept[-1]) == (0, step)
        assert min(number, most // 2 + 1) <= len(kept) <= most
        gaps = [after - before for before, after in pairwise(kept)]
        assert len({*gaps[:-1]}) <= 1
        assert not gaps[:-1] or gaps[-1] <= gaps[0]
    assert thinned([1, 2, 3], 1) == [3]
    assert thinned([1, 2, 3], 9) == [1, 2, 3]


@pytest.fixture
def run(tmp_path: Path) -> OpenRun:
    shutil.copytree(ROOT / "tests/fixtures/run-2/run", tmp_path / "run")
    return Run.open(tmp_path / "run")


def test_a_snapshot_is_the_model_of_its_step(run: OpenRun) -> None:
    translator = Translator.load(run, "cpu")
    keep = Snapshots(run, translator, 3)
    for step in (0, 5, 10, 15, 20):
        with torch.no_grad():
            translator.model.output.bias += 0.1 * torch.randn(translator.model.output.bias.shape)
        keep(step)
    assert kept_steps(run.snapshots) == [0, 10, 20]
    last, first = (PortableTranslator.load(run.snapshots / f"step-000000{step}.nmt") for step in ("20", "00"))
    text = "I see a cat."
    expected = portable_of(translator, int8=True).translate(text)[0]
    assert (last.checkpoint, last.identity) == ("step-00000020", run.identity)
    assert last.translate(text)[0].score == pytest.approx(expected.score)
    assert first.translate(text)[0].score != pytest.approx(expected.score)
    keep(15)  # after a resume from an earlier step
    assert kept_steps(run.snapshots) == [0, 10, 15]
    assert sum(path.stat().st_size for path in run.snapshots.iterdir()) < 3.5 * run.test_set.stat().st_size + 2**20
    verified = succeeded(command("scripts/verify_run.py", str(run.directory))).stdout
    assert "ok      snapshots/step-00000015.nmt" in verified
    (run.snapshots / "step-00000015.nmt").write_bytes(b"")
    assert "FAILED  snapshots/step-00000015.nmt" in command("scripts/verify_run.py", str(run.directory)).stdout


OPTIONS: dict[str, Any] = {"max_steps": 12, "validate_every": 4, "average_decay": 0.9, "dropout": 0.2}


def kept_in_training(directory: Path, make: Any = toy_trainer, **options: Any) -> list[tuple[int, bytes]]:
    """Steps and weights that a trainer keeps; the model is in evaluation mode."""
    seen: list[tuple[int, bytes]] = []
    trainer = make(directory, **OPTIONS | options)

    def keep(step: int) -> None:
        assert not trainer.model.training
        seen.append((step, trainer.model.output.weight.detach().numpy().tobytes()))

    trainer.keep = keep
    trainer.fit()
    return seen


def test_the_trainer_keeps_at_validations_and_resuming_changes_nothing(tmp_path: Path) -> None:
    seen = kept_in_training(tmp_path / "whole")
    assert [step for step, _ in seen] == [0, 4, 8, 12]
    assert kept_in_training(tmp_path / "parts", max_steps=8) + kept_in_training(tmp_path / "parts", resumed) == seen
    plain, last = trained(tmp_path / "plain", **OPTIONS), resumed(tmp_path / "whole", **OPTIONS)
    assert torch.equal(plain.model.output.weight, last.model.output.weight)  # keeping changes nothing in training


@pytest.mark.slow
def test_training_keeps_snapshots(finished: Finished, tmp_path: Path) -> None:
    arguments = [each for each in train_arguments(tmp_path) if not each.startswith("run_dir=")]
    done = process("train.py", *arguments, f"run_dir={tmp_path / 'kept'}", "train.keep=2")
    assert done.returncode == 0, done.stderr
    steps = kept_steps(Run(tmp_path / "kept").snapshots)
    assert steps[0] == 0
    assert len(steps) == 2
    paths = [tmp_path / f"kept/snapshots/step-{step:08d}.nmt" for step in steps]
    assert len({succeeded(translate(path, "I see a cat.")).stdout for path in paths}) == 2
    weights = load_file(tmp_path / f"kept/checkpoints/step-{steps[-1]:08d}/model.safetensors")["output.bias"]
    for path, same in zip(paths, (False, True), strict=True):
        assert np.array_equal(file.read(path)[0]["output.bias"], weights) == same
