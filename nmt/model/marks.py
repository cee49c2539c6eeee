"""Intermediate values of a decoder step by name ("energies", "context"), to be looked at or replaced from outside.

Classes call `mark` where they compute such a value. It costs nothing, unless a `Watch` is active in this thread.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import NamedTuple

import torch
from torch import Tensor

WEIGHTS = "weights"  # the mark whose values can be replaced


class Mark(NamedTuple):
    """A value that was marked."""

    value: Tensor
    dim: int | None  # its dimension that counts the steps, None if it has none
    shared: bool = False  # whether it is a parameter, the same for the whole batch

    def of_first(self) -> Tensor:
        """The value of the first sentence, at the only step."""
        if self.shared:
            return self.value
        return self.value[0] if self.dim is None else self.value.squeeze(self.dim)[0]


class Watch:
    """Collects the marks of the model that runs inside `with Watch() as watch`, and may replace its attention weights.

    Attributes:
        marks: The values by name, of the last call of the model's `encode`, `step` or `forward`.
    """

    def __init__(self, given: Tensor | None = None) -> None:
        """Replace attention weights by `given` (B, T, S), for all heads, or (B, T, K, S); NaN keeps the model's own."""
        self.marks: dict[str, Mark] = {}
        self._given = given
        self._step: int | None = None  # of the decoder; None while the encoder runs, which may have attention too

    def __enter__(self) -> Watch:
        self._token: Token[Watch | None] = _watch.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        _watch.reset(self._token)

    def begin(self) -> None:
        """Forget earlier marks; the next attention weights are those of the first step."""
        self.marks.clear()
        self._step = 0

    def mark(self, name: str, value: Tensor, dim: int | None, shared: bool) -> Tensor:
        """Record a value; returns what the model is to use in its place."""
        if name == WEIGHTS:
            self.marks["own_weights"] = Mark(value, dim)
            value = self._replaced(value)
        self.marks[name] = Mark(value, dim, shared)
        return value

    def _replaced(self, weights: Tensor) -> Tensor:
        """The weights (B, T, S) or (B, K, T, S) to use in place of the model's own."""
        if self._given is None or self._step is None:
            return weights.view(weights.shape)  # so that a captured graph has a node for them that can be replaced
        end = self._step + weights.size(-2)
        given = self._given[:, self._step : end].to(weights.dtype)
        self._step = end
        if weights.dim() == 4:
            given = given.unsqueeze(1) if given.dim() == 3 else given.transpose(1, 2)
        return torch.where(given.isnan(), weights, given)


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


def mark(name: str, value: Tensor, dim: int | None = None, shared: bool = False) -> Tensor:
    """Show a value, whose steps are along `dim`, to whoever watches; returns the value to go on with.

    A `shared` value has no batch: a parameter, or what is computed from parameters alone.
    """
    if torch.compiler.is_compiling():
        return value
    watch = _watch.get()
    return value if watch is None else watch.mark(name, value, dim, shared)


def begin() -> None:
    """Tell whoever watches that the decoder starts on a new piece of work."""
    if not torch.compiler.is_compiling() and (watch := _watch.get()) is not None:
        watch.begin()
