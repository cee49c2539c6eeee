"""Recurrent cells sₜ = f(xₜ, sₜ₋₁), in stacks of layers, over whole sequences or one step at a time.

Shapes: B batch, T steps, N tokens of a packed batch, I input size, H hidden size, L layers, G gates × H.
A new cell is one class with the formula of one step and one YAML file under configs/model/cell/.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

State = tuple[Tensor, ...]  # the parts of a state, h first: (B, L, H) each, or (B, H) of one layer


class Cell(nn.RNNBase):
    """Base of all cells: owns the weights, under the names that `nn.GRU` and `nn.LSTM` give them, and the loops.

    A member says how many gates and parts of a state it has, and writes `formula`.
    """

    kind: ClassVar[str]  # GRU: 3 gates; LSTM: 4
    parts: ClassVar[int] = 1  # tensors that a state consists of
    biased: ClassVar[bool] = True
    norms: ClassVar[Mapping[str, int]] = MappingProxyType(
        {}
    )  # layer normalisations of a layer, by name: their widths in hidden sizes

    def __init__(
        self, input_size: int, hidden_size: int, layers: int = 1, dropout: float = 0.0, bidirectional: bool = False
    ) -> None:
        """Build the stack; dropout acts between layers."""
        between = dropout if layers > 1 else 0.0
        sizes = (input_size, hidden_size, layers)
        nn.RNNBase.__init__(self, self.kind, *sizes, self.biased, True, between, bidirectional)
        for layer in range(layers):
            for direction in self._directions:
                for name, width in self.norms.items():
                    self.add_module(f"norm_{name}_l{layer}{direction}", nn.LayerNorm(width * hidden_size))

    @property
    def _directions(self) -> tuple[str, ...]:
        """Suffixes of the parameters' names."""
        return ("", "_reverse") if self.bidirectional else ("",)

    def norm(self, layer: str, name: str, x: Tensor) -> Tensor:
        """One of the `norms` of a layer, applied to (B, width)."""
        normalised: Tensor = getattr(self, f"norm_{name}_{layer}")(x)
        return normalised

    def formula(self, layer: str, from_x: Tensor, state: State) -> State:
        """The state (B, H) after one step of a layer.

        Args:
            layer: Its name, such as l0 or l1_reverse.
            from_x: W x + b for all gates (B, G).
            state: The state before (B, H).
        """
        raise NotImplementedError(f"{type(self).__name__} defines no formula")

    def initialise(self) -> None:
        """Draw first weights: an orthogonal block for each gate of the state, Xavier for the input, no bias."""
        for name, parameter in self.named_parameters(recurse=False):
            if name.startswith("weight_hh"):
                for gate in parameter.data.split(self.hidden_size):
                    nn.init.orthogonal_(gate)
            elif name.startswith("weight_ih"):
                nn.init.xavier_uniform_(parameter)
            else:
                nn.init.zeros_(parameter)

    def over_packed(self, inputs: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
        """Run from zero states over packed inputs (N, I), of which each step has so many (on the CPU).

        Returns:
            The top layer's outputs (N, H or 2H), and the last h of each layer and direction (L or 2L, B, H).
        """
        outputs, last = self._run(inputs, sizes.tolist(), None)
        return outputs, torch.stack([state[0] for state in last])

    def over(self, inputs: Tensor, state: State) -> tuple[Tensor, State]:
        """Run over (B, T, I) from a state (B, L, H); gives the outputs (B, T, H) and the state after the last step."""
        batch, steps, _ = inputs.shape
        packed, last = self._run(inputs.transpose(0, 1).flatten(0, 1), [batch] * steps, by_layer(state))
        return packed.unflatten(0, (steps, batch)).transpose(0, 1), from_layers(last)

    def _run(self, inputs: Tensor, sizes: list[int], first: list[State] | None) -> tuple[Tensor, list[State]]:
        """All layers and directions over packed inputs: the plain loop that `formula` defines."""
        last: list[State] = []
        for layer in range(self.num_layers):
            if layer > 0:
                inputs = F.dropout(inputs, self.dropout, self.training)
            outputs = []
            for suffix in self._directions:
                name = f"l{layer}{suffix}"
                from_x = self.from_inputs(name, inputs).split(sizes)
                states, end = self._run_direction(name, from_x, first[len(last)] if first else None, bool(suffix))
                outputs.append(torch.cat(states))
                last.append(end)
            inputs = torch.cat(outputs, dim=-1)
        return inputs, last

    def _run_direction(
        self, layer: str, from_x: tuple[Tensor, ...], state: State | None, backward: bool
    ) -> tuple[list[Tensor], State]:
        """One layer over one direction of a packed batch, whose sentences are sorted by length, longest first."""
        if state is None:
            zeros = from_x[0].new_zeros(len(from_x[0]), self.hidden_size)
            state = (zeros,) * self.parts
        first, outputs = state, []
        ended: list[State] = []  # last states of sentences that are shorter than the longest
        state = tuple(part[: len(from_x[-1])] for part in first) if backward else first
        for x in reversed(from_x) if backward else from_x:
            running = len(state[0])
            if len(x) > running:  # backwards, shorter sentences join in
                state = tuple(torch.cat([h, h_0[running : len(x)]]) for h, h_0 in zip(state, first, strict=True))
            elif len(x) < running:
                ended.append(tuple(part[len(x) :] for part in state))
                state = tuple(part[: len(x)] for part in state)
            state = self.formula(layer, x, state)
            outputs.append(state[0])
        last = tuple(torch.cat(parts) for parts in zip(state, *reversed(ended), strict=True))
        return outputs[::-1] if backward else outputs, last

    def from_inputs(self, layer: str, inputs: Tensor) -> Tensor:
        """W x + b for all gates (…, G) of inputs (…, I)."""
        weight, bias = getattr(self, f"weight_ih_{layer}"), getattr(self, f"bias_ih_{layer}", None)
        return F.linear(inputs, weight, bias)

    def from_state(self, layer: str, h: Tensor) -> Tensor:
        """U h + b for all gates (B, G) of a state (B, H)."""
        weight, bias = getattr(self, f"weight_hh_{layer}"), getattr(self, f"bias_hh_{layer}", None)
        return F.linear(h, weight, bias)

    def split_inputs(self, known: Tensor) -> tuple[Tensor, Tensor]:
        """For a loop whose inputs are [x; c], c found on the way: W x + b for x (B, T, X), all steps at once.

        Returns:
            These (T, B, G), and the columns of W (G, I − X) that c is still to be multiplied by.
        """
        weight, bias = self._parameters["weight_ih_l0"], self._parameters.get("bias_ih_l0")
        assert weight is not None
        of_known, of_rest = weight.split([known.size(-1), self.input_size - known.size(-1)], dim=1)
        return F.linear(known.transpose(0, 1), of_known, bias), of_rest

    def step(self, from_x: Tensor, states: list[State]) -> list[State]:
        """One step of all layers, given W x + b of the first one (B, G)."""
        after: list[State] = []
        for layer, state in enumerate(states):
            if layer > 0:
                from_x = self.from_inputs(f"l{layer}", F.dropout(after[-1][0], self.dropout, self.training))
            after.append(self.formula(f"l{layer}", from_x, state))
        return after


class GRU(Cell, nn.GRU):
    """r, z = σ(Wx + Uh), n = tanh(Wx + r∘Uh), h' = (1 − z)∘n + z∘h: PyTorch's and cuDNN's form (after Cho 2014)."""

    kind = "GRU"

    def formula(self, layer: str, from_x: Tensor, state: State) -> State:
        from_h, size = self.from_state(layer, state[0]), self.hidden_size
        r, z = (from_x[:, : 2 * size] + from_h[:, : 2 * size]).sigmoid().chunk(2, dim=-1)
        n = torch.addcmul(from_x[:, 2 * size :], r, from_h[:, 2 * size :]).tanh()
        return (torch.lerp(n, state[0].to(n.dtype), z),)

    def over_packed(self, inputs: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
        outputs, last = self(PackedSequence(inputs, sizes))
        return outputs.data, last

    def over(self, inputs: Tensor, state: State) -> tuple[Tensor, State]:
        outputs, last = self(inputs, state[0].transpose(0, 1).contiguous())
        return outputs, (last.transpose(0, 1),)


class LSTM(Cell, nn.LSTM):
    """i, f, o = σ(Wx + Uh), g = tanh(Wx + Uh), c' = f∘c + i∘g, h' = o∘tanh(c') (Hochreiter 1997; Gers 2000)."""

    kind = "LSTM"
    parts = 2

    def formula(self, layer: str, from_x: Tensor, state: State) -> State:
        h, c = state
        i, f, g, o = (from_x + self.from_state(layer, h)).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c

    def initialise(self) -> None:
        """As any cell, with open forget gates."""
        super().initialise()
        for name, bias in self.named_parameters():
            if name.startswith("bias_ih"):
                nn.init.ones_(bias.data[self.hidden_size : 2 * self.hidden_size])

    def over_packed(self, inputs: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
        outputs, (last, _) = self(PackedSequence(inputs, sizes))
        return outputs.data, last

    def over(self, inputs: Tensor, state: State) -> tuple[Tensor, State]:
        h, c = (part.transpose(0, 1).contiguous() for part in state)
        outputs, last = self(inputs, (h, c))
        return outputs, tuple(part.transpose(0, 1) for part in last)


class ChoGRU(Cell):
    """r, z = σ(Wx + Uh), n = tanh(Wx + U(r∘h)), h' = (1 − z)∘h + z∘n (Cho 2014; Bahdanau 2015, appendix A.1.1).

    The reset gate acts before the product with U; in PyTorch's form it acts after it.
    """

    kind = "GRU"

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

    kind = "GRU"
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

    kind = "LSTM"
    parts = 2
    biased = False
    norms = MappingProxyType({"x": 4, "h": 4, "c": 1})

    def formula(self, layer: str, from_x: Tensor, state: State) -> State:
        (h, c), norm = state, partial(self.norm, layer)
        i, f, g, o = (norm("x", from_x) + norm("h", self.from_state(layer, h))).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * norm("c", c).tanh(), c

    def initialise(self) -> None:
        """As any cell, with open forget gates."""
        super().initialise()
        for name, bias in self.named_parameters():
            if name.startswith("norm_x_") and name.endswith("bias"):
                nn.init.ones_(bias.data[self.hidden_size : 2 * self.hidden_size])


def by_layer(state: State) -> list[State]:
    """A state (B, L, H) as a loop carries it: layer by layer (B, H)."""
    return list(zip(*(part.unbind(dim=1) for part in state), strict=True))


def from_layers(states: list[State]) -> State:
    """The inverse of `by_layer`."""
    return tuple(torch.stack(parts, dim=1) for parts in zip(*states, strict=True))
