"""Base of all recurrent cells: stacks of layers, run over whole sequences or one step at a time.

Shapes: B batch, T steps, N tokens of a packed batch, I input size, H hidden size, L layers, G gates × H.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

State = tuple[Tensor, ...]  # the parts of a state, h first: (B, L, H) each, or (B, H) of one layer


class Cell(nn.Module):
    """A stack of recurrent layers; a member sets the numbers below and writes the `formula` of one step.

    The weights have the names that `nn.GRU` and `nn.LSTM` give them: weight_ih_l0 is W, weight_hh_l0 is U.
    """

    gates: ClassVar[int]  # blocks of H rows in W and U
    parts: ClassVar[int] = 1  # tensors that a state consists of
    biased: ClassVar[bool] = True  # whether W x and U h have biases
    norms: ClassVar[Mapping[str, int]] = MappingProxyType({})  # LayerNorms of each layer: name → width ÷ H

    def __init__(
        self, input_size: int, hidden_size: int, layers: int = 1, dropout: float = 0.0, bidirectional: bool = False
    ) -> None:
        """Build the stack; dropout acts between layers."""
        super().__init__()
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, layers
        self.dropout, self.bidirectional, self.bias = dropout, bidirectional, self.biased
        rows = self.gates * hidden_size
        for layer in range(layers):
            width = hidden_size * len(self.directions) if layer else input_size
            for direction in self.directions:
                name = f"l{layer}{direction}"
                for of, columns in (("ih", width), ("hh", hidden_size)):
                    self.register_parameter(f"weight_{of}_{name}", nn.Parameter(torch.zeros(rows, columns)))
                for of in ("ih", "hh") if self.biased else ():
                    self.register_parameter(f"bias_{of}_{name}", nn.Parameter(torch.zeros(rows)))
                for norm, multiple in self.norms.items():
                    self.add_module(f"norm_{norm}_{name}", nn.LayerNorm(multiple * hidden_size))

    @property
    def directions(self) -> tuple[str, ...]:
        """Suffixes of the parameters' names."""
        return ("", "_reverse") if self.bidirectional else ("",)

    def norm(self, layer: str, name: str, x: Tensor) -> Tensor:
        """One of the `norms` of a layer, applied to (B, width)."""
        normalised: Tensor = getattr(self, f"norm_{name}_{layer}")(x)
        return normalised

    def formula(self, layer: str, from_x: Tensor, state: State) -> State:
        """The state (B, H) after one step of a layer such as l0 or l1_reverse, given W x + b for all gates (B, G)."""
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
        """Run from zero states over packed inputs (N, I); `sizes`, on the CPU, are the batch sizes of the steps.

        Returns the top layer's outputs (N, H or 2H), and the last h of each layer and direction (L or 2L, B, H).
        """
        steps, last = sizes.tolist(), []
        for layer in range(self.num_layers):
            if layer > 0:
                inputs = F.dropout(inputs, self.dropout, self.training)
            outputs = []
            for suffix in self.directions:
                name = f"l{layer}{suffix}"
                states, end = self._run_direction(name, self.from_inputs(name, inputs).split(steps), bool(suffix))
                outputs.append(torch.cat(states))
                last.append(end)
            inputs = torch.cat(outputs, dim=-1)
        return inputs, torch.stack(last)

    def over(self, inputs: Tensor, state: State) -> tuple[Tensor, State]:
        """Run over (B, T, I) from a state (B, L, H); gives the outputs (B, T, H) and the state after the last step."""
        layers, outputs = by_layer(state), []
        for from_x in self.from_inputs("l0", inputs.transpose(0, 1)):
            layers = self.step(from_x, layers)
            outputs.append(layers[-1][0])
        return torch.stack(outputs, dim=1), from_layers(layers)

    def _run_direction(self, layer: str, from_x: tuple[Tensor, ...], backward: bool) -> tuple[list[Tensor], Tensor]:
        """One layer over one direction of a packed batch, whose sentences are sorted by length, longest first."""
        zeros = from_x[0].new_zeros(len(from_x[0]), self.hidden_size)
        outputs, ended = [], []  # ended: last h of sentences that are shorter than the longest
        state: State = (zeros[: len(from_x[-1])] if backward else zeros,) * self.parts
        for x in reversed(from_x) if backward else from_x:
            running = len(state[0])
            if len(x) > running:  # backwards, shorter sentences join in
                state = tuple(torch.cat([h, zeros[running : len(x)]]) for h in state)
            elif len(x) < running:
                ended.append(state[0][len(x) :])
                state = tuple(part[: len(x)] for part in state)
            state = self.formula(layer, x, state)
            outputs.append(state[0])
        return outputs[::-1] if backward else outputs, torch.cat([state[0], *reversed(ended)])

    def from_inputs(self, layer: str, inputs: Tensor) -> Tensor:
        """W x + b for all gates (…, G) of inputs (…, I)."""
        return F.linear(inputs, *self._weights("ih", layer))

    def from_state(self, layer: str, h: Tensor) -> Tensor:
        """U h + b for all gates (B, G) of a state (B, H)."""
        return F.linear(h, *self._weights("hh", layer))

    def _weights(self, of: str, layer: str) -> tuple[Tensor, Tensor | None]:
        """The weight matrix of inputs (ih) or of states (hh) of a layer, and its bias."""
        return getattr(self, f"weight_{of}_{layer}"), getattr(self, f"bias_{of}_{layer}", None)

    def split_inputs(self, known: Tensor) -> tuple[Tensor, Tensor]:
        """Split W[x; c] for a loop that computes c step by step, but knows x (B, T, X) from the start.

        Returns W x + b for all steps (T, B, G), and the columns of W for c (G, I − X).
        """
        weight, bias = self._weights("ih", "l0")
        of_known, of_rest = weight.split([known.size(-1), self.input_size - known.size(-1)], dim=1)
        from_known = F.linear(known.transpose(0, 1), of_known, bias)
        return from_known, of_rest.to(from_known.dtype)  # once: autocast would convert a slice at every step

    def step(self, from_x: Tensor, states: list[State]) -> list[State]:
        """One step of all layers, given W x + b of the first one (B, G)."""
        after: list[State] = []
        for layer, state in enumerate(states):
            if layer > 0:
                from_x = self.from_inputs(f"l{layer}", F.dropout(after[-1][0], self.dropout, self.training))
            after.append(self.formula(f"l{layer}", from_x, state))
        return after


def by_layer(state: State) -> list[State]:
    """Split a state (B, L, H) into the states (B, H) of its layers."""
    return list(zip(*(part.unbind(dim=1) for part in state), strict=True))


def from_layers(states: list[State]) -> State:
    """The inverse of `by_layer`."""
    return tuple(torch.stack(parts, dim=1) for parts in zip(*states, strict=True))
