"""The objective of R-Drop: two passes with other dropout should agree (Liang 2021). Output layer included.

Shapes: N real target tokens, R readout size, V vocabulary.
As in `loss`, some tokens are projected at a time and their logits become gradients at once.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

CHUNK = 2**19  # in logits; several tensors of this size are in use together


class ConsistentLoss(Function):
    """½(Jₚ + J_q) + α·¼(KL(p‖q) + KL(q‖p)): half of the paper's objective, as it counts every pair twice.

    J is the label-smoothed negative log likelihood of each pass, p and q are what they predict for a token.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        target: Tensor,
        smoothing: float,
        alpha: float,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Sums over tokens, given both passes (2, N, R): objective, and the passes' mean nll and correct guesses."""
        projection, offset = weight.to(x.dtype), bias.to(x.dtype)  # x has autocast's type, where that is on
        exact = torch.promote_types(x.dtype, torch.float32)
        sums = torch.zeros(3, device=x.device, dtype=exact)
        d_x, d_bias = torch.empty_like(x), torch.zeros_like(bias)
        d_weight = torch.zeros_like(weight, dtype=x.dtype)
        for here in torch.arange(target.numel(), device=x.device).split(max(1, CHUNK // len(weight))):
            rows = slice(int(here[0]), int(here[-1]) + 1) if x.device.type == "cpu" else here
            both = x[:, rows]  # (2, n, R)
            logits = torch.addmm(offset, both.flatten(0, 1), projection.t()).to(exact)
            part, d_logits = _differentiate(logits.view(2, -1, len(weight)), target[rows], smoothing, alpha)
            sums += part
            d_bias += d_logits.sum(dim=(0, 1))
            flat = d_logits.flatten(0, 1).to(x.dtype)
            d_x[:, rows] = (flat @ projection).view_as(both)
            d_weight.addmm_(flat.t(), both.flatten(0, 1))
        ctx.gradients = d_x, d_weight.to(weight.dtype), d_bias
        objective, nll, correct = sums
        ctx.mark_non_differentiable(nll, correct)
        return objective, nll, correct

    @staticmethod
    def backward(ctx: Any, g: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        """Scale what the forward pass found."""
        gradients, ctx.gradients = ctx.gradients, None
        d_x, d_weight, d_bias = (gradient.mul_(g.to(gradient.dtype)) for gradient in gradients)
        return d_x, d_weight, d_bias, None, None, None


def _differentiate(logits: Tensor, target: Tensor, smoothing: float, alpha: float) -> tuple[Tensor, Tensor]:
    """The three sums over some tokens (2, n, V), and the objective's gradient with respect to their logits.

    ∂J/∂a = p − (1 − ε)·1ₜ − ε/V, ∂KL(p‖q)/∂a = p∘(log p/q − KL(p‖q)), ∂KL(q‖p)/∂a = p − q, where p = softmax(a).
    """
    reference = target.expand(2, -1).unsqueeze(-1)  # (2, n, 1)
    correct = (logits.argmax(dim=-1) == target).sum()
    log_p = logits.log_softmax(dim=-1)
    p = log_p.exp()
    nll, uniform = -log_p.gather(-1, reference).sum(), -log_p.mean(dim=-1).sum()
    ratio = log_p[0] - log_p[1]
    log_ratios = torch.stack([ratio, -ratio])
    kl = (p * log_ratios).sum(dim=-1, keepdim=True)  # (2, n, 1): KL(p‖q), KL(q‖p)
    objective = 0.5 * ((1 - smoothing) * nll + smoothing * uniform) + 0.25 * alpha * kl.sum()

    gradient = log_ratios.sub_(kl).mul_(p).add_(p).sub_(p.flip(0)).mul_(0.25 * alpha)
    gradient.add_(p, alpha=0.5).sub_(0.5 * smoothing / p.size(-1))
    gradient.scatter_add_(-1, reference, gradient.new_full((), 0.5 * (smoothing - 1)).expand(reference.shape))
    return torch.stack([objective, 0.5 * nll, 0.5 * correct]), gradient
