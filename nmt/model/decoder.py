"""Wirings: when a decoder computes attention, and how it uses the context.

Shapes: B batch, T target length, S source length, E embedding size, H encoder state size, D decoder state
size, R readout size, L layers.
A decoder is one function, `unroll`: it runs over T embedded tokens from a given state, so that a teacher-forced
pass (T tokens) and a step of a search (T = 1) are the same code.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.model.alignment import Alignment
from nmt.model.attention import Attended, Attention
from nmt.model.dropout import SequenceDropout
from nmt.model.encoder import Encoded
from nmt.model.recurrence import Cell, by_layer, from_layers
from nmt.model.recurrence import State as RecurrentState
from nmt.model.score import Score


class State(NamedTuple):
    """What a decoder carries from token to token; every tensor has the batch first."""

    recurrent: RecurrentState
    alignment: tuple[Tensor, ...] = ()
    feed: tuple[Tensor, ...] = ()  # Luong's last attentional vector (B, R), with input feeding


class Unrolled(NamedTuple):
    """The output of a run over T tokens."""

    readout: Tensor  # (B, T, R), ready for the output layer
    weights: Tensor | None  # (B, T, S), None without attention
    state: State


class Parts(NamedTuple):
    """What the model passes to its decoder, whose other arguments come from the configuration."""

    input_size: int
    source_size: int
    readout_size: int
    dropout: float
    cell: Callable[..., Cell]
    score: Callable[..., Score] | None
    alignment: Callable[..., Alignment] | None


ReadoutKind = Literal["maxout", "tanh"]


class Readout(nn.Module):
    """Deep output: maxout or tanh of U s + V y + C c (Bahdanau 2015, appendix A.2.2)."""

    def __init__(self, input_size: int, size: int, kind: ReadoutKind) -> None:
        super().__init__()
        self.maxout = kind == "maxout"
        self.project = nn.Linear(input_size, 2 * size if self.maxout else size)

    def forward(self, *parts: Tensor) -> Tensor:
        projected = self.project(torch.cat(parts, dim=-1))
        if self.maxout:
            return projected.unflatten(-1, (-1, 2)).amax(dim=-1)
        return torch.tanh(projected)


class Bridge(nn.Module):
    """s₀ = tanh(W h): the first state (B, L, H) of a decoder, from the encoder's summary of the sentence (B, F)."""

    def __init__(self, parts: int, summary_size: int, hidden_size: int, layers: int) -> None:
        """Build a bridge for states that consist of `parts` tensors."""
        super().__init__()
        self.parts, self.layers = parts, layers
        self.project = nn.Linear(summary_size, parts * layers * hidden_size)

    def forward(self, summary: Tensor) -> RecurrentState:
        state = torch.tanh(self.project(summary)).unflatten(-1, (self.parts, self.layers, -1))
        return tuple(state.unbind(dim=1))


class Decoder(nn.Module):
    """Base of all wirings."""

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.readout_size = parts.readout_size
        self.dropout = SequenceDropout(parts.dropout)

    def start(self, encoded: Encoded) -> tuple[Any, State]:
        """The memory, fixed for the sentence (a tuple of tensors, batch first), and the first state."""
        raise NotImplementedError(f"{type(self).__name__} defines no start")

    def unroll(self, embedded: Tensor, memory: Any, state: State) -> Unrolled:
        """Run over embedded tokens (B, T, E) from a state."""
        raise NotImplementedError(f"{type(self).__name__} defines no wiring")


class FixedContextDecoder(Decoder):
    """No attention: the encoder's summary c is all that the decoder sees, at every step (Cho 2014).

    sₜ = f([yₜ₋₁; c], sₜ₋₁), readout(sₜ, yₜ₋₁, c).
    """

    def __init__(self, parts: Parts, hidden_size: int, layers: int = 1, readout: ReadoutKind = "maxout") -> None:
        super().__init__(parts)
        if parts.score is not None:
            raise UserError("This decoder has no attention: leave out model.score and model.alignment.")
        input_size = parts.input_size + parts.source_size
        recurrence = parts.cell(input_size, hidden_size, layers, parts.dropout)
        self.bridge = Bridge(recurrence.parts, parts.source_size, hidden_size, layers)
        self.recurrence = recurrence
        self.readout = Readout(hidden_size + input_size, parts.readout_size, readout)

    def start(self, encoded: Encoded) -> tuple[tuple[Tensor], State]:
        return (encoded.summary,), State(self.bridge(encoded.summary))

    def unroll(self, embedded: Tensor, memory: tuple[Tensor], state: State) -> Unrolled:
        context = memory[0].unsqueeze(1).expand(-1, embedded.size(1), -1)  # (B, T, H)
        outputs, recurrent = self.recurrence.over(torch.cat([embedded, context], dim=-1), state.recurrent)
        return Unrolled(self.readout(self.dropout(outputs), embedded, context), None, State(recurrent))


class AttentiveDecoder(Decoder):
    """Base of the wirings with attention, which it owns; a member adds the bridge to its first state."""

    bridge: Bridge

    def __init__(self, parts: Parts, hidden_size: int) -> None:
        super().__init__(parts)
        if parts.score is None or parts.alignment is None:
            raise UserError("This decoder needs attention: choose model/score and model/alignment.")
        self.attention = Attention(parts.score, parts.alignment, query_size=hidden_size, state_size=parts.source_size)

    def start(self, encoded: Encoded) -> tuple[Any, State]:
        memory = self.attention.remember(encoded.states, encoded.mask)
        return memory, State(self.bridge(encoded.summary), self.attention.initial_state(memory))


