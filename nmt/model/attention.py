"""Attention = score × alignment: from queries and encoder states to contexts and weights.

Shapes: B batch, T queries, S source positions, Q query size, H state size, A attention size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor, nn

from nmt.model.alignment import Alignment
from nmt.model.kernels import PLAIN, Products
from nmt.model.score import Score


class Memory(NamedTuple):
    """What the decoder may look at: fixed for a sentence, computed once, passed along."""

    states: Tensor  # (B, S, H)
    keys: Tensor  # (B, S, A)
    mask: Tensor  # (B, S), True = real token


class Attended(NamedTuple):
    """What one look at the source gives."""

    context: Tensor  # (B, T, H)
    weights: Tensor  # (B, T, S)
    state: tuple[Tensor, ...]  # of the alignment


class Attention(nn.Module):
    """c = Σ αᵢ hᵢ with α = alignment(score(s, h))."""

    def __init__(
        self,
        score: Callable[..., Score],
        alignment: Callable[..., Alignment],
        query_size: int,
        state_size: int,
    ) -> None:
        super().__init__()
        self.score = score(query_size=query_size, state_size=state_size)
        self.alignment = alignment(query_size=query_size)

    def remember(self, states: Tensor, mask: Tensor) -> Memory:
        """Project the encoder states once for all steps to come."""
        return Memory(states, self.score.keys(states), mask)

    def initial_state(self, memory: Memory) -> tuple[Tensor, ...]:
        """The alignment's state before the first target token."""
        return self.alignment.initial_state(memory.mask)

    def forward(self, query: Tensor, memory: Memory, state: tuple[Tensor, ...], products: Products = PLAIN) -> Attended:
        """Look at the source with queries (B, T, Q)."""
        energies = self.score(query, memory.keys, products)  # (B, T, S)
        weights, state = self.alignment(energies, query, memory.mask, state)
        return Attended(products.weigh(weights, memory.states), weights, state)
