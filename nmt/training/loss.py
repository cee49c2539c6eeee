"""The objective: label-smoothed negative log likelihood, summed over real target tokens.

Shapes: B batch, T target length, V vocabulary.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from nmt.special import PAD


class LossSums(NamedTuple):
    """Sums over the real tokens of a batch; dividing by their number is the caller's, who may accumulate."""

    objective: Tensor  # what is minimised
    nll: Tensor  # −log p of the reference, without smoothing: perplexity = exp(nll / tokens)
    correct: Tensor  # tokens whose best guess is the reference


def token_loss(logits: Tensor, target: Tensor, label_smoothing: float) -> LossSums:
    """(1 − ε)·nll + ε·mean over V of −log p (Szegedy 2016), for logits (B, T, V) and tokens (B, T)."""
    log_probs = logits.float().log_softmax(dim=-1)
    real = target != PAD
    nll = -log_probs.gather(-1, target.unsqueeze(-1)).squeeze(-1).masked_fill(~real, 0.0).sum()
    correct = ((logits.argmax(dim=-1) == target) & real).sum()
    if label_smoothing == 0:
        return LossSums(nll, nll, correct)
    uniform = -log_probs.mean(dim=-1).masked_fill(~real, 0.0).sum()
    return LossSums((1 - label_smoothing) * nll + label_smoothing * uniform, nll, correct)
