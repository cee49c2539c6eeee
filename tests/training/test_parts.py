from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from nmt.config import TrainSettings
from nmt.errors import UserError
from nmt.special import PAD
from nmt.training.loss import token_loss
from nmt.training.schedule import Constant, Cosine, InverseSqrt


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_loss_equals_pytorchs(smoothing: float) -> None:
    logits = torch.randn(3, 5, 11, dtype=torch.float64)
    target = torch.randint(1, 11, (3, 5))
    target[0, 2:] = PAD
    sums = token_loss(logits, target, smoothing)
    flat = logits.float().flatten(0, 1), target.flatten()
    for ours, label_smoothing in ((sums.objective, smoothing), (sums.nll, 0.0)):
        theirs = functional.cross_entropy(*flat, ignore_index=PAD, reduction="sum", label_smoothing=label_smoothing)
        torch.testing.assert_close(ours, theirs)
    real = target != PAD
    assert int(sums.correct) == int((logits.argmax(-1)[real] == target[real]).sum())


def test_padding_adds_nothing_to_the_loss() -> None:
    logits, target = torch.randn(2, 4, 9), torch.randint(1, 9, (2, 4))
    longer = torch.cat([logits, torch.randn(2, 3, 9)], dim=1)
    padded = torch.cat([target, torch.full((2, 3), PAD)], dim=1)
    for a, b in zip(token_loss(logits, target, 0.1), token_loss(longer, padded, 0.1), strict=True):
        torch.testing.assert_close(a, b)


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


def test_a_long_warm_up_is_cut_to_half_the_run() -> None:
    assert Cosine(total_steps=10, warmup_steps=500)(4) == 1.0


def test_teacher_forcing_moves_linearly() -> None:
    settings = TrainSettings(teacher_forcing=1.0, teacher_forcing_end=0.5, teacher_forcing_steps=100)
    assert [settings.teacher_forcing_at(step) for step in (0, 50, 100, 1000)] == [1.0, 0.75, 0.5, 0.5]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("batch_size", 0),
        ("max_minutes", -1.0),
        ("label_smoothing", 1.0),
        ("teacher_forcing", 1.5),
        ("clip_norm", -0.1),
        ("patience", 0),
    ],
)
def test_impossible_settings_are_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(UserError, match=rf"train\.{name}"):
        TrainSettings(**{name: value})


def test_training_needs_an_end() -> None:
    with pytest.raises(UserError, match=r"train\.max_epochs or train\.max_steps"):
        TrainSettings(max_epochs=None)
