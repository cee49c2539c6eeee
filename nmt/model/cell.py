"""Recurrent cells sₜ = f(xₜ, sₜ₋₁): one class each, with the formula of one step.

Shapes: B batch, T steps, N tokens of a packed batch, I input size, H hidden size, L layers, G gates × H.
A new cell is one class here and one YAML file under configs/model/cell/.
"""

from functools import partial
from types import MappingProxyType
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from nmt.model.recurrence import Cell, State


class Fused(Cell, nn.RNNBase):
    """Base of the cells whose whole sequences PyTorch and cuDNN compute in one call."""

    kind: ClassVar[str]  # GRU or LSTM

    def __init__(
        self, input_size: int, hidden_size: int, layers: int = 1, dropout: float = 0.0, bidirectional: bool = False
    ) -> None:
        between = dropout if layers > 1 else 0.0  # PyTorch warns of a dropout that has no effect
        sizes = input_size, hidden_size, layers
        nn.RNNBase.__init__(self, self.kind, *sizes, batch_first=True, dropout=between, bidirectional=bidirectional)

    def over_packed(self, inputs: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
        outputs, last = self(PackedSequence(inputs, sizes))
        return outputs.data, last if self.parts == 1 else last[0]

    def over(self, inputs: Tensor, state: State) -> tuple[Tensor, State]:
        if inputs.size(1) == 1:  # a step of a search, which can be captured from the formula
            return super().over(inputs, state)
        first = tuple(part.transpose(0, 1).contiguous() for part in state)
        outputs, last = self(inputs, first[0] if self.parts == 1 else first)
        return outputs, tuple(part.transpose(0, 1) for part in ((last,) if self.parts == 1 else last))


class GRU(Fused, nn.GRU):
    """r, z = σ(Wx + Uh), n = tanh(Wx + r∘Uh), h' = (1 − z)∘n + z∘h: PyTorch's and cuDNN's form (after Cho 2014)."""

    kind = "GRU"
    gates = 3

    def formula(self, layer: str, from_x: Tensor, state: State) -> State:
        from_h, size = self.from_state(layer, state[0]), self.hidden_size
        r, z = (from_x[:, : 2 * size] + from_h[:, : 2 * size]).sigmoid().chunk(2, dim=-1)
        n = torch.addcmul(from_x[:, 2 * size :], r, from_h[:, 2 * size :]).tanh()
        return (torch.lerp(n, state[0].to(n.dtype), z),)


class LSTM(Fused, nn.LSTM):
    """i, f, o = σ(Wx + Uh), g = tanh(Wx + Uh), c' = f∘c + i∘g, h' = o∘tanh(c') (Hochreiter 1997; Gers 2000)."""

    kind = "LSTM"
    gates = 4
    parts = 2

    def formula(self, layer: str, from_x: Tensor, state: State) -> State:
        h, c = state
        i, f, g, o = (from_x + self.from_state(layer, h)).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c

    def initialise(self) -> None:
        """Initialise as any cell, but the biases of the forget gates with 1."""
        super().initialise()
        for name, bias in self.named_parameters():
            if name.startswith("bias_ih"):
                nn.init.ones_(bias.data[self.hidden_size : 2 * self.hidden_size])


class ChoGRU(Cell):
    """r, z = σ(Wx + Uh), n = tanh(Wx + U(r∘h)), h' = (1 − z)∘h + z∘n (Cho 2014; Bahdanau 2015, appendix A.1.1).

    The reset gate acts before the product with U; in PyTorch's form it acts after it.
    """

    gates = 3

    def formula(self, layer: str, from_x: Tensor, state: State) -> State:
        (h,), size = state, self.hidden_size
        weight, bias = getattr(self, f"weight_hh_{layer}"), getattr(self, f"bias_hh_{layer}")
        gates = from_x[:, : 2 * size] + F.linear(h, weight[: 2 * size], bias[: 2 * size])
        r, z = gates.sigmoid().chunk(2, dim=-1)
        n = (from_x[:, 2 * size :] + F.linear(r * h, weight[2 * size :], bias[2 * size :])).tanh()
        return (torch.lerp(h.to(n.dtype), n, z),)


class NormalisedGRU(Cell):
    """r, z = σ(LN(Wx) + LN(Uh)), n = tanh(LN(Wx) + r∘LN(Uh)), h' = (1 − z)∘n + z∘h (Ba 2016, appendix).

    Gates and candidate are normalised apart. The norms have biases of their own, so W and U have none.
    """

    gates = 3
    biased = False
    norms = MappingProxyType({"x_gates": 2, "h_gates": 2, "x_candidate": 1, "h_candidate": 1})

    def formula(self, layer: str, from_x: Tensor, state: State) -> State:
        norm, sizes = partial(self.norm, layer), [2 * self.hidden_size, self.hidden_size]
        (x_gates, x_n), (h_gates, h_n) = from_x.split(sizes, -1), self.from_state(layer, state[0]).split(sizes, -1)
        r, z = (norm("x_gates", x_gates) + norm("h_gates", h_gates)).sigmoid().chunk(2, dim=-1)
        n = (norm("x_candidate", x_n) + r * norm("h_candidate", h_n)).tanh()
        return (torch.lerp(n, state[0].to(n.dtype), z),)


class NormalisedLSTM(Cell):
    """i, f, o = σ(a), g = tanh(a), a = LN(Wx) + LN(Uh), c' = f∘c + i∘g, h' = o∘tanh(LN(c')) (Ba 2016, eq. 20–22)."""

    gates = 4
    parts = 2
    biased = False
    norms = MappingProxyType({"x": 4, "h": 4, "c": 1})

    def formula(self, layer: str, from_x: Tensor, state: State) -> State:
        (h, c), norm = state, partial(self.norm, layer)
        i, f, g, o = (norm("x", from_x) + norm("h", self.from_state(layer, h))).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * norm("c", c).tanh(), c

    def initialise(self) -> None:
        """Initialise as any cell, but the biases of the forget gates with 1."""
        super().initialise()
        for name, bias in self.named_parameters():
            if name.startswith("norm_x_") and name.endswith("bias"):
                nn.init.ones_(bias.data[self.hidden_size : 2 * self.hidden_size])
