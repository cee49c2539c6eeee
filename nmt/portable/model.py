"""A model in numpy: encodes one sentence, and takes one step for its hypotheses.

Shapes: N hypotheses, S source tokens, V target vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nmt.portable.graph import Graph
from nmt.portable.ops import Array, Program

WEIGHTS = "weights"  # the mark of the attention


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
    marks: dict[str, Array]  # states and values of the source tokens


class Stepped(NamedTuple):
    """What a step computed for each hypothesis."""

    logits: Array  # (N, V)
    weights: Array | None  # (N, S) attention, the mean over heads, None without
    state: list[Array]
    marks: dict[str, Array]  # (N, …) intermediate values by name


class PortableModel:
    """The graphs of a model, with weights."""

    def __init__(self, record: Mapping[str, Any], constants: Mapping[str, Array]) -> None:
        """Use the graphs that `nmt.portable.export.graphs` has made of a model."""
        self.embed, self.start, self.next = (
            Program(Graph.from_record(record[name]), constants) for name in ("embed", "start", "step")
        )
        self.layers = [[Recurrence(each, constants) for each in layer] for layer in record["layers"]]
        self.memory_size, self.has_weights = record["memory"], record["weights"]
        self.has_heads = self.has_weights and self.next.marks[WEIGHTS][1] == 2  # the steps come after batch and heads

    def encode(self, source: Sequence[int]) -> tuple[Memory, list[Array]]:
        """The memory and the first state of a sentence."""
        length = len(source)
        (embedded,) = self.embed([np.array([source], np.float32)], source=length)
        states = embedded[0]
        for layer in self.layers:
            outputs = [direction(states) for direction in layer]
            summary = np.concatenate([each.last(output) for each, output in zip(layer, outputs, strict=True)])
            states = np.concatenate(outputs, axis=-1)
        inputs = [states[None], summary[None], np.ones((1, length), np.float32)]
        found, marks = self.start.inspect(inputs, source=length)
        seen = {name: value if name in self.start.shared else value[0] for name, value in marks.items()}
        return Memory(found[: self.memory_size], length, seen), found[self.memory_size :]

    def step(
        self, tokens: Sequence[int], memory: Memory, state: Sequence[Array], given: Array | None = None
    ) -> Stepped:
        """Take a step after these tokens; `given` attention, a row for each head (K, S), replaces the model's own.

        The memory is that of one sentence, for all hypotheses; the state has a row for each.
        """
        number = len(tokens)
        wide = [np.broadcast_to(part, (number, *part.shape[1:])) for part in memory.parts]
        inputs = [np.array(tokens, np.float32), *wide, *state]
        replaced = None if given is None else {WEIGHTS: given[None] if self.has_heads else given}
        (logits, *rest), marks = self.next.inspect(inputs, number, memory.length, replaced)
        marks |= {name: np.broadcast_to(marks[name], (number, *marks[name].shape)) for name in self.next.shared}
        weights = rest.pop(0) if self.has_weights else None
        return Stepped(logits, weights, rest, marks)
