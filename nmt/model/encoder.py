"""Encoders: embedded source tokens → one state per token and a summary of the sentence.

Shapes: B batch, S source length, E embedding size, H output size (both directions together).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from nmt.model.recurrence import Cell, make_rnn, run_packed


class Encoded(NamedTuple):
    """A batch of sentences as the decoder sees it."""

    states: Tensor  # (B, S, H), 0 on padding
    summary: Tensor  # (B, H): the last state of each direction
    mask: Tensor  # (B, S), True = real token


class RecurrentEncoder(nn.Module):
    """GRU or LSTM, one- or two-directional: hᵢ = [→hᵢ; ←hᵢ] (Bahdanau 2015, section 3.2).

    Sentences are packed, so a backward layer starts at the last real token, never on padding.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        cell: Cell = "gru",
        layers: int = 1,
        bidirectional: bool = True,
        dropout: float = 0.0,
    ) -> None:
        """Build it; `hidden_size` is that of one direction, `dropout` acts on states, between layers and on top."""
        super().__init__()
        self.rnn = make_rnn(cell, input_size, hidden_size, layers, dropout, bidirectional)
        self.dropout = nn.Dropout(dropout)
        self.directions = 2 if bidirectional else 1
        self.output_size = hidden_size * self.directions

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> Encoded:
        """Encode (B, S, E); `lengths` (B,) stay on the CPU, where packing reads them without a wait."""
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        outputs, last = run_packed(self.rnn, packed)
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=embedded.size(1))
        summary = torch.cat(tuple(last[-self.directions :]), dim=-1)  # top layer: (B, H)
        return Encoded(self.dropout(states), self.dropout(summary), mask)
