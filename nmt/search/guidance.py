"""Prefixes and given attention of a batch of sentences (`nmt.search_settings.Guide`), as a search needs them.

Shapes: B sentences, N hypotheses alive, S source length, K heads, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from nmt.search_settings import Guide

_NONE = -1  # in place of a token: not settled


class Guidance:
    """The guides of a batch."""

    def __init__(self, guides: Sequence[Guide], source: Tensor) -> None:
        """Take one guide for each sentence of `source` (B, S)."""
        assert len(guides) == len(source), "a guide for each sentence"
        self._guides, self._width, self._device = guides, source.size(1), source.device
        longest = max(len(guide.prefix) for guide in guides)
        rows = [[*guide.prefix, *[_NONE] * (longest - len(guide.prefix))] for guide in guides]
        self._prefixes = torch.tensor(rows, device=source.device).view(len(guides), longest)

    def attention(self, step: int, sentence: Tensor) -> Tensor | None:
        """Given weights (N, S) or (N, K, S) of hypotheses of these sentences (N,), NaN for the model's own."""
        given = {i: guide.overrides[step] for i, guide in enumerate(self._guides) if step in guide.overrides}
        if not given:
            return None
        heads = max(row.shape[0] if row.ndim == 2 else 0 for row in given.values())
        table = np.full((len(self._guides), *([heads] if heads else []), self._width), np.nan, np.float32)
        for i, row in given.items():
            table[i, ..., : row.shape[-1]] = row  # padding keeps the model's own weights: 0
        return torch.from_numpy(table).to(self._device)[sentence]

    def settled(self, step: int, sentence: Tensor) -> Tensor | None:
        """The token that each hypothesis of these sentences (N,) must have next, or −1; None if none is settled."""
        return self._prefixes[sentence, step] if step < self._prefixes.size(1) else None
