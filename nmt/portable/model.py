"""A model in numpy: encodes one sentence, and takes one step for its hypotheses.

Shapes: N hypotheses, S source tokens, V target vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nmt.portable.graph import Graph
from nmt.portable.ops import Array, Program


class Recurrence:
    """One layer in one direction: the projection of all inputs, then one step after the other."""

    def __init__(self, record: Mapping[str, Any], constants: Mapping[str, Array]) -> None:
        self.project, self.step = (Program(Graph.from_record(record[name]), constants) for name in ("project", "step"))
        self.backward, self.parts, self.size = record["backward"], record["parts"], record["size"]

    def __call__(self, inputs: Array) -> Array:
        """The states (S, H) after each of the inputs (S, I)."""
        (projected,) = self.project([inputs], source=len(inputs))
        states = np.empty((len(inputs), self.size), np.float32)
        state = [np.zeros((1, self.size), np.float32)] * self.parts
        for place in reversed(range(len(inputs))) if self.backward else range(len(inputs)):
            state = self.step([projected[place : place + 1], *state])
            states[place] = state[0][0]
        return states

    def last(self, states: Array) -> Array:
        """The state after the last input."""
        return states[0] if self.backward else states[-1]


class Memory(NamedTuple):
    """What the decoder may look at in a sentence."""

    parts: list[Array]  # each with a first dimension of 1
    length: int  # S


class PortableModel:
    """The graphs of a model, with weights."""

    def __init__(self, record: Mapping[str, Any], constants: Mapping[str, Array]) -> None:
        """Use the graphs that `nmt.portable.export.graphs` has made of a model."""
        self.embed, self.start, self.next = (
            Program(Graph.from_record(record[name]), constants) for name in ("embed", "start", "step")
        )
        self.layers = [[Recurrence(each, constants) for each in layer] for layer in record["layers"]]
        self.memory_size, self.has_weights = record["memory"], record["weights"]

    def encode(self, source: Sequence[int]) -> tuple[Memory, list[Array]]:
        """The memory and the first state of a sentence."""
        length = len(source)
        (embedded,) = self.embed([np.array([source], np.float32)], source=length)
        states = embedded[0]
        for layer in self.layers:
            outputs = [direction(states) for direction in layer]
            summary = np.concatenate([each.last(output) for each, output in zip(layer, outputs, strict=True)])
            states = np.concatenate(outputs, axis=-1)
        found = self.start([states[None], summary[None], np.ones((1, length), np.float32)], source=length)
        return Memory(found[: self.memory_size], length), found[self.memory_size :]

    def step(
        self, tokens: Sequence[int], memory: Memory, state: Sequence[Array]
    ) -> tuple[Array, Array | None, list[Array]]:
        """Logits (N, V), attention weights (N, S) and the next state after these tokens.

        The memory is that of one sentence, for all hypotheses; the state has a row for each.
        """
        number = len(tokens)
        wide = [np.broadcast_to(part, (number, *part.shape[1:])) for part in memory.parts]
        logits, *rest = self.next([np.array(tokens, np.float32), *wide, *state], number, memory.length)
        weights = rest.pop(0) if self.has_weights else None
        return logits, weights, rest
