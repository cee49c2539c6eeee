"""A moving average of the weights, which translates better than the last of them (Polyak 1992)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

_PREFIX = "weights."  # of the tensors in a checkpoint


class WeightAverage:
    """w̄ ← d·w̄ + (1 − d)·w after every update, with a shorter memory at first: d = min(decay, (1 + t) / (10 + t)).

    With a decay of 0 it is the weights themselves, and costs nothing.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self._names = [name for name, _ in model.named_parameters()]
        self._weights = [parameter.detach() for parameter in model.parameters()]
        self._averages = [weight.clone() for weight in self._weights] if decay else []

    def update(self, step: int) -> None:
        """Take in the weights after update number `step`, counted from 0."""
        if self.decay:
            decay = min(self.decay, (1 + step) / (10 + step))
            torch._foreach_lerp_(self._averages, self._weights, 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The model has the averages for its weights while this lasts."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    def tensors(self) -> dict[str, Tensor]:
        """A copy of the weights that training goes on with, to be saved beside a model that has the averages."""
        if not self.decay:
            return {}
        return {_PREFIX + name: weight.clone() for name, weight in zip(self._names, self._weights, strict=True)}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Begin again from a model as it was saved, and the `tensors` that were saved beside it.

        The decay may have been 0 then, or be 0 now: without tensors the model has the weights themselves.
        """
        if self.decay:
            torch._foreach_copy_(self._averages, self._weights)
        if not any(name.startswith(_PREFIX) for name in tensors):
            return
        saved = [tensors[_PREFIX + name] for name in self._names]
        if any(old.shape != new.shape for old, new in zip(self._weights, saved, strict=True)):
            raise ValueError("its weights are of another shape")
        for weight, value in zip(self._weights, saved, strict=True):
            weight.copy_(value)

    def _swap(self) -> None:
        if self.decay:
            kept = [weight.clone() for weight in self._weights]
            torch._foreach_copy_(self._weights, self._averages)
            torch._foreach_copy_(self._averages, kept)
