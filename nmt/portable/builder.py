"""Recorded PyTorch operations, and the builder that makes a graph of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from nmt.portable.graph import Graph, Node, Ref


class NotPortable(ValueError):
    """A model that cannot be captured as a graph."""


@dataclass(frozen=True)
class Value:
    """A tensor of a recording that depends on the inputs: an input, or an output of an operation."""

    number: int


@dataclass(frozen=True)
class Call:
    """One recorded operation; with several recordings merged, integers may be sizes."""

    name: str  # without "aten::" and the underscore of in-place operations
    arguments: dict[str, Any]  # by name; a tensor is a Value, or itself if it depends on weights alone
    input_shapes: dict[str, Sequence[Any]]  # of the arguments that are tensors
    input_kinds: dict[str, str]  # float, int or bool
    outputs: list[Value]
    shapes: list[Sequence[Any]]  # of the outputs
    kinds: list[str]

    @property
    def dim(self) -> int:
        """The argument `dim`, counted from the front."""
        dim: int = self.arguments["dim"]
        return dim % len(self.input_shapes["self"])


class Constants:
    """Constants of the graphs of a model: parameters by their names, and tensors computed from them."""

    def __init__(self, model: nn.Module) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._names = {id(parameter): name for name, parameter in model.named_parameters()}
        self._kept: list[Tensor] = []  # so that no id is used twice

    def name(self, tensor: Tensor) -> str:
        """The name of a constant, given with its first use."""
        name = self._names.setdefault(id(tensor), f"constant.{len(self.tensors)}")
        if name not in self.tensors:
            self.tensors[name] = tensor.detach().clone()
            self._kept.append(tensor)
        return name


class Builder:
    """Collects the nodes of a graph."""

    def __init__(self, inputs: int, constants: Constants) -> None:
        self.inputs, self.constants = inputs, constants
        self.nodes: list[Node] = []
        self._refs: dict[Value, Ref] = {Value(number): number for number in range(inputs)}

    def emit(self, op: str, *inputs: Ref, **settings: Any) -> Ref:
        """Add a node; returns its value."""
        self.nodes.append(Node(op, list(inputs), settings))
        return self.inputs + len(self.nodes) - 1

    def ref(self, argument: Any) -> Ref:
        """The value of an argument: a recorded tensor, a constant, or a number."""
        if isinstance(argument, Value):
            return self._refs[argument]
        if isinstance(argument, Tensor):
            return self.constants.name(argument)
        finite = isinstance(argument, dict) or math.isfinite(argument)
        return self.emit("number", value=argument if finite else str(float(argument)))  # JSON has no infinity

    def refs(self, call: Call, *names: str) -> list[Ref]:
        """The values of these arguments of a call."""
        return [self.ref(call.arguments[name]) for name in names]

    def bind(self, outputs: Sequence[Value], refs: Sequence[Ref]) -> None:
        """Record which values of the graph are the outputs of a call."""
        self._refs.update(zip(outputs, refs, strict=True))

    def graph(self, results: Sequence[Any], marks: Mapping[str, tuple[Any, int | None]]) -> Graph:
        """The finished graph with these outputs and marks."""
        outputs = [self.ref(result) for result in results]  # may add nodes
        marked = {name: (self.ref(value), dim) for name, (value, dim) in marks.items()}
        return Graph(self.inputs, self.nodes, outputs, marked)
