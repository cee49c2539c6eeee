"""Ensembles: several models that translate as one, by the mean of their probabilities (Sutskever 2014).

Shapes: N hypotheses, V target vocabulary, S source length.
"""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn


class Ensemble(nn.Module):
    """The mean of the models' probabilities, and of their attention. They share both vocabularies."""

    def __init__(self, models: Sequence[Any]) -> None:
        super().__init__()
        self.models: Any = nn.ModuleList(models)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Any, Any]:
        """The memories and first states of all models."""
        encoded = [model.encode(source, lengths) for model in self.models]
        memories, states = zip(*encoded, strict=True)
        return memories, states

    def step(self, tokens: Tensor, memory: Any, state: Any) -> tuple[Tensor, Tensor | None, Any]:
        """Logits log p̄ (N, V) with p̄ = mean of p, the mean of the weights (N, S) and the new states."""
        members = zip(self.models, memory, state, strict=True)
        steps = [model.step(tokens, *of_model) for model, *of_model in members]
        logits, weights, states = zip(*steps, strict=True)
        log_probs = torch.stack([each.float().log_softmax(dim=-1) for each in logits])
        seen = [each for each in weights if each is not None]
        mean = torch.stack(seen).mean(dim=0) if seen else None
        return log_probs.logsumexp(dim=0) - math.log(len(logits)), mean, states
