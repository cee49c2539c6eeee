"""Capturing a PyTorch model: whatever cannot be captured is refused, never computed wrongly."""

from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.model import score
from nmt.portable.builder import NotPortable
from nmt.portable.export import graphs
from tests.conftest import tiny_model


def test_random_numbers_and_weights_stay_as_they_are() -> None:
    model = tiny_model("model=bahdanau").eval()
    before, state = [parameter.clone() for parameter in model.parameters()], torch.get_rng_state()
    first, second = graphs(model), graphs(model)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(map(torch.equal, before, model.parameters()))
    assert first[0] == second[0]  # the same model gives the same file
    assert all(torch.equal(first[1][name], second[1][name]) for name in second[1])


def by_value(energies: Tensor) -> Tensor:
    return energies + 1 if float(energies.sum()) > 0 else energies


def by_length(energies: Tensor) -> Tensor:
    for _ in range(energies.size(-1)):
        energies = energies * 0.9
    return energies


def through_a_view(energies: Tensor) -> Tensor:
    energies = energies.clone()
    energies[..., 0] = 5.0
    return energies


def rounded_down(energies: Tensor) -> Tensor:
    return torch.div(energies, 0.3, rounding_mode="floor")


def broken(energies: Tensor) -> Tensor:
    raise KeyError("not when it is captured")


@pytest.mark.parametrize("odd", [by_value, by_length, through_a_view, rounded_down, broken])
def test_what_cannot_be_captured_is_refused(odd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model("model=bahdanau").eval()
    plain = score.Additive.forward
    monkeypatch.setattr(score.Additive, "forward", lambda self, query, keys: odd(plain(self, query, keys)))
    with pytest.raises(NotPortable):
        graphs(model)
