"""Variational dropout.

Shapes: B batch, T steps, F features.
"""

import torch.nn.functional as F
from torch import Tensor, nn


class SequenceDropout(nn.Module):
    """Dropout with one mask for all steps of a sequence (Gal and Ghahramani 2016)."""

    def __init__(self, p: float) -> None:
        super().__init__()
        if not 0 <= p < 1:
            raise ValueError(f"dropout probability has to be at least 0 and below 1, but got {p}")
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Drop features of (B, T, F), or of (B, F)."""
        if not self.training or self.p == 0:
            return x
        return x * F.dropout(x.new_ones(x.size(0), *[1] * (x.dim() - 2), x.size(-1)), self.p)
