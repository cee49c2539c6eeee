"""The moving average of the weights; test_resume.py resumes with one."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from nmt.training.average import WeightAverage
from nmt.training.checkpoint import MODEL
from nmt.training.monitor import Validation
from tests.training.toys import resumed, trained


def test_the_average_follows_its_formula_and_steps_aside() -> None:
    model = nn.Linear(3, 2).double()
    average = WeightAverage(model, decay=0.5)
    expected = model.weight.detach().clone()
    for step in range(30):
        model.weight.data += step
        average.update(step)
        decay = min(0.5, (1 + step) / (10 + step))
        expected = decay * expected + (1 - decay) * model.weight.detach()
    weights = model.weight.detach().clone()
    with average.in_place():
        torch.testing.assert_close(model.weight.detach(), expected)
    assert torch.equal(model.weight.detach(), weights)


def test_the_average_is_what_is_validated_and_kept(tmp_path: Path) -> None:
    seen: list[torch.Tensor] = []

    def validate(model: Any) -> Validation:
        seen.append(model.output.bias.detach().clone())
        return Validation({"bleu": 0.0, "loss": 0.0}, [], {})

    trainer = trained(tmp_path, dropout=0.3, max_steps=8, average_decay=0.9, validate=validate)
    kept = load_file(trainer.checkpoints.path(8) / MODEL)
    assert torch.equal(kept["output.bias"], seen[-1])
    assert not torch.equal(trainer.model.output.bias.detach(), seen[-1])


@pytest.mark.parametrize(("before", "after"), [(0.0, 0.9), (0.9, 0.0), (0.9, 0.5)])
def test_the_decay_may_change_when_a_run_is_resumed(tmp_path: Path, before: float, after: float) -> None:
    first = trained(tmp_path, dropout=0.3, max_steps=5, average_decay=before)
    second = resumed(tmp_path, dropout=0.3, max_steps=9, average_decay=after, seed=2)
    for one, other in zip(first.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(one, other)  # training goes on with the weights, whatever was averaged
    second.fit()
    assert second.state.step == 9
