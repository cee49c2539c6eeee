"""The moving average of the weights."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from nmt.training.average import WeightAverage
from tests.training.toys import COPY, DROPOUT, make_trainer, settings, toy_store


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


def test_without_decay_there_is_no_average() -> None:
    model = nn.Linear(3, 2)
    average = WeightAverage(model, decay=0.0)
    model.weight.data += 1
    average.update(0)
    weights = model.weight.detach().clone()
    with average.in_place():
        assert torch.equal(model.weight.detach(), weights)
    assert average.tensors() == {}


def test_resuming_is_exact_with_an_average(tmp_path: Path) -> None:
    store = toy_store(60, COPY)
    whole = make_trainer(tmp_path / "a", store, settings(max_steps=12, save_every=5, average_decay=0.9), *DROPOUT)
    whole.fit()
    first = make_trainer(tmp_path / "b", store, settings(max_steps=5, save_every=5, average_decay=0.9), *DROPOUT)
    first.fit()
    second = make_trainer(
        tmp_path / "b", store, settings(max_steps=12, save_every=5, average_decay=0.9), *DROPOUT, seed=1
    )
    second.restore()
    second.fit()
    for one, other in zip(whole.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(one, other)
    names = ("model.safetensors", "training.safetensors")
    ends = [[(tmp_path / run / "checkpoints" / "step-00000012" / name).read_bytes() for name in names] for run in "ab"]
    assert ends[0] == ends[1]


def test_the_average_is_what_is_validated_and_kept(tmp_path: Path) -> None:
    seen: list[torch.Tensor] = []

    def validate(model: Any) -> Any:
        from nmt.training.monitor import Validation

        seen.append(model.output.bias.detach().clone())
        return Validation({"bleu": 0.0, "loss": 0.0}, [], {})

    trainer = make_trainer(
        tmp_path, toy_store(60, COPY), settings(max_steps=8, average_decay=0.9), *DROPOUT, validate=validate
    )
    trainer.fit()
    from safetensors.torch import load_file

    kept = load_file(tmp_path / "checkpoints" / "step-00000008" / "model.safetensors")
    assert torch.equal(kept["output.bias"], seen[-1])
    assert not torch.equal(trainer.model.output.bias.detach(), seen[-1])


@pytest.mark.parametrize(("before", "after"), [(0.0, 0.9), (0.9, 0.0), (0.9, 0.5)])
def test_the_decay_may_change_when_a_run_is_resumed(tmp_path: Path, before: float, after: float) -> None:
    store = toy_store(60, COPY)
    first = make_trainer(tmp_path, store, settings(max_steps=5, average_decay=before), *DROPOUT)
    first.fit()
    second = make_trainer(tmp_path, store, settings(max_steps=9, average_decay=after), *DROPOUT, seed=2)
    second.restore()
    for one, other in zip(first.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(one, other)  # training goes on with the weights, whatever was averaged
    second.fit()
    assert second.state.step == 9
