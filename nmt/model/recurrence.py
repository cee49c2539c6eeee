"""Stacks of GRU or LSTM layers whose state is a tuple of batch-first tensors.

Shapes: B batch, T steps, I input size, H hidden size, L layers.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

Cell = Literal["gru", "lstm"]
RecurrentState = tuple[Tensor, ...]  # (h,) of a GRU or (h, c) of an LSTM, each (B, L, H)


def make_rnn(
    cell: Cell, input_size: int, hidden_size: int, layers: int, dropout: float, bidirectional: bool = False
) -> nn.GRU | nn.LSTM:
    """A batch-first `nn.GRU` or `nn.LSTM`; dropout acts between layers only, so one layer has none."""
    kind = {"gru": nn.GRU, "lstm": nn.LSTM}[cell]
    between = dropout if layers > 1 else 0.0
    return kind(input_size, hidden_size, layers, batch_first=True, dropout=between, bidirectional=bidirectional)


class Recurrence(nn.Module):
    """The decoder's recurrence: sₜ = f(xₜ, sₜ₋₁), over a whole sequence or one step at a time."""

    def __init__(self, cell: Cell, input_size: int, hidden_size: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.rnn = make_rnn(cell, input_size, hidden_size, layers, dropout)

    def forward(self, inputs: Tensor, state: RecurrentState) -> tuple[Tensor, RecurrentState]:
        """Run over (B, T, I); gives the top layer's outputs (B, T, H) and the state after the last step."""
        layers_first = tuple(part.transpose(0, 1).contiguous() for part in state)
        if isinstance(self.rnn, nn.LSTM):
            outputs, after = self.rnn(inputs, layers_first)
        else:
            outputs, hidden = self.rnn(inputs, layers_first[0])
            after = (hidden,)
        return outputs, tuple(part.transpose(0, 1) for part in after)


class Bridge(nn.Module):
    """s₀ = tanh(W h): the decoder's first state, from the encoder's summary of the sentence (B, F)."""

    def __init__(self, cell: Cell, summary_size: int, hidden_size: int, layers: int) -> None:
        super().__init__()
        self.parts = 2 if cell == "lstm" else 1
        self.layers = layers
        self.project = nn.Linear(summary_size, self.parts * layers * hidden_size)

    def forward(self, summary: Tensor) -> RecurrentState:
        state = torch.tanh(self.project(summary)).unflatten(-1, (self.parts, self.layers, -1))
        return tuple(state.unbind(dim=1))  # parts × (B, L, H)
