"""Captures what a PyTorch function computes as a graph of elementary operations.

The function runs at three sizes under a recorder of PyTorch's operations. Integers that differ between the recordings
are sizes. Operations on weights alone are carried out here, and their results become constants of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

from nmt.portable.graph import Graph, Node, Ref, Size, symbolic

SIZES = ((2, 5), (3, 7), (5, 11))  # (N, S) of the recordings: which of them a number comes from is never in doubt


class NotPortable(ValueError):
    """A model that the portable engines cannot compute."""


@dataclass(frozen=True)
class Value:
    """A tensor in a recording: an input, or an output of an operation."""

    number: int


@dataclass
class Call:
    """One operation of a recording."""

    name: str  # such as softmax
    arguments: dict[str, Any]  # by name; tensors are Values, or themselves if they depend on weights alone
    shapes: list[tuple[Any, ...]]  # of the outputs
    outputs: list[Value]
    input_shapes: dict[str, tuple[Any, ...]]  # of the arguments that are tensors
    kinds: list[str]  # of the outputs: float, int or bool
    input_kinds: dict[str, str]


class Recorder(TorchDispatchMode):
    """Records the operations that depend on the inputs, or on nothing at all."""

    def __init__(self, inputs: Sequence[Tensor]) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self._numbers = {id(tensor): place for place, tensor in enumerate(inputs)}
        self._kept = list(inputs)  # so that no id is used twice
        self._next = len(inputs)

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        arguments = _named(function, args, kwargs or {})
        given = [each for each in tree_flatten(arguments)[0] if isinstance(each, Tensor)]
        recorded = {name: tree_map(self.value, value) for name, value in arguments.items()}
        result = function(*args, **(kwargs or {}))
        outputs = [each for each in tree_flatten(result)[0] if isinstance(each, Tensor)]
        if outputs and (not given or any(id(each) in self._numbers for each in given)):
            tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
            self.calls.append(
                Call(
                    function._schema.name.removeprefix("aten::").rstrip("_"),
                    recorded,
                    [tuple(output.shape) for output in outputs],
                    [self._number(output) for output in outputs],
                    {name: tuple(value.shape) for name, value in tensors.items()},
                    [_kind(output) for output in outputs],
                    {name: _kind(value) for name, value in tensors.items()},
                )
            )
        return result

    def value(self, argument: Any) -> Any:
        """An argument as it is recorded."""
        known = isinstance(argument, Tensor) and id(argument) in self._numbers
        return Value(self._numbers[id(argument)]) if known else argument

    def _number(self, output: Tensor) -> Value:
        self._numbers[id(output)] = self._next
        self._kept.append(output)
        self._next += 1
        return Value(self._next - 1)


class Constants:
    """Constants of the graphs of a model: parameters by their names, and what was computed from them."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._names = {id(parameter): name for name, parameter in model.named_parameters()}
        self._kept: list[Tensor] = []

    def name(self, tensor: Tensor) -> str:
        """The name of a constant, which it gets with its first use."""
        name = self._names.setdefault(id(tensor), f"constant.{len(self.tensors)}")
        if name not in self.tensors:
            self.tensors[name] = tensor.detach().clone()
            self._kept.append(tensor)
        return name


def capture(
    function: Callable[..., Any], inputs: Callable[[int, int], tuple[Any, ...]], constants: Constants
) -> Graph:
    """The graph of a function of tensors, given arguments for it at any N and S."""
    recordings, results = [], []
    for size in SIZES:
        arguments = inputs(*size)
        recorder = Recorder([each for each in tree_flatten(arguments)[0] if isinstance(each, Tensor)])
        with torch.inference_mode(), recorder:
            result = function(*arguments)
        recordings.append(recorder.calls)
        results.append([recorder.value(each) for each in tree_flatten(result)[0] if isinstance(each, Tensor)])
    if len({tuple(call.name for call in calls) for calls in recordings}) > 1:
        raise NotPortable("it takes other steps for other lengths")
    builder = _Builder(sum(isinstance(each, Tensor) for each in tree_flatten(arguments)[0]), constants)
    for calls in zip(*recordings, strict=True):
        builder.add(_merged(calls))
    return Graph(builder.inputs, builder.nodes, [builder.ref(result) for result in results[0]])


class _Builder:
    """Makes the nodes of a graph from recorded operations."""

    def __init__(self, inputs: int, constants: Constants) -> None:
        self.inputs, self.constants = inputs, constants
        self.nodes: list[Node] = []
        self._refs: dict[int, Ref] = {number: number for number in range(inputs)}

    def add(self, call: Call) -> None:
        from nmt.portable.lowering import lower

        refs = lower(call, self)
        for output, ref in zip(call.outputs, refs, strict=True):
            self._refs[output.number] = ref

    def emit(self, op: str, *inputs: Ref, **settings: Any) -> Ref:
        """Add a node; returns its value."""
        self.nodes.append(Node(op, list(inputs), settings))
        return self.inputs + len(self.nodes) - 1

    def ref(self, argument: Any) -> Ref:
        """The value of an argument: a tensor, a constant or a number."""
        if isinstance(argument, Value):
            return self._refs[argument.number]
        if isinstance(argument, Tensor):
            return self.constants.name(argument)
        return self.emit("number", value=_written(argument))


def _written(number: float | dict[str, int]) -> Any:
    """A number as JSON can hold it, which has no infinity."""
    return number if isinstance(number, dict) or abs(number) < float("inf") else str(float(number))


def _merged(calls: Sequence[Call]) -> Call:
    """One call for three recordings of it: with sizes in place of integers that differ."""
    first = calls[0]

    def merge(name: str, *values: Any) -> Any:
        one = values[0]
        if isinstance(one, (list, tuple)) and all(len(each) == len(one) for each in values):
            return [merge(name, *parts) for parts in zip(*values, strict=True)]
        if isinstance(one, Tensor) or all(each == one for each in values):
            return one
        size: Size | None = symbolic(values, SIZES) if all(isinstance(each, int) for each in values) else None
        if size is None:
            raise NotPortable(f"the argument {name} of {first.name} depends on a length in a way that is not linear")
        return size

    arguments = {name: merge(name, *(call.arguments[name] for call in calls)) for name in first.arguments}
    shapes = merge("shape", *(call.shapes for call in calls))
    input_shapes = {name: merge("shape", *(call.input_shapes[name] for call in calls)) for name in first.input_shapes}
    return Call(first.name, arguments, shapes, first.outputs, input_shapes, first.kinds, first.input_kinds)


def _named(function: Any, args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments of an operation by name, with defaults."""
    named = {}
    for place, argument in enumerate(function._schema.arguments):
        given = args[place] if place < len(args) else kwargs.get(argument.name, argument.default_value)
        named[argument.name] = given
    return named


def _kind(tensor: Tensor) -> str:
    return "bool" if tensor.dtype == torch.bool else "float" if tensor.dtype.is_floating_point else "int"