class BahdanauDecoder(AttentiveDecoder):
    """Look first, with the previous state; then the recurrence (Bahdanau 2015, section 3.1).

    cₜ = attend(sₜ₋₁), sₜ = f([yₜ₋₁; cₜ], sₜ₋₁), readout(sₜ, yₜ₋₁, cₜ).
    """

    def __init__(self, parts: Parts, hidden_size: int, layers: int = 1, readout: ReadoutKind = "maxout") -> None:
        super().__init__(parts, hidden_size)
        input_size = parts.input_size + self.attention.context_size
        recurrence = parts.cell(input_size, hidden_size, layers, parts.dropout)
        self.bridge = Bridge(recurrence.parts, parts.source_size, hidden_size, layers)
        self.recurrence = recurrence
        self.readout = Readout(hidden_size + input_size, parts.readout_size, readout)

    def unroll(self, embedded: Tensor, memory: Any, state: State) -> Unrolled:
        from_tokens, of_context = self.recurrence.split_inputs(embedded)
        layers, alignment = by_layer(state.recurrent), state.alignment
        outputs, contexts, weights = [], [], []
        for from_token in from_tokens:  # (B, gates)
            attended = self.attention(layers[-1][0].unsqueeze(1), memory, alignment)
            alignment = attended.state
            from_context = F.linear(attended.context.squeeze(1), of_context)
            layers = self.recurrence.step(from_token + from_context, layers)
            outputs.append(layers[-1][0])
            contexts.append(attended.context)
            weights.append(attended.weights)
        states = self.dropout(torch.stack(outputs, dim=1))
        readout = self.readout(states, embedded, torch.cat(contexts, dim=1))
        return Unrolled(readout, torch.cat(weights, dim=1), State(from_layers(layers), alignment))


class LuongDecoder(AttentiveDecoder):
    """The recurrence first; then look, with the new state (Luong 2015, section 3).

    sₜ = f(yₜ₋₁, sₜ₋₁), cₜ = attend(sₜ), h̃ₜ = tanh(W[cₜ; sₜ]). With input feeding (section 3.3) the
    recurrence sees [yₜ₋₁; h̃ₜ₋₁]; without it nothing of the attention is recurrent and all T steps run at once.
    """

    def __init__(self, parts: Parts, hidden_size: int, layers: int = 1, input_feeding: bool = True) -> None:
        super().__init__(parts, hidden_size)
        self.input_feeding = input_feeding
        input_size = parts.input_size + (parts.readout_size if input_feeding else 0)
        recurrence = parts.cell(input_size, hidden_size, layers, parts.dropout)
        self.bridge = Bridge(recurrence.parts, parts.source_size, hidden_size, layers)
        self.recurrence = recurrence
        self.combine = nn.Linear(self.attention.context_size + hidden_size, parts.readout_size, bias=False)

    def start(self, encoded: Encoded) -> tuple[Any, State]:
        memory, state = super().start(encoded)
        if self.input_feeding:
            nothing_yet = encoded.summary.new_zeros(encoded.summary.size(0), self.readout_size)
            state = state._replace(feed=(nothing_yet,))
        return memory, state

    def unroll(self, embedded: Tensor, memory: Any, state: State) -> Unrolled:
        if self.input_feeding:
            return self._feed(embedded, memory, state)
        outputs, recurrent = self.recurrence.over(embedded, state.recurrent)
        readout, attended = self._attend(outputs, memory, state.alignment, self._kept(outputs))
        return Unrolled(readout, attended.weights, State(recurrent, attended.state))

    def _feed(self, embedded: Tensor, memory: Any, state: State) -> Unrolled:
        from_tokens, of_feed = self.recurrence.split_inputs(embedded)
        layers, alignment, feed = by_layer(state.recurrent), state.alignment, state.feed[0]
        readouts, weights = [], []
        kept = self._kept(state.recurrent[0])
        for from_token in from_tokens:  # (B, gates)
            layers = self.recurrence.step(from_token + F.linear(feed, of_feed), layers)
            readout, attended = self._attend(layers[-1][0].unsqueeze(1), memory, alignment, kept)
            feed, alignment = readout.squeeze(1), attended.state
            readouts.append(readout)
            weights.append(attended.weights)
        after = State(from_layers(layers), alignment, (feed,))
        return Unrolled(torch.cat(readouts, dim=1), torch.cat(weights, dim=1), after)

    def _kept(self, states: Tensor) -> Tensor:
        """Dropout mask (B, 1, D) of the states, shared by all steps."""
        return self.dropout(states.new_ones(states.size(0), 1, states.size(-1)))

    def _attend(
        self, outputs: Tensor, memory: Any, alignment: tuple[Tensor, ...], kept: Tensor
    ) -> tuple[Tensor, Attended]:
        attended = self.attention(outputs, memory, alignment)
        combined = torch.cat([attended.context, kept * outputs], dim=-1)
        return torch.tanh(self.combine(combined)), attended
