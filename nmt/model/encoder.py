"""Encoders: embedded source tokens → one state per token and a summary of the sentence.

Shapes: B batch, S source length, E embedding size, H output size (both directions together).
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.model.alignment import Soft
from nmt.model.attention import Attention
from nmt.model.cell import GRU
from nmt.model.dropout import SequenceDropout
from nmt.model.recurrence import Cell
from nmt.model.score import Score


class Encoded(NamedTuple):
    """A batch of encoded sentences."""

    states: Tensor  # (B, S, H), 0 on padding
    summary: Tensor  # (B, H): the last state of each direction
    mask: Tensor  # (B, S), True = real token


class RecurrentEncoder(nn.Module):
    """A recurrence, one- or two-directional: hᵢ = [→hᵢ; ←hᵢ] (Bahdanau 2015, section 3.2).

    Sentences are packed, so a backward layer starts at the last real token, never on padding.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,  # of one direction
        cell: Callable[..., Cell] = GRU,
        layers: int = 1,
        bidirectional: bool = True,
        dropout: float = 0.0,  # on states, between layers and on top
        normalise: bool = False,  # apply layer normalisation to the states (Ba 2016)
    ) -> None:
        super().__init__()
        self.rnn = cell(input_size, hidden_size, layers, dropout, bidirectional)
        self.dropout = SequenceDropout(dropout)
        self.directions = 2 if bidirectional else 1
        self.output_size = hidden_size * self.directions
        self.norm = nn.LayerNorm(self.output_size) if normalise else None

    def forward(self, embedded: Tensor, lengths: Tensor, mask: Tensor) -> Encoded:
        """Encode (B, S, E); `lengths` (B,) stay on the CPU, where packing reads them."""
        batch, width = mask.shape
        places, sizes, ranks = _packing(lengths, width, embedded.device)
        packed = embedded.flatten(0, 1).index_select(0, places)  # (N, E): real tokens only
        outputs, last = self.rnn.over_packed(packed, sizes)
        states = outputs.new_zeros(batch * width, self.output_size).index_copy(0, places, outputs)
        summary = torch.cat(tuple(last[-self.directions :]), dim=-1).index_select(0, ranks)  # top layer: (B, H)
        return self.finish(states.view(batch, width, -1), summary, mask)

    def finish(self, states: Tensor, summary: Tensor, mask: Tensor) -> Encoded:
        """Do what follows the recurrence, given its states (B, S, H), 0 on padding, and its last ones (B, H)."""
        if self.norm is not None:
            states = self.norm(states).to(states.dtype) * mask.unsqueeze(-1)  # autocast gives fp32
        return Encoded(self.dropout(states), self.dropout(summary), mask)


class SelfAttentiveEncoder(RecurrentEncoder):
    """A recurrent encoder whose states then look at each other, and whose summary looks at all of them.

    h̃ₜ = tanh(W[cₜ; hₜ]), cₜ = Σ αᵢ hᵢ, with α = softmax(e) and any score: hₜ'W hᵢ (general), v'tanh(W hᵢ)
    (feed_forward), K rows of V tanh(W H') (structured), scaled dot products with heads (multi_head).
    """

    def __init__(
        self,
        score: Callable[..., Score],
        input_size: int,
        hidden_size: int,
        cell: Callable[..., Cell] = GRU,
        layers: int = 1,
        bidirectional: bool = True,
        dropout: float = 0.0,
        normalise: bool = False,
    ) -> None:
        super().__init__(input_size, hidden_size, cell, layers, bidirectional, dropout, normalise)
        size = self.output_size
        self.attention = Attention(score, Soft, query_size=size, state_size=size)
        if self.attention.score.looks_back:
            raise UserError("Coverage sums the weights of a decoder's steps: it is no score for an encoder.")
        self.combine = nn.Linear(self.attention.context_size + size, size, bias=False)

    def finish(self, states: Tensor, summary: Tensor, mask: Tensor) -> Encoded:
        states, summary, mask = super().finish(states, summary, mask)
        queries = torch.cat([states, summary.unsqueeze(1)], dim=1)  # (B, S + 1, H)
        memory = self.attention.remember(states, mask)
        attended = self.attention(queries, memory, self.attention.initial_state(memory))
        combined = torch.tanh(self.combine(torch.cat([attended.context, queries], dim=-1)))
        states, summary = combined[:, :-1], combined[:, -1]
        return Encoded(self.dropout(states * mask.unsqueeze(-1)), self.dropout(summary), mask)


def _packing(lengths: Tensor, width: int, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Pack a padded batch without waiting for the GPU, which PyTorch's own packing does.

    Returns:
        Flat indices into (B, S) of the real tokens, step by step, longest sentence first (N,); the number of sentences
        at each step, on the CPU; and the rank of each sentence by length (B,).
    """
    order = lengths.argsort(descending=True, stable=True)
    running = torch.arange(width).unsqueeze(1) < lengths[order]  # (S, B)
    steps, rows = running.nonzero(as_tuple=True)
    places, ranks = order[rows] * width + steps, order.argsort()
    if device.type == "cuda":
        places, ranks = places.pin_memory(), ranks.pin_memory()
    sizes = running.sum(dim=1)
    return places.to(device, non_blocking=True), sizes[sizes > 0], ranks.to(device, non_blocking=True)
