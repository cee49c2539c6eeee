"""The operations of a graph, in numpy: one function each, and the interpreter that runs them in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nmt.portable.graph import Graph, Node, evaluate, has_size

Array = NDArray[np.float32]
Kernel = Callable[..., Array]


def _linear(x: Array, weight: Array) -> Array:
    rows = x.reshape(-1, x.shape[-1]) @ weight.T  # one product of matrices, not one for each of N
    return rows.reshape(*x.shape[:-1], -1)


def _sigmoid(x: Array) -> Array:
    return np.float32(0.5) * np.tanh(np.float32(0.5) * x) + np.float32(0.5)  # exp(-x) would overflow


def _softmax(x: Array, dim: int) -> Array:
    exponentials = np.exp(x - x.max(axis=dim, keepdims=True))
    return exponentials / exponentials.sum(axis=dim, keepdims=True)


def _layer_norm(x: Array, weight: Array, bias: Array, eps: float) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(eps)) * weight + bias


def _slice(x: Array, dim: int, start: int, size: int, step: int) -> Array:
    start = start + x.shape[dim] if start < 0 else start
    return x[(slice(None),) * dim + (slice(start, start + (size - 1) * step + 1, step),)]


def _where(condition: Array, one: Array, other: Array) -> Array:
    chosen: Array = np.where(condition != 0, one, other)
    return chosen


def _truth(function: Callable[..., Any]) -> Kernel:
    return lambda *inputs: function(*inputs).astype(np.float32)


KERNELS: dict[str, Kernel] = {
    "number": lambda value: np.asarray(value, np.float32),
    "linear": _linear,
    "matmul": np.matmul,
    "embed": lambda weight, places: weight[places.astype(np.int64)],
    "softmax": _softmax,
    "layer_norm": _layer_norm,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "exp": np.exp,
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "neg": np.negative,
    "abs": np.abs,
    "trunc": np.trunc,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "pow": np.power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "logaddexp": np.logaddexp,
    "le": _truth(np.less_equal),
    "lt": _truth(np.less),
    "ge": _truth(np.greater_equal),
    "gt": _truth(np.greater),
    "eq": _truth(np.equal),
    "ne": _truth(np.not_equal),
    "not": _truth(np.logical_not),
    "and": _truth(np.logical_and),
    "or": _truth(np.logical_or),
    "where": _where,
    "sum": lambda x, dims: x.sum(axis=tuple(dims), keepdims=True),
    "mean": lambda x, dims: x.mean(axis=tuple(dims), keepdims=True),
    "amax": lambda x, dims: x.max(axis=tuple(dims), keepdims=True),
    "argmax": lambda x, dim: x.argmax(axis=dim).astype(np.float32),
    "cumsum": lambda x, dim: x.cumsum(axis=dim),
    "cat": lambda *parts, dim: np.concatenate(parts, axis=dim),
    "slice": _slice,
    "reshape": lambda x, shape: x.reshape(shape),
    "expand": lambda x, shape: np.broadcast_to(x, shape),
    "transpose": lambda x, order: x.transpose(order),
    "arange": lambda start, size: np.arange(start, start + size, dtype=np.float32),
}


class Program:
    """A graph whose constants are at hand, ready to run."""

    def __init__(self, graph: Graph, constants: Mapping[str, Array]) -> None:
        def resolved(ref: int | str) -> int | Array:
            return constants[ref] if isinstance(ref, str) else ref

        self._steps = [self._step(node, [resolved(ref) for ref in node.inputs]) for node in graph.nodes]
        self._outputs = [resolved(ref) for ref in graph.outputs]
        self.marks = {name: (resolved(ref), dim) for name, (ref, dim) in graph.marks.items()}
        self.shared = {name for name, (ref, _) in graph.marks.items() if isinstance(ref, str)}  # marks without a batch

    @staticmethod
    def _step(node: Node, inputs: list[int | Array]) -> tuple[Kernel, list[int | Array], dict[str, Any], bool]:
        """The kernel of a node, its inputs, its settings, and whether these have sizes."""
        kernel, settings, sized = KERNELS[node.op], node.settings, has_size([*node.settings.values()])
        if inputs or sized:
            return kernel, inputs, settings, sized
        number = kernel(**settings)  # computed once
        return lambda: number, [], {}, False

    def __call__(self, inputs: Sequence[Array], hypotheses: int = 1, source: int = 1) -> list[Array]:
        """The outputs for these inputs, at these sizes N and S."""
        return self.inspect(inputs, hypotheses, source)[0]

    def inspect(
        self, inputs: Sequence[Array], hypotheses: int = 1, source: int = 1, given: Mapping[str, Array] | None = None
    ) -> tuple[list[Array], dict[str, Array]]:
        """The outputs and the marks, without their dimension of one step; `given` values replace marks."""
        replaced = {self.marks[name][0]: (self.marks[name][1], value) for name, value in (given or {}).items()}
        values = [*inputs]

        def value_of(ref: int | Array) -> Array:
            return values[ref] if isinstance(ref, int) else ref

        with np.errstate(all="ignore"):  # infinities are at home in attention
            for kernel, refs, settings, sized in self._steps:
                if sized:
                    settings = {name: evaluate(value, hypotheses, source) for name, value in settings.items()}
                value = kernel(*[values[ref] if isinstance(ref, int) else ref for ref in refs], **settings)
                if replaced and len(values) in replaced:
                    dim, new = replaced[len(values)]
                    value = np.broadcast_to(new if dim is None else np.expand_dims(new, dim), value.shape)
                values.append(value)
        marks = {
            name: value_of(ref) if dim is None else value_of(ref).squeeze(dim)
            for name, (ref, dim) in self.marks.items()
        }
        return [value_of(ref) for ref in self._outputs], marks
