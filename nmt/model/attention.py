"""Attention = score × alignment: from queries and encoder states to contexts and weights.

Shapes: B batch, T queries, S source positions, Q query size, H state size, A attention size, C context size;
with a score that has heads, K of them stand after B in keys, values, and the mask (as 1).
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from nmt.model.alignment import Alignment
from nmt.model.score import Score


class Memory(NamedTuple):
    """Projections of the encoder states, computed once per sentence."""

    values: Tensor  # (B, S, C)
    keys: Tensor  # (B, S, A)
    mask: Tensor  # (B, 1, S), True = real token


class Attended(NamedTuple):
    """The result of attention."""

    context: Tensor  # (B, T, C)
    weights: Tensor  # (B, T, S), the mean over heads where there are several
    state: tuple[Tensor, ...]  # of the alignment


class Attention(nn.Module):
    """c = Σ αᵢ hᵢ with α = alignment(score(s, h))."""

    def __init__(
        self, score: Callable[..., Score], alignment: Callable[..., Alignment], query_size: int, state_size: int
    ) -> None:
        super().__init__()
        self.score = score(query_size=query_size, state_size=state_size)
        assert not (self.score.has_heads and self.score.looks_back), "what has been attended to is a mean over heads"
        self.alignment = alignment(query_size=query_size)
        self.context_size = self.score.context_size

    def remember(self, states: Tensor, mask: Tensor) -> Memory:
        """Project the encoder states (B, S, H) once for all steps to come."""
        mask = mask.unsqueeze(1).unsqueeze(1) if self.score.has_heads else mask.unsqueeze(1)
        return Memory(self.score.values(states), self.score.keys(states), mask)

    def initial_state(self, memory: Memory) -> tuple[Tensor, ...]:
        """State before the first token: the alignment's, preceded by the sum of weights for a score that looks back."""
        state = self.alignment.initial_state(memory.mask)
        if not self.score.looks_back:
            return state
        wide = torch.promote_types(memory.values.dtype, torch.float32)  # bf16 would lose small weights in the sum
        return torch.zeros_like(memory.mask, dtype=wide), *state

    def forward(self, query: Tensor, memory: Memory, state: tuple[Tensor, ...]) -> Attended:
        """Contexts and weights of queries (B, T, Q)."""
        if not self.score.looks_back:
            return self._attend(query, memory, state)
        weights_so_far, *rest = state
        state = tuple(rest)
        steps: list[Attended] = []
        for one in query.split(1, dim=1):
            keys = self.score.look_back(memory.keys, weights_so_far)
            steps.append(self._attend(one, memory._replace(keys=keys), state))
            weights_so_far, state = weights_so_far + steps[-1].weights, steps[-1].state
        contexts, weights, _ = zip(*steps, strict=True)
        return Attended(torch.cat(contexts, dim=1), torch.cat(weights, dim=1), (weights_so_far, *state))

    def _attend(self, query: Tensor, memory: Memory, state: tuple[Tensor, ...]) -> Attended:
        energies = self.score(query, memory.keys)  # (B, T, S)
        if self.score.has_heads:
            query = query.unsqueeze(1)
        weights, state = self.alignment(energies, query, memory.mask, state)
        context = self.score.merge(weights @ memory.values)
        return Attended(context, weights.mean(dim=1) if self.score.has_heads else weights, state)
