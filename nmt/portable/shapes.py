"""PyTorch's operations that move or repeat numbers without computing: views, slices, fills."""

from __future__ import annotations

from itertools import accumulate

from nmt.portable.builder import Builder, Call, NotPortable
from nmt.portable.graph import Ref

RESHAPE = ("view", "_unsafe_view", "reshape", "unflatten", "flatten", "squeeze", "unsqueeze")
FULL = {"zeros_like": 0.0, "new_zeros": 0.0, "zeros": 0.0, "ones_like": 1.0, "new_ones": 1.0, "ones": 1.0}


def _reshape(call: Call, to: Builder) -> Ref:
    return to.emit("reshape", *to.refs(call, "self"), shape=call.shapes[0])


def _expand(call: Call, to: Builder) -> Ref:
    return to.emit("expand", *to.refs(call, "self"), shape=call.shapes[0])


def _full(call: Call, to: Builder) -> Ref:
    value = FULL.get(call.name, call.arguments.get("fill_value", call.arguments.get("value")))
    return to.emit("expand", to.ref(value), shape=call.shapes[0])


def _arange(call: Call, to: Builder) -> Ref:
    return to.emit("arange", start=call.arguments.get("start", 0), size=call.shapes[0][0])


def _transpose(call: Call, to: Builder) -> Ref:
    rank = len(call.input_shapes["self"])
    order = list(range(rank))
    if call.name == "permute":
        order = [place % rank for place in call.arguments["dims"]]
    else:
        pair = (call.arguments["dim0"], call.arguments["dim1"]) if call.name == "transpose" else (-2, -1)
        a, b = (place % rank for place in pair)
        order[a], order[b] = b, a
    return to.emit("transpose", *to.refs(call, "self"), order=order)


def _cat(call: Call, to: Builder) -> Ref:
    rank = len(call.shapes[0])
    refs = [to.ref(tensor) for tensor in call.arguments["tensors"]]
    dim = call.arguments["dim"] % rank
    if call.name == "stack":
        shape = [1 if place == dim else size for place, size in enumerate(call.shapes[0])]
        refs = [to.emit("reshape", ref, shape=shape) for ref in refs]
    return to.emit("cat", *refs, dim=dim)


def _slice(call: Call, to: Builder) -> Ref:
    dim, start, step = call.dim, call.arguments["start"] or 0, call.arguments["step"]
    (x,) = to.refs(call, "self")
    size = call.shapes[0][dim]
    if start == 0 and step == 1 and size == call.input_shapes["self"][dim]:
        return x
    return to.emit("slice", x, dim=dim, start=start, size=size, step=step)


def _select(call: Call, to: Builder) -> Ref:
    (x,) = to.refs(call, "self")
    part = to.emit("slice", x, dim=call.dim, start=call.arguments["index"], size=1, step=1)
    return to.emit("reshape", part, shape=call.shapes[0])


def _parts(call: Call, to: Builder) -> list[Ref]:
    """`chunk`, `split` and `unbind`: slices, one after the other."""
    dim, (x,) = call.dim, to.refs(call, "self")
    sizes = [1 if call.name == "unbind" else shape[dim] for shape in call.shapes]
    if len(sizes) > 1 and not all(isinstance(size, int) for size in sizes):
        raise NotPortable(f"{call.name} cuts into parts whose sizes depend on a length")
    starts = [0, *accumulate(sizes)]
    slices = (
        to.emit("slice", x, dim=dim, start=start, size=size, step=1) for start, size in zip(starts, sizes, strict=False)
    )
    parts = list(slices) if len(sizes) > 1 else [x]
    if call.name != "unbind":
        return parts
    return [to.emit("reshape", part, shape=shape) for part, shape in zip(parts, call.shapes, strict=True)]


SHAPES = {
    **dict.fromkeys(RESHAPE, _reshape),
    **dict.fromkeys(("expand", "expand_as", "broadcast_to"), _expand),
    **dict.fromkeys((*FULL, "full_like", "new_full", "full", "fill"), _full),
    **dict.fromkeys(("transpose", "permute", "mT", "t"), _transpose),
    **dict.fromkeys(("cat", "stack"), _cat),
    **dict.fromkeys(("chunk", "split", "split_with_sizes", "unbind"), _parts),
    "arange": _arange,
    "slice": _slice,
    "select": _select,
}
