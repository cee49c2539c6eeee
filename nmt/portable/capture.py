"""Captures what a PyTorch function computes as a graph of elementary operations.

The function runs at three sizes under a recorder of PyTorch's operations. Integers that differ between the recordings
are sizes. Operations on weights alone are not recorded: their results become constants of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from nmt.model.marks import recorded
from nmt.portable.builder import Builder, Call, Constants, NotPortable, Value
from nmt.portable.graph import Graph, symbolic
from nmt.portable.lowering import lower

SIZES = ((2, 5), (3, 7), (5, 11))  # (N, S) of the recordings: pairwise different, so that no two sizes are confused


class Recorder(TorchDispatchMode):
    """Records the operations that depend on the inputs, and those without tensors, such as `zeros`."""

    def __init__(self, inputs: Sequence[Tensor]) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self._values = {id(tensor): Value(place) for place, tensor in enumerate(inputs)}
        self._kept = list(inputs)  # so that no id is used twice

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """False: PyTorch would import its compiler to keep it away from this class, which takes seconds."""
        return False

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        arguments = _named(function, args, kwargs or {})
        given = _tensors(arguments)
        recorded = tree_map(self.value, arguments)
        result = function(*args, **(kwargs or {}))
        outputs = _tensors(result)
        depends = any(id(each) in self._values for each in given)
        if depends and not outputs:  # such as item(), on which Python code may depend
            raise NotPortable(f"it reads values of tensors ({function._schema.name})")
        if outputs and (depends or not given):
            tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
            self.calls.append(
                Call(
                    name=function._schema.name.removeprefix("aten::").rstrip("_"),
                    arguments=recorded,
                    input_shapes={name: tuple(value.shape) for name, value in tensors.items()},
                    input_kinds={name: _kind(value) for name, value in tensors.items()},
                    outputs=[self._new_value(output) for output in outputs],
                    shapes=[tuple(output.shape) for output in outputs],
                    kinds=[_kind(output) for output in outputs],
                )
            )
        return result

    def value(self, argument: Any) -> Any:
        """The Value of a tensor that depends on the inputs; anything else stays as it is."""
        return self._values.get(id(argument), argument) if isinstance(argument, Tensor) else argument

    def _new_value(self, output: Tensor) -> Value:
        """A new Value, also for a tensor that an operation changed in place."""
        value = self._values[id(output)] = Value(len(self._kept))
        self._kept.append(output)
        return value


def capture(function: Callable[..., Any], inputs: Callable[[int, int], tuple[Any, ...]], constants: Constants) -> Graph:
    """Capture a function of tensors as a graph, given arguments for it at any N and S.

    Its marks (`nmt.model.marks`) become marks of the graph.
    """
    recordings, results, marks = [], [], []
    for size in SIZES:
        arguments = inputs(*size)
        given = _tensors(arguments)
        recorder = Recorder(given)
        with torch.inference_mode(), recorder, recorded() as seen:
            result = function(*arguments)
        recordings.append(recorder.calls)
        results.append([recorder.value(each) for each in _tensors(result)])
        marks.append({name: (recorder.value(x), _place(x, dim)) for name, (x, dim) in seen.items()})
    if len({tuple(call.name for call in calls) for calls in recordings}) > 1:
        raise NotPortable("it takes other steps for other lengths")
    builder = Builder(len(given), constants)
    for calls in zip(*recordings, strict=True):
        call = _merged(calls)
        builder.bind(call.outputs, lower(call, builder))
    return builder.graph(results[0], marks[0])


def _merged(calls: Sequence[Call]) -> Call:
    """One call for three recordings of it, with sizes in place of integers that differ."""
    first = calls[0]

    def merge(name: str, *values: Any) -> Any:
        one = values[0]
        if isinstance(one, dict):
            return {key: merge(key, *(each[key] for each in values)) for key in one}
        if isinstance(one, (list, tuple)) and all(len(each) == len(one) for each in values):
            return [merge(name, *parts) for parts in zip(*values, strict=True)]
        if isinstance(one, Tensor) or all(each == one for each in values):
            return one
        size = symbolic(values, SIZES) if all(isinstance(each, int) for each in values) else None
        if size is None:
            raise NotPortable(f"the argument {name} of {first.name} depends on a length in a way that is not linear")
        return size

    return Call(
        name=first.name,
        arguments=merge("", *(call.arguments for call in calls)),
        input_shapes=merge("", *(call.input_shapes for call in calls)),
        input_kinds=first.input_kinds,
        outputs=first.outputs,
        shapes=merge("shape", *(call.shapes for call in calls)),
        kinds=first.kinds,
    )


def _named(function: Any, args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments of an operation by name, with defaults."""
    named = {}
    for place, argument in enumerate(function._schema.arguments):
        given = args[place] if place < len(args) else kwargs.get(argument.name, argument.default_value)
        named[argument.name] = given
    return named


def _tensors(tree: Any) -> list[Tensor]:
    """All tensors in nested tuples, lists and dictionaries."""
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]


def _place(tensor: Tensor, dim: int | None) -> int | None:
    """A dimension counted from the front."""
    return None if dim is None else dim % tensor.dim()


def _kind(tensor: Tensor) -> str:
    return "bool" if tensor.dtype == torch.bool else "float" if tensor.dtype.is_floating_point else "int"
