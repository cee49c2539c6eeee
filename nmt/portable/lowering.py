"""PyTorch's operations in terms of the few that engines know.

Engines know one kind of number: float32, where False is 0 and True is 1; integers are exact in it up to 2²⁴.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from torch import Tensor

from nmt.portable.graph import Ref

if TYPE_CHECKING:
    from nmt.portable.capture import Call, _Builder

Lowering = Callable[["Call", "_Builder"], "Ref | list[Ref]"]

UNARY = ("tanh", "sigmoid", "exp", "log", "log1p", "neg", "abs", "sqrt", "sin", "cos")
BINARY = ("mul", "div", "maximum", "minimum", "logaddexp", "le", "lt", "ge", "gt", "eq", "ne", "pow")
SAME = {f"{way}{op}": op for op in ("and", "or", "not") for way in ("__", "bitwise_", "logical_")}
IDENTITY = ("detach", "alias", "contiguous", "clone", "dropout", "lift_fresh", "positive")
RESHAPE = ("view", "_unsafe_view", "reshape", "unflatten", "flatten", "squeeze", "unsqueeze")
FULL = {"zeros_like": 0.0, "new_zeros": 0.0, "zeros": 0.0, "ones_like": 1.0, "new_ones": 1.0, "ones": 1.0}
REDUCE = {"sum": "sum", "mean": "mean", "amax": "amax", "any": "amax", "argmax": "argmax", "cumsum": "cumsum"}


def lower(call: Call, to: _Builder) -> list[Ref]:
    """Add the nodes that compute a call; returns its outputs."""
    from nmt.portable.capture import NotPortable

    lowering = _TABLE.get(call.name)
    if lowering is None:
        raise NotPortable(f"PyTorch's {call.name} has no counterpart in the portable engines (nmt/portable/lowering.py)")
    refs = lowering(call, to)
    return refs if isinstance(refs, list) else [refs]


def _get(call: Call, to: _Builder, *names: str) -> list[Ref]:
    return [to.ref(call.arguments[name]) for name in names]


def _unary(op: str) -> Lowering:
    return lambda call, to: to.emit(op, *_get(call, to, "self"))


def _binary(op: str) -> Lowering:
    def lowering(call: Call, to: _Builder) -> Ref:
        names = ("self", "exponent") if op == "pow" else ("self", "other")
        return to.emit(op, *_get(call, to, *names))

    return lowering


def _sum_of_two(call: Call, to: _Builder) -> Ref:
    """`add`, `sub` and `rsub`, whose second operand may have a factor."""
    one, other = _get(call, to, "self", "other")
    if (alpha := call.arguments.get("alpha", 1)) != 1:
        other = to.emit("mul", other, to.ref(alpha))
    if call.name == "rsub":
        one, other = other, one
    return to.emit("add" if call.name == "add" else "sub", one, other)


def _linear(call: Call, to: _Builder) -> Ref:
    x, weight = _get(call, to, "input", "weight")
    if not isinstance(call.arguments["weight"], Tensor):
        product = to.emit("matmul", x, to.emit("transpose", weight, order=[1, 0]))
    else:
        product = to.emit("linear", x, weight)
    bias = call.arguments["bias"]
    return product if bias is None else to.emit("add", product, to.ref(bias))


def _matmul(call: Call, to: _Builder) -> Ref:
    return to.emit("matmul", *_get(call, to, "self", "other" if "other" in call.arguments else "mat2"))


def _embedding(call: Call, to: _Builder) -> Ref:
    return to.emit("embed", *_get(call, to, "weight", "indices"))


def _layer_norm(call: Call, to: _Builder) -> Ref:
    return to.emit("layer_norm", *_get(call, to, "input", "weight", "bias"), eps=call.arguments["eps"])


def _softmax(call: Call, to: _Builder) -> Ref:
    return to.emit("softmax", *_get(call, to, "self"), dim=_dim(call))


def _log_softmax(call: Call, to: _Builder) -> Ref:
    return to.emit("log", _softmax(call, to))


def _reduce(op: str) -> Lowering:
    def lowering(call: Call, to: _Builder) -> Ref:
        dim, rank = call.arguments.get("dim"), len(call.input_shapes["self"])
        dims = [] if dim is None else [dim] if isinstance(dim, int) else list(dim)
        dims = [place % rank for place in dims] or list(range(rank))
        (x,) = _get(call, to, "self")
        if op == "argmax" and len(dims) != 1:
            x, dims = to.emit("reshape", x, shape=[-1]), [0]
        if op in ("argmax", "cumsum"):
            reduced = to.emit(op, x, dim=dims[0])
            return reduced if op == "cumsum" else to.emit("reshape", reduced, shape=call.shapes[0])
        return to.emit("reshape", to.emit(op, x, dims=dims), shape=call.shapes[0])

    return lowering


def _where(call: Call, to: _Builder) -> Ref:
    return to.emit("where", *_get(call, to, "condition", "self", "other"))


def _masked_fill(call: Call, to: _Builder) -> Ref:
    x, mask, value = _get(call, to, "self", "mask", "value")
    return to.emit("where", mask, value, x)


def _scatter(call: Call, to: _Builder) -> Ref:
    """x with a number at one place along a dimension."""
    dim, shape = _dim(call), call.input_shapes["self"]
    if "value" not in call.arguments or call.input_shapes["index"][dim] != 1:
        from nmt.portable.capture import NotPortable

        raise NotPortable("scatter is known for one index and a number only")
    places = to.emit("arange", start=0, size=shape[dim])
    places = to.emit("reshape", places, shape=[shape[dim] if place == dim else 1 for place in range(len(shape))])
    x, index, value = _get(call, to, "self", "index", "value")
    return to.emit("where", to.emit("eq", places, index), value, x)


def _reshape(call: Call, to: _Builder) -> Ref:
    return to.emit("reshape", *_get(call, to, "self"), shape=call.shapes[0])


def _expand(call: Call, to: _Builder) -> Ref:
    return to.emit("expand", *_get(call, to, "self"), shape=call.shapes[0])


def _full(call: Call, to: _Builder) -> Ref:
    value = FULL.get(call.name, call.arguments.get("fill_value", call.arguments.get("value")))
    return to.emit("expand", to.ref(value), shape=call.shapes[0])


def _arange(call: Call, to: _Builder) -> Ref:
    return to.emit("arange", start=call.arguments.get("start", 0), size=call.shapes[0][0])


def _transpose(call: Call, to: _Builder) -> Ref:
    rank = len(call.input_shapes["self"])
    order = list(range(rank))
    if call.name == "permute":
        order = [place % rank for place in call.arguments["dims"]]
    else:
        pair = (call.arguments["dim0"], call.arguments["dim1"]) if call.name == "transpose" else (-2, -1)
        a, b = (place % rank for place in pair)
        order[a], order[b] = b, a
    return to.emit("transpose", *_get(call, to, "self"), order=order)


def _cat(call: Call, to: _Builder) -> Ref:
    rank = len(call.shapes[0])
    refs = [to.ref(tensor) for tensor in call.arguments["tensors"]]
    dim = call.arguments["dim"] % rank
    if call.name == "stack":
        shape = [1 if place == dim else size for place, size in enumerate(call.shapes[0])]
        refs = [to.emit("reshape", ref, shape=shape) for ref in refs]
    return to.emit("cat", *refs, dim=dim)


def _slice(call: Call, to: _Builder) -> Ref:
    dim, start, step = _dim(call), call.arguments["start"] or 0, call.arguments["step"]
    (x,) = _get(call, to, "self")
    size = call.shapes[0][dim]
    if start == 0 and step == 1 and size == call.input_shapes["self"][dim]:
        return x
    return to.emit("slice", x, dim=dim, start=start, size=size, step=step)


def _select(call: Call, to: _Builder) -> Ref:
    (x,) = _get(call, to, "self")
    part = to.emit("slice", x, dim=_dim(call), start=call.arguments["index"], size=1, step=1)
    return to.emit("reshape", part, shape=call.shapes[0])


def _parts(call: Call, to: _Builder) -> list[Ref]:
    """`chunk`, `split` and `unbind`: slices, one after the other."""
    dim, (x,) = _dim(call), _get(call, to, "self")
    sizes = [1 if call.name == "unbind" else shape[dim] for shape in call.shapes]
    if len(sizes) == 1 and call.name != "unbind":
        return [x]
    starts = [0, *accumulate(sizes)]
    parts = [
        to.emit("slice", x, dim=dim, start=start, size=size, step=1) if len(sizes) > 1 else x
        for start, size in zip(starts, sizes, strict=False)
    ]
    if call.name != "unbind":
        return parts
    return [to.emit("reshape", part, shape=shape) for part, shape in zip(parts, call.shapes, strict=True)]


def _convert(call: Call, to: _Builder) -> Ref:
    (x,) = _get(call, to, "self")
    kind, before = call.kinds[0], call.input_kinds["self"]
    if kind == "bool" and before != "bool":
        return to.emit("ne", x, to.ref(0.0))
    return to.emit("trunc", x) if kind == "int" and before == "float" else x


def _same(call: Call, to: _Builder) -> Ref:
    return _get(call, to, "self" if "self" in call.arguments else "input")[0]


def _addcmul(call: Call, to: _Builder) -> Ref:
    x, one, other = _get(call, to, "self", "tensor1", "tensor2")
    product = to.emit("mul", one, other)
    if (factor := call.arguments.get("value", 1)) != 1:
        product = to.emit("mul", product, to.ref(factor))
    return to.emit("add", x, product)


def _lerp(call: Call, to: _Builder) -> Ref:
    x, end, weight = _get(call, to, "self", "end", "weight")
    return to.emit("add", x, to.emit("mul", weight, to.emit("sub", end, x)))


def _square(call: Call, to: _Builder) -> Ref:
    (x,) = _get(call, to, "self")
    return to.emit("mul", x, x)


def _clamp(call: Call, to: _Builder) -> Ref:
    (x,) = _get(call, to, "self")
    for name, op in (("min", "maximum"), ("max", "minimum")):
        if call.arguments.get(name) is not None:
            x = to.emit(op, x, to.ref(call.arguments[name]))
    return x


def _relu(call: Call, to: _Builder) -> Ref:
    return to.emit("maximum", *_get(call, to, "self"), to.ref(0.0))


def _dim(call: Call) -> int:
    rank = len(call.input_shapes["self"])
    dim: int = call.arguments["dim"]
    return dim % rank


_TABLE: dict[str, Lowering] = {
    **{op: _unary(op) for op in UNARY},
    **{op: _binary(op) for op in BINARY},
    **{name: _unary(op) if op == "not" else _binary(op) for name, op in SAME.items()},
    **dict.fromkeys(("add", "sub", "rsub"), _sum_of_two),
    **dict.fromkeys(("matmul", "mm", "bmm"), _matmul),
    **dict.fromkeys(IDENTITY, _same),
    **dict.fromkeys(RESHAPE, _reshape),
    **dict.fromkeys(("expand", "expand_as", "broadcast_to"), _expand),
    **dict.fromkeys((*FULL, "full_like", "new_full", "full", "fill"), _full),
    **dict.fromkeys(("transpose", "permute", "mT", "t"), _transpose),
    **dict.fromkeys(("cat", "stack"), _cat),
    **dict.fromkeys(("chunk", "split", "split_with_sizes", "unbind"), _parts),
    **dict.fromkeys(("to", "_to_copy", "type_as"), _convert),
    **{name: _reduce(op) for name, op in REDUCE.items()},
    "linear": _linear,
    "embedding": _embedding,
    "layer_norm": _layer_norm,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "where": _where,
    "masked_fill": _masked_fill,
    "scatter": _scatter,
    "arange": _arange,
    "slice": _slice,
    "select": _select,
    "addcmul": _addcmul,
    "lerp": _lerp,
    "square": _square,
    "clamp": _clamp,
    "relu": _relu,
}
