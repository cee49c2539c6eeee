"""Energies as sums of products, which are marked, so that they can be shown.

Shapes: … batch, and heads where there are several; B batch, T queries, S source positions, A attention size, K heads.
Marks: e = scale · rows @ column, with `rows` (S, A), a `column` (A) and a `scale` (1 where there is none), or K of
them; of rows tanh(of_piece + of_query) also `of_piece` (S, A) and `of_query` (A). A score that computes its energies
in another way may mark the same, or nothing: then they are shown as numbers only.
"""

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from nmt.model.marks import mark, mark_number

KEEP_HIDDEN = 2**26  # most numbers of the additive score's hidden layer that a training step stores: 256 MiB


def dot_energies(queries: Tensor, keys: Tensor, divisor: float = 1.0) -> Tensor:
    """Energies query'key / divisor of every query (…, T, A) and key (…, S, A): (…, T, S)."""
    energies = mark("column", queries, -2) @ mark("rows", keys).mT
    if divisor == 1.0:
        return energies
    mark_number("scale", 1 / divisor)
    return energies / divisor


def additive_energies(queries: Tensor, keys: Tensor, v: Tensor) -> Tensor:
    """v'tanh(query + key) for every query (B, T, A) and key (B, S, A): (B, T, S).

    The hidden layers are B·T·S·A numbers. Where they are more than `KEEP_HIDDEN`, the backward pass computes them again
    instead of storing them, one query at a time, so that long sentences can be trained on.
    """

    def energies(query: Tensor, keys: Tensor, v: Tensor) -> Tensor:
        hidden = mark("of_piece", keys) + mark("of_query", query).unsqueeze(1)  # (B, S, A)
        return mark("rows", hidden.tanh_()) @ v

    # A decoder that looks once a step calls with T = 1, about as often as the source is long.
    stored = keys.numel() * max(queries.size(1), keys.size(1))
    again = torch.is_grad_enabled() and stored > KEEP_HIDDEN
    v = mark("column", v.to(keys.dtype))
    rows = [
        checkpoint(energies, query, keys, v, use_reentrant=False, preserve_rng_state=False)
        if again
        else energies(query, keys, v)
        for query in queries.unbind(dim=1)
    ]
    return torch.stack(rows, dim=1)
