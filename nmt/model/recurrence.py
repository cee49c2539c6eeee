"""Stacks of GRU or LSTM layers whose state is a tuple of batch-first tensors.

Shapes: B batch, T steps, N tokens of a packed batch, I input size, H hidden size, L layers, G gates (3H or 4H).
"""

from __future__ import annotations

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from nmt.model.gru import gru_cell, gru_sequence
from nmt.model.products import Products

Cell = Literal["gru", "lstm"]
RecurrentState = tuple[Tensor, ...]  # (h,) of a GRU or (h, c) of an LSTM, each (B, L, H)
LayerStates = list[tuple[Tensor, ...]]  # the same, layer by layer: each (B, H)


def make_rnn(
    cell: Cell, input_size: int, hidden_size: int, layers: int, dropout: float, bidirectional: bool = False
) -> nn.GRU | nn.LSTM:
    """A batch-first `nn.GRU` or `nn.LSTM`; dropout acts between layers only, so one layer has none."""
    kind = {"gru": nn.GRU, "lstm": nn.LSTM}[cell]
    between = dropout if layers > 1 else 0.0
    return kind(input_size, hidden_size, layers, batch_first=True, dropout=between, bidirectional=bidirectional)


def run_packed(rnn: nn.GRU | nn.LSTM, inputs: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
    """Run from zero states over packed inputs (N, I), of which each step has so many (on the CPU).

    Returns:
        The top layer's states (N, H), and the last h of each layer and direction.
    """
    if not _by_hand(rnn, inputs):
        outputs, after = rnn(PackedSequence(inputs, sizes))
        return outputs.data, after[0] if isinstance(rnn, nn.LSTM) else after
    directions = 2 if rnn.bidirectional else 1
    first = inputs.new_zeros(rnn.num_layers * directions, int(sizes[0]), rnn.hidden_size)
    return _run_gru(rnn, inputs, first, sizes.tolist())


def _by_hand(rnn: nn.Module, inputs: Tensor) -> bool:
    """Whether our own GRU does it: a GPU has cuDNN's, and autocast and the compiler know PyTorch's."""
    ours = isinstance(rnn, nn.GRU) and inputs.device.type == "cpu"
    return ours and not torch.is_autocast_enabled("cpu") and not torch.compiler.is_compiling()


def _run_gru(rnn: nn.RNNBase, inputs: Tensor, first: Tensor, sizes: list[int]) -> tuple[Tensor, Tensor]:
    """All layers and directions over packed inputs (N, I), as `nn.GRU` computes them."""
    last: list[Tensor] = []
    for layer in range(rnn.num_layers):
        if layer > 0:
            inputs = F.dropout(inputs, rnn.dropout, rnn.training)
        outputs = []
        for suffix in ("", "_reverse") if rnn.bidirectional else ("",):
            of_x, of_h, bias_x, bias_h = _weights(rnn, f"l{layer}{suffix}")
            from_x = F.linear(inputs, of_x, bias_x)
            states, end = gru_sequence(from_x, first[len(last)], of_h, bias_h, sizes, reverse=bool(suffix))
            outputs.append(states)
            last.append(end)
        inputs = torch.cat(outputs, dim=-1) if len(outputs) > 1 else outputs[0]
    return inputs, torch.stack(last)


def _weights(rnn: nn.RNNBase, layer: str) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Weights of inputs (G, I) and of states (G, H), and their biases."""
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    of_x, of_h, bias_x, bias_h = (getattr(rnn, f"{name}_{layer}") for name in names)
    return of_x, of_h, bias_x, bias_h


class Recurrence(nn.Module):
    """The decoder's recurrence sₜ = f(xₜ, sₜ₋₁): over a whole sequence, or step by step within a loop."""

    def __init__(self, cell: Cell, input_size: int, hidden_size: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.rnn = make_rnn(cell, input_size, hidden_size, layers, dropout)

    def forward(self, inputs: Tensor, state: RecurrentState) -> tuple[Tensor, RecurrentState]:
        """Run over (B, T, I); gives the top layer's outputs (B, T, H) and the state after the last step."""
        first = tuple(part.transpose(0, 1).contiguous() for part in state)
        after: RecurrentState
        if _by_hand(self.rnn, inputs):
            sizes = [inputs.size(0)] * inputs.size(1)
            states, last = _run_gru(self.rnn, inputs.transpose(0, 1).flatten(0, 1), first[0], sizes)
            outputs, after = states.unflatten(0, (-1, inputs.size(0))).transpose(0, 1), (last,)
        elif isinstance(self.rnn, nn.LSTM):
            outputs, after = self.rnn(inputs, first)
        else:
            outputs, last = self.rnn(inputs, first[0])
            after = (last,)
        return outputs, tuple(part.transpose(0, 1) for part in after)

    def split_inputs(self, known: Tensor) -> tuple[Tensor, Tensor]:
        """For a loop whose inputs are [x; c], c found on the way: what x (B, T, X) gives the gates, all steps at once.

        Returns:
            Products (T, B, G), biases included, and the weight (G, I − X) that c is still to be multiplied by.
        """
        weight, _, bias, _ = _weights(self.rnn, "l0")
        of_known, of_rest = weight.split([known.size(-1), weight.size(1) - known.size(-1)], dim=1)
        return F.linear(known.transpose(0, 1), of_known, bias), of_rest

    def step(self, from_x: Tensor, states: LayerStates, products: Products) -> LayerStates:
        """One step of all layers, given what the input brings to the first one's gates (B, G)."""
        after: LayerStates = []
        for layer, state in enumerate(states):
            of_x, of_h, bias_x, bias_h = _weights(self.rnn, f"l{layer}")
            if layer > 0:
                below = F.dropout(after[-1][0], self.rnn.dropout, self.training)
                from_x = products.linear(below, of_x, bias_x)
            from_h = products.linear(state[0], of_h, bias_h)
            if isinstance(self.rnn, nn.LSTM):
                after.append(_lstm_cell(from_x + from_h, state[1]))
            else:
                after.append((gru_cell(from_x, from_h, state[0]),))
        return after


def _lstm_cell(gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """i, f, o = σ(·), g = tanh(·): c' = f∘c + i∘g, h' = o∘tanh(c')."""
    i, f, g, o = gates.chunk(4, dim=-1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def by_layer(state: RecurrentState) -> LayerStates:
    """A state as a loop carries it."""
    return list(zip(*(part.unbind(dim=1) for part in state), strict=True))


def from_layers(states: LayerStates) -> RecurrentState:
    """The inverse of `by_layer`."""
    return tuple(torch.stack(parts, dim=1) for parts in zip(*states, strict=True))


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
