"""The objective: label-smoothed negative log likelihood, summed over real target tokens, output layer included.

Shapes: B batch, T target length, N real target tokens, R readout size, V vocabulary.
The output layer takes half of a training step, and its N·V logits would be the largest tensor. So layer and loss are
one function, which projects some tokens at a time and turns their logits into gradients while they are in cache. The
backward pass only scales these gradients.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd import Function

# In logits. A chunk is small enough for a cache and large enough for a matrix product; the weights' gradient, a large
# matrix that every product reads and writes as a whole, is taken of several chunks together.
CHUNK, BLOCK = 2**21, 2**23


class LossSums(NamedTuple):
    """Sums over the real tokens of a batch; the caller divides by their number, over accumulated batches and ranks."""

    objective: Tensor  # what is minimised
    nll: Tensor  # −log p of the reference, without smoothing: perplexity = exp(nll / tokens)
    correct: Tensor  # tokens whose best guess is the reference


def token_loss(readout: Tensor, target: Tensor, real: Tensor, output: nn.Linear, label_smoothing: float) -> LossSums:
    """(1 − ε)·nll + ε·mean over V of −log p (Szegedy 2016), with p = softmax(Wx + b).

    x is the `readout` (B, T, R), W and b are the `output` layer, ε is the label smoothing; `real` (N,) are flat indices
    into the `target` (B, T) of the tokens that are not padding.
    """
    x, reference = readout.flatten(0, 1).index_select(0, real), target.flatten().index_select(0, real)
    return LossSums(*_ProjectedLoss.apply(x, output.weight, output.bias, reference, label_smoothing))


class _ProjectedLoss(Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        projection, offset = weight.to(x.dtype), bias.to(x.dtype)  # the type of autocast, if it is on
        exact = torch.promote_types(x.dtype, torch.float32)
        sums = torch.zeros(len(LossSums._fields), device=x.device, dtype=exact)
        d_x, d_weight, d_bias = torch.empty_like(x), torch.empty(0), torch.zeros_like(bias)
        for number, block in enumerate(_pieces(len(x), BLOCK // len(weight))):
            logits, scales = x.new_empty(block.stop - block.start, len(weight)), []
            for chunk in _pieces(len(logits), CHUNK // len(weight)):
                here = slice(block.start + chunk.start, block.start + chunk.stop)
                values = torch.mm(x[here], projection.t(), out=logits[chunk]).add_(offset)
                d_logits = values.to(exact)  # the same memory, unless autocast is on
                part, scale = _differentiate(d_logits, target[here], smoothing)
                sums += part
                if any(ctx.needs_input_grad):
                    d_bias += (scale.t() @ d_logits).squeeze(0)
                    if d_logits is not values:
                        values.copy_(d_logits)
                    torch.mm(values, projection, out=d_x[here]).mul_(scale)
                    scales.append(scale)
            if any(ctx.needs_input_grad):
                scaled = (x[block] * torch.cat(scales)).to(x.dtype)
                of_block = (logits.t() @ scaled).to(weight.dtype)
                d_weight = d_weight.add_(of_block) if number else of_block
        ctx.gradients = d_x, d_weight, d_bias
        objective, nll, correct = sums
        ctx.mark_non_differentiable(nll, correct)
        return objective, nll, correct

    @staticmethod
    def backward(ctx: Any, g: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        gradients, ctx.gradients = ctx.gradients, None  # scaled in place, so they can be used once
        d_x, d_weight, d_bias = (gradient.mul_(g.to(gradient.dtype)) for gradient in gradients)
        return d_x, d_weight, d_bias, None, None


def _differentiate(logits: Tensor, target: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    """The three sums over some tokens; their logits (N, V) become the objective's gradient p − (1 − ε)·1ₜ − ε/V.

    The gradient lacks a factor 1/z for each token (N, 1), which is returned: narrow tensors are cheaper to scale.
    """
    reference = target.unsqueeze(1)
    logits -= logits.amax(dim=1, keepdim=True)  # so that exp cannot overflow
    of_reference, mean = logits.gather(1, reference), logits.mean(dim=1, keepdim=True)
    z = logits.exp_().sum(dim=1, keepdim=True)
    nll, uniform = (z.log() - of_reference).sum(), (z.log() - mean).sum()
    if smoothing:
        logits -= (smoothing / logits.size(1)) * z
    logits.scatter_add_(1, reference, (smoothing - 1) * z)
    sums = torch.stack([(1 - smoothing) * nll + smoothing * uniform, nll, (of_reference == 0).sum()])
    return sums, z.reciprocal()


def _pieces(length: int, most: int) -> list[slice]:
    """Slices of about equal length, none longer than `most`, that cover `length`."""
    count = -(-length // max(1, most))
    return [slice(length * i // count, length * (i + 1) // count) for i in range(count)]
