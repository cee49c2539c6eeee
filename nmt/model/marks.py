"""Intermediate values of a decoder step by name ("energies", "context"), for whoever looks at them from outside.

Classes call `mark` where they compute a value that no module returns. It costs nothing, unless `recorded` is active in
this thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

if TYPE_CHECKING:
    from nmt.model.attention import Attention


class Mark(NamedTuple):
    """A value that was marked."""

    value: Tensor
    dim: int | None  # its dimension that counts the steps, None if it has none


_marks: ContextVar[dict[str, Mark] | None] = ContextVar("marks", default=None)


@contextmanager
def recorded() -> Iterator[dict[str, Mark]]:
    """Record the marks of the model that runs inside."""
    marks: dict[str, Mark] = {}
    token = _marks.set(marks)
    try:
        yield marks
    finally:
        _marks.reset(token)


def mark(name: str, value: Tensor, dim: int | None = None) -> Tensor:
    """Record a value, whose steps are along `dim`; returns it."""
    if not torch.compiler.is_compiling() and (marks := _marks.get()) is not None:
        marks[name] = Mark(value, dim)
    return value


def mark_number(name: str, number: float) -> None:
    """Record a number that is the same for all sentences and steps."""
    if not torch.compiler.is_compiling() and _marks.get() is not None:
        mark(name, torch.tensor([number]))


@contextmanager
def marked(attention: Attention) -> Iterator[None]:
    """Mark the query, energies, weights and context of an attention (`nmt.model.attention`) that runs inside."""

    def scored(_: Any, inputs: tuple[Any, ...], energies: Tensor) -> None:
        mark("query", inputs[0], 1)
        mark("energies", energies, -2)

    def aligned(_: Any, __: Any, output: tuple[Tensor, Any]) -> tuple[Tensor, Any]:
        own, state = output
        mark("own_weights", own, -2)
        return mark("weights", own.view(own.shape), -2), state  # two nodes of a captured graph: one can be replaced

    def attended(_: Any, __: Any, output: Any) -> None:
        mark("context", output.context, 1)

    handles = [
        attention.score.register_forward_hook(scored),
        attention.alignment.register_forward_hook(aligned),
        attention.register_forward_hook(attended),
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
