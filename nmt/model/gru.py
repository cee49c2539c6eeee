"""The GRU of training, fast: a cell's pointwise maths is one node with one backward, not a dozen.

Shapes: B batch, N tokens of a packed batch, H state size.
Both functions equal a plain formula, which stands beside them and which the tests differentiate instead.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

sigmoid_backward = torch.ops.aten.sigmoid_backward  # g, σ → g σ(1 − σ)
tanh_backward = torch.ops.aten.tanh_backward  # g, t → g (1 − t²)


def gru_cell(from_x: Tensor, from_h: Tensor, h: Tensor) -> Tensor:
    """The GRU's new state (B, H) from the products of its input and of its last state with all gates (B, 3H).

    r = σ(xᵣ + hᵣ), z = σ(x_z + h_z), n = tanh(xₙ + r∘hₙ), h' = (1 − z)∘n + z∘h.
    """
    new: Tensor = _GruCell.apply(from_x, from_h, h.to(from_h.dtype))
    return new


class _GruCell(Function):
    @staticmethod
    def forward(ctx: Any, from_x: Tensor, from_h: Tensor, h: Tensor) -> Tensor:
        size = h.size(-1)
        r, z = (from_x[:, : 2 * size] + from_h[:, : 2 * size]).sigmoid_().chunk(2, dim=-1)
        h_n = from_h[:, 2 * size :]
        n = torch.addcmul(from_x[:, 2 * size :], r, h_n).tanh_()
        ctx.save_for_backward(r, z, n, h_n, h)
        return torch.lerp(n, h, z)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        r, z, n, h_n, h = ctx.saved_tensors
        size = h.size(-1)
        keep = g * z
        d_from_x = g.new_empty(g.size(0), 3 * size)
        d_r, d_z, d_n = d_from_x.split(size, dim=-1)
        torch.mul(g - keep, 1 - n * n, out=d_n)
        sigmoid_backward(d_n * h_n, r, grad_input=d_r)
        sigmoid_backward(g * (h - n), z, grad_input=d_z)
        return d_from_x, torch.cat([d_from_x[:, : 2 * size], d_n * r], dim=-1), keep


def gru_sequence(
    from_x: Tensor, h: Tensor, weight: Tensor, bias: Tensor, sizes: list[int], reverse: bool
) -> tuple[Tensor, Tensor]:
    """A GRU over a whole packed batch: `gru_cell` with hᵣ, h_z, hₙ = Wh + b, step after step.

    Args:
        from_x: The products of all inputs with all gates (N, 3H), packed: step after step, longest sentence first.
        h: First states (B, H).
        weight: Of the last state (3H, H).
        bias: Of the last state (3H,).
        sizes: How many sentences still run, at each step.
        reverse: Whether to begin at the last step.

    Returns:
        States (N, H), packed, and each sentence's last state (B, H).
    """
    outputs, last = _GruSequence.apply(from_x, h, weight, bias, sizes, reverse)
    return outputs, last


def _spans(sizes: list[int], backwards: bool) -> list[tuple[slice, slice]]:
    """Where each step lies among the packed tokens, and among the sentences."""
    spans, start = [], 0
    for size in sizes:
        spans.append((slice(start, start + size), slice(0, size)))
        start += size
    return spans[::-1] if backwards else spans


class _GruSequence(Function):
    @staticmethod
    def forward(
        ctx: Any, from_x: Tensor, h: Tensor, weight: Tensor, bias: Tensor, sizes: list[int], reverse: bool
    ) -> tuple[Tensor, Tensor]:
        size, h = h.size(-1), h.clone()
        gates = torch.empty_like(from_x)  # r, z and hₙ
        before, n, after = (from_x.new_empty(len(from_x), size) for _ in range(3))
        of_h = weight.t().contiguous()
        for here, running in _spans(sizes, reverse):
            x, gate = from_x[here], gates[here]
            before[here] = h[running]
            torch.addmm(bias, before[here], of_h, out=gate)
            gate[:, : 2 * size].add_(x[:, : 2 * size]).sigmoid_()
            r, z, h_n = gate.split(size, dim=-1)
            torch.addcmul(x[:, 2 * size :], r, h_n, out=n[here]).tanh_()
            h[running] = torch.lerp(n[here], before[here], z, out=after[here])
        ctx.save_for_backward(gates, before, n, weight)
        ctx.sizes, ctx.reverse = sizes, reverse
        return after, h

    @staticmethod
    def backward(ctx: Any, g: Tensor, g_last: Tensor) -> tuple[Tensor | None, ...]:
        gates, before, n, weight = ctx.saved_tensors
        size, d_h = n.size(-1), g_last.clone()
        r, z, h_n = gates.split(size, dim=-1)
        # What the gradient of a state is multiplied by on its way to each gate depends on no other step.
        to_n = tanh_backward(1 - z, n)
        to_r, to_z = sigmoid_backward(h_n, r), sigmoid_backward(before - n, z)
        d_from_x = torch.empty_like(gates)
        d_gates = torch.empty_like(gates)  # the gradient of Wh + b: that of from_x, but for r∘ in front of hₙ
        for here, running in _spans(ctx.sizes, not ctx.reverse):
            d, d_gate = d_h[running], d_gates[here]
            d += g[here]
            d_n = torch.mul(d, to_n[here], out=d_from_x[here, 2 * size :])
            torch.mul(d_n, to_r[here], out=d_gate[:, :size])
            torch.mul(d, to_z[here], out=d_gate[:, size : 2 * size])
            torch.mul(d_n, r[here], out=d_gate[:, 2 * size :])
            d.mul_(z[here]).addmm_(d_gate, weight)
        d_from_x[:, : 2 * size] = d_gates[:, : 2 * size]
        return d_from_x, d_h, d_gates.t() @ before, d_gates.sum(dim=0), None, None
