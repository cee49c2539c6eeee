"""Alignments e → α: which source positions receive weight, and how it is normalised.

Shapes: B batch, T queries, S source positions, Q query size.
An alignment may carry a state from step to step (a counter, a running sum): a tuple of tensors with the batch
first, empty for those that need none. Whatever a member does, its weights are ≥ 0, sum to 1 over the real
tokens of each sentence and are exactly 0 on padding.
"""

from __future__ import annotations

from torch import Tensor, nn


class Alignment(nn.Module):
    """Base of all alignments."""

    def initial_state(self, mask: Tensor) -> tuple[Tensor, ...]:
        """State before the first target token, for sentences with this mask (B, S)."""
        return ()

    def forward(
        self, energies: Tensor, query: Tensor, mask: Tensor, state: tuple[Tensor, ...]
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Weights (B, T, S) for energies (B, T, S) of queries (B, T, Q), and the state after them."""
        raise NotImplementedError(f"{type(self).__name__} defines no formula")


class Soft(Alignment):
    """α = softmax(e) over the real tokens (Bahdanau 2015, eq. 6; Luong's "global")."""

    def __init__(self, query_size: int) -> None:
        super().__init__()

    def forward(
        self, energies: Tensor, query: Tensor, mask: Tensor, state: tuple[Tensor, ...]
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        return masked_softmax(energies, mask), state


def masked_softmax(energies: Tensor, mask: Tensor) -> Tensor:
    """Softmax of (B, T, S) over the positions where mask (B, S) is True; exactly 0 elsewhere."""
    return energies.masked_fill(~mask.unsqueeze(1), float("-inf")).softmax(dim=-1)
