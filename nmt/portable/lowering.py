"""PyTorch's operations in terms of the few that engines know.

Engines know one kind of number: float32, where False is 0 and True is 1; integers are exact in it up to 2²⁴.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from torch import Tensor

from nmt.portable.builder import Builder, Call, NotPortable
from nmt.portable.graph import Ref
from nmt.portable.shapes import SHAPES

Lowering: TypeAlias = Callable[[Call, Builder], "Ref | list[Ref]"]

UNARY = ("tanh", "sigmoid", "exp", "log", "log1p", "neg", "abs", "sqrt", "sin", "cos")
BINARY = ("mul", "div", "maximum", "minimum", "logaddexp", "le", "lt", "ge", "gt", "eq", "ne", "pow")
SAME = {f"{way}{op}": op for op in ("and", "or", "not") for way in ("__", "bitwise_", "logical_")}
IDENTITY = ("detach", "alias", "contiguous", "clone", "dropout", "lift_fresh", "positive")
REDUCE = {"sum": "sum", "mean": "mean", "amax": "amax", "any": "amax", "argmax": "argmax", "cumsum": "cumsum"}


def lower(call: Call, to: Builder) -> list[Ref]:
    """Add the nodes that compute a call; returns its outputs."""
    lowering = LOWERINGS.get(call.name)
    if lowering is None:
        raise NotPortable(
            f"PyTorch's {call.name} has no counterpart in the portable engines (nmt/portable/lowering.py)"
        )
    refs = lowering(call, to)
    return refs if isinstance(refs, list) else [refs]


def _unary(op: str) -> Lowering:
    return lambda call, to: to.emit(op, *to.refs(call, "self"))


def _binary(op: str) -> Lowering:
    def lowering(call: Call, to: Builder) -> Ref:
        names = ("self", "exponent") if op == "pow" else ("self", "other")
        return to.emit(op, *to.refs(call, *names))

    return lowering


def _sum_of_two(call: Call, to: Builder) -> Ref:
    """`add`, `sub` and `rsub`, whose second operand may have a factor."""
    one, other = to.refs(call, "self", "other")
    if (alpha := call.arguments.get("alpha", 1)) != 1:
        other = to.emit("mul", other, to.ref(alpha))
    if call.name == "rsub":
        one, other = other, one
    return to.emit("add" if call.name == "add" else "sub", one, other)


def _linear(call: Call, to: Builder) -> Ref:
    x, weight = to.refs(call, "input", "weight")
    if not isinstance(call.arguments["weight"], Tensor):
        product = to.emit("matmul", x, to.emit("transpose", weight, order=[1, 0]))
    else:
        product = to.emit("linear", x, weight)
    bias = call.arguments["bias"]
    return product if bias is None else to.emit("add", product, to.ref(bias))


def _matmul(call: Call, to: Builder) -> Ref:
    return to.emit("matmul", *to.refs(call, "self", "other" if "other" in call.arguments else "mat2"))


def _embedding(call: Call, to: Builder) -> Ref:
    return to.emit("embed", *to.refs(call, "weight", "indices"))


def _layer_norm(call: Call, to: Builder) -> Ref:
    return to.emit("layer_norm", *to.refs(call, "input", "weight", "bias"), eps=call.arguments["eps"])


def _softmax(call: Call, to: Builder) -> Ref:
    return to.emit("softmax", *to.refs(call, "self"), dim=call.dim)


def _log_softmax(call: Call, to: Builder) -> Ref:
    (x,), dims = to.refs(call, "self"), [call.dim]
    shifted = to.emit("sub", x, to.emit("amax", x, dims=dims))
    return to.emit("sub", shifted, to.emit("log", to.emit("sum", to.emit("exp", shifted), dims=dims)))


def _reduce(op: str) -> Lowering:
    def lowering(call: Call, to: Builder) -> Ref:
        dim, rank = call.arguments.get("dim"), len(call.input_shapes["self"])
        dims = [] if dim is None else [dim] if isinstance(dim, int) else list(dim)
        dims = [place % rank for place in dims] or list(range(rank))
        (x,) = to.refs(call, "self")
        if op == "argmax" and len(dims) != 1:
            x, dims = to.emit("reshape", x, shape=[-1]), [0]
        if op in ("argmax", "cumsum"):
            reduced = to.emit(op, x, dim=dims[0])
            return reduced if op == "cumsum" else to.emit("reshape", reduced, shape=call.shapes[0])
        reduced = to.emit(op, x, dims=dims)  # a 1 in the place of each dimension that is reduced
        return reduced if call.arguments.get("keepdim") else to.emit("reshape", reduced, shape=call.shapes[0])

    return lowering


def _where(call: Call, to: Builder) -> Ref:
    return to.emit("where", *to.refs(call, "condition", "self", "other"))


def _masked_fill(call: Call, to: Builder) -> Ref:
    x, mask, value = to.refs(call, "self", "mask", "value")
    return to.emit("where", mask, value, x)


def _convert(call: Call, to: Builder) -> Ref:
    (x,) = to.refs(call, "self")
    kind, before = call.kinds[0], call.input_kinds["self"]
    if kind == "bool" and before != "bool":
        return to.emit("ne", x, to.ref(0.0))
    return to.emit("trunc", x) if kind == "int" and before == "float" else x


def _same(call: Call, to: Builder) -> Ref:
    return to.refs(call, "self" if "self" in call.arguments else "input")[0]


def _addcmul(call: Call, to: Builder) -> Ref:
    x, one, other = to.refs(call, "self", "tensor1", "tensor2")
    product = to.emit("mul", one, other)
    if (factor := call.arguments.get("value", 1)) != 1:
        product = to.emit("mul", product, to.ref(factor))
    return to.emit("add", x, product)


def _lerp(call: Call, to: Builder) -> Ref:
    x, end, weight = to.refs(call, "self", "end", "weight")
    return to.emit("add", x, to.emit("mul", weight, to.emit("sub", end, x)))


def _square(call: Call, to: Builder) -> Ref:
    (x,) = to.refs(call, "self")
    return to.emit("mul", x, x)


def _clamp(call: Call, to: Builder) -> Ref:
    (x,) = to.refs(call, "self")
    for name, op in (("min", "maximum"), ("max", "minimum")):
        if call.arguments.get(name) is not None:
            x = to.emit(op, x, to.ref(call.arguments[name]))
    return x


def _relu(call: Call, to: Builder) -> Ref:
    return to.emit("maximum", *to.refs(call, "self"), to.ref(0.0))


LOWERINGS: dict[str, Lowering] = {
    **SHAPES,
    **{op: _unary(op) for op in UNARY},
    **{op: _binary(op) for op in BINARY},
    **{name: _unary(op) if op == "not" else _binary(op) for name, op in SAME.items()},
    **dict.fromkeys(("add", "sub", "rsub"), _sum_of_two),
    **dict.fromkeys(("matmul", "mm", "bmm"), _matmul),
    **dict.fromkeys(IDENTITY, _same),
    **dict.fromkeys(("to", "_to_copy", "type_as"), _convert),
    **{name: _reduce(op) for name, op in REDUCE.items()},
    "linear": _linear,
    "embedding": _embedding,
    "layer_norm": _layer_norm,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "where": _where,
    "masked_fill": _masked_fill,
    "addcmul": _addcmul,
    "lerp": _lerp,
    "square": _square,
    "clamp": _clamp,
    "relu": _relu,
}
