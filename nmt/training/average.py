"""Exponential moving average of the weights, which translates better than the last weights (Polyak 1992)."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

_PREFIX = "weights."  # of the tensors in a checkpoint


class WeightAverage:
    """w̄ ← d·w̄ + (1 − d)·w after every update, with a smaller decay at first: d = min(decay, (1 + t) / (10 + t)).

    A decay of 0 switches it off.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self._names = [name for name, _ in model.named_parameters()]
        self._weights = [parameter.detach() for parameter in model.parameters()]
        self._averages = [weight.clone() for weight in self._weights] if decay else []

    def update(self, step: int) -> None:
        """Average in the weights after update number `step`, counted from 0."""
        if self.decay:
            decay = min(self.decay, (1 + step) / (10 + step))
            torch._foreach_lerp_(self._averages, self._weights, 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Swap the averages into the model, and back at the end."""
        kept = [weight.clone() for weight in self._weights] if self.decay else []
        if self.decay:
            torch._foreach_copy_(self._weights, self._averages)
        try:
            yield
        finally:
            if self.decay:
                torch._foreach_copy_(self._weights, kept)

    def tensors(self) -> dict[str, Tensor]:
        """Copies of the weights themselves, to be saved beside a model that holds the averages."""
        if not self.decay:
            return {}
        return {_PREFIX + name: weight.clone() for name, weight in zip(self._names, self._weights, strict=True)}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore averages and weights from a model that holds the averages and from the saved `tensors`.

        The decay may have changed: if it was 0, there are no such tensors and the model holds the weights.
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
