"""Intermediate values of a decoder step by name ("energies", "context"), to be looked at or replaced from outside.

Classes call `mark` where they compute such a value. It costs nothing, unless a `Watch` is active in this thread.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

WEIGHTS = "weights"  # the mark whose values can be replaced

# New attention weights for those of some steps, (B, T, S) or (B, K, T, S), given the places of the steps.
Change: TypeAlias = Callable[[Tensor, slice], Tensor]


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
        looks: The attention weights of this call, a tensor for one step or several.
    """

    def __init__(self, change: Change | None = None) -> None:
        """Replace the attention weights of the decoder by what `change` makes of them."""
        self.marks: dict[str, Mark] = {}
        self.looks: list[Tensor] = []
        self._change = change
        self._step: int | None = None  # of the decoder; None while the encoder runs, which may have attention too

    def __enter__(self) -> Watch:
        self._token: Token[Watch | None] = _watch.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        _watch.reset(self._token)

    def begin(self) -> None:
        """Forget earlier marks; the next attention weights are those of the first step."""
        self.marks.clear()
        self.looks.clear()
        self._step = 0

    def mark(self, name: str, value: Tensor, dim: int | None, shared: bool) -> Tensor:
        """Record a value; returns what the model is to use in its place."""
        if name == WEIGHTS:
            self.marks["own_weights"] = Mark(value, dim)
            value = self._changed(value)
            self.looks.append(value)
        self.marks[name] = Mark(value, dim, shared)
        return value

    def _changed(self, weights: Tensor) -> Tensor:
        """The weights to use in place of the model's own."""
        if self._change is None or self._step is None:
            return weights.view(weights.shape)  # so that a captured graph has a node for them that can be replaced
        steps = slice(self._step, self._step + weights.size(-2))
        self._step = steps.stop
        return self._change(weights, steps)


def replace_by(given: Tensor) -> Change:
    """Replace weights by `given` (B, T, S), for all heads, or (B, T, K, S); NaN keeps the model's own."""

    def change(own: Tensor, steps: slice) -> Tensor:
        rows = like_weights(given[:, steps].to(own.dtype), own)
        return torch.where(rows.isnan(), own, rows)

    return change


def like_weights(rows: Tensor, weights: Tensor) -> Tensor:
    """Rows (B, T, S) or (B, T, K, S) in the order of dimensions that attention weights have, ready to broadcast."""
    if weights.dim() == 3:
        return rows
    return rows.unsqueeze(1) if rows.dim() == 3 else rows.transpose(1, 2)


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


def mark(name: str, value: Tensor, dim: int | None = None, shared: bool = False) -> Tensor:
    """Show a value, whose steps are along `dim`, to whoever watches; returns the value to go on with.

    A `shared` value has no batch: a parameter, or what is computed from parameters alone.
    """
    if torch.compiler.is_compiling():
        return value
    watch = _watch.get()
    return value if watch is None else watch.mark(name, value, dim, shared)


def mark_number(name: str, number: float) -> None:
    """Show a number that is the same for all sentences and steps; a tensor is made of it for a watch alone."""
    if not torch.compiler.is_compiling() and (watch := _watch.get()) is not None:
        watch.mark(name, torch.tensor([number]), None, shared=True)


def begin() -> None:
    """Tell whoever watches that the decoder starts on a new piece of work."""
    if not torch.compiler.is_compiling() and (watch := _watch.get()) is not None:
        watch.begin()
