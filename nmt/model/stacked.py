"""A wiring with the attention between two recurrences, each of which runs over all steps at once.

Shapes: B batch, T target length, E embedding size, D decoder state size, R readout size, L layers.
"""

from typing import Any

import torch
from torch import Tensor, nn

from nmt.model.decoder import AttentiveDecoder, Bridge, Parts, Readout, ReadoutKind, State, Unrolled


class StackedDecoder(AttentiveDecoder):
    """A first recurrence asks, a second one reads the answers (after Wu 2016, whose first layer asks for all others).

    qₜ = f(yₜ₋₁, qₜ₋₁), cₜ = attend(qₜ), sₜ = g([qₜ; cₜ], sₜ₋₁), readout(sₜ, yₜ₋₁, cₜ). What has been read is
    recurrent, as with input feeding, and still each part runs over all T steps at once, as without it.
    Normalised, the readout sees LayerNorm(sₜ + qₜ) in the place of sₜ (Ba 2016).
    """

    def __init__(
        self,
        parts: Parts,
        hidden_size: int,
        layers: int = 1,  # of the second recurrence
        readout: ReadoutKind = "maxout",
        normalise: bool = False,
    ) -> None:
        super().__init__(parts, hidden_size)
        context_size = self.attention.context_size
        asking = parts.cell(parts.input_size, hidden_size, 1, parts.dropout)
        self.bridge = Bridge(asking.parts, parts.source_size, hidden_size, 1 + layers)
        self.asking = asking
        self.reading = parts.cell(hidden_size + context_size, hidden_size, layers, parts.dropout)
        self.readout = Readout(hidden_size + parts.input_size + context_size, parts.readout_size, readout)
        self.norm = nn.LayerNorm(hidden_size) if normalise else None

    def unroll(self, embedded: Tensor, memory: Any, state: State) -> Unrolled:
        first, rest = (tuple(part[:, layers] for part in state.recurrent) for layers in (slice(1), slice(1, None)))
        queries, first = self.asking.over(embedded, first)
        attended = self.attention(queries, memory, state.alignment)
        seen = torch.cat([self.dropout(queries), attended.context], dim=-1)
        outputs, rest = self.reading.over(seen, rest)
        if self.norm is not None:
            outputs = self.norm(outputs + queries)
        readout = self.readout(self.dropout(outputs), embedded, attended.context)
        recurrent = tuple(torch.cat(parts, dim=1) for parts in zip(first, rest, strict=True))
        return Unrolled(readout, attended.weights, State(recurrent, attended.state))
