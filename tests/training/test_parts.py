import math
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from nmt.config import TrainSettings
from nmt.special import PAD
from nmt.training import loss
from nmt.training.schedule import Constant, Cosine, InverseSqrt
from tests.conftest import assert_refused


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("limits", [None, (30, 70)], ids=["whole", "in pieces"])
def test_loss_equals_pytorchs_with_gradients(smoothing: float, limits: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if limits:  # 3 of 14 tokens a chunk, 7 a block
        monkeypatch.setattr(loss, "CHUNK", limits[0])
        monkeypatch.setattr(loss, "BLOCK", limits[1])
    output = nn.Linear(6, 10).double()
    readout = torch.randn(4, 5, 6, dtype=torch.float64, requires_grad=True)
    target = torch.randint(1, 10, (4, 5))
    target[0, 2:] = target[1, 2:] = PAD
    real = (target != PAD).flatten().nonzero().squeeze(1)
    sums = loss.token_loss(readout, target, real, output, smoothing)
    logits = output(readout)
    theirs = functional.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=PAD, reduction="sum", label_smoothing=smoothing
    )
    nll = functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD, reduction="sum")
    torch.testing.assert_close(sums.objective, theirs)
    torch.testing.assert_close(sums.nll, nll)
    assert int(sums.correct) == int((logits.argmax(-1) == target).flatten()[real].sum())
    inputs = [readout, *output.parameters()]
    ours = torch.autograd.grad(3 * sums.objective, inputs)
    for a, b in zip(ours, torch.autograd.grad(3 * theirs, inputs), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-12)


def test_the_loss_survives_huge_logits() -> None:
    output = nn.Linear(2, 3, bias=True)
    readout = torch.tensor([[[1e4, -1e4]]])
    sums = loss.token_loss(readout, torch.tensor([[1]]), torch.tensor([0]), output, 0.1)
    assert sums.objective.isfinite()
    assert torch.autograd.grad(sums.objective, output.weight)[0].isfinite().all()


def test_schedules() -> None:
    constant = Constant(total_steps=100, warmup_steps=4)
    assert [constant(step) for step in range(5)] == [0.25, 0.5, 0.75, 1.0, 1.0]
    inverse = InverseSqrt(total_steps=1000, warmup_steps=100)
    assert inverse(99) == 1.0
    assert inverse(399) == pytest.approx(0.5)
    cosine = Cosine(total_steps=100, warmup_steps=0, floor=0.1)
    assert cosine(0) == 1.0
    assert cosine(50) == pytest.approx(0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi / 2)))
    assert cosine(100) == pytest.approx(0.1)
    assert cosine(1000) == pytest.approx(0.1)
    assert Cosine(total_steps=10, warmup_steps=500)(4) == 1.0  # a long warm-up is cut to half the run


def test_teacher_forcing_moves_linearly() -> None:
    settings = TrainSettings(teacher_forcing=1.0, teacher_forcing_end=0.5, teacher_forcing_steps=100)
    assert [settings.teacher_forcing_at(step) for step in (0, 50, 100, 1000)] == [1.0, 0.75, 0.5, 0.5]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("batch_size", 0), ("max_minutes", -1.0), ("label_smoothing", 1.0), ("teacher_forcing", 1.5)),
        *(("clip_norm", -0.1), ("patience", 0)),
    ],
)
def test_impossible_settings_are_refused_by_name(name: str, value: float) -> None:
    assert_refused(rf"train\.{name}", TrainSettings, **{name: value})


def test_the_loss_in_half_precision_is_close_and_its_gradients_are_whole() -> None:
    output = nn.Linear(16, 50)
    readout, target, real = torch.randn(2, 9, 16), torch.randint(1, 50, (2, 9)), torch.arange(18)
    exact = loss.token_loss(readout, target, real, output, 0.1)
    rough = loss.token_loss(readout.bfloat16(), target, real, output, 0.1)
    assert rough.objective.dtype == torch.float32
    assert rough.objective.item() == pytest.approx(exact.objective.item(), rel=0.01)
    for a, b in zip(*(torch.autograd.grad(s.objective, output.parameters()) for s in (exact, rough)), strict=True):
        assert b.dtype == torch.float32
        assert (a - b).norm() < 0.02 * a.norm()
