"""Sampling: translations drawn at random from the model's probabilities.

Shapes: B sentences, N hypotheses alive, V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from nmt.search.base import Alive, Choice, Search


@dataclass(frozen=True, kw_only=True)
class Sample(Search):
    """Every token is drawn from softmax(logits / temperature), cut to the likeliest tokens of mass top_p.

    Scores and log probabilities are those of the model itself, whatever the temperature. Each sample has its own random
    numbers, from the seed, the number of its sentence and its own number: batches and other sentences change nothing.
    """

    other_choice = "It was drawn at random, by the probabilities."

    temperature: float = 1.0  # below 1 prefers likely tokens, above 1 unlikely ones
    top_p: float = 1.0  # nucleus sampling (Holtzman 2020); 1 draws from all tokens
    samples: int = 1  # drawn per sentence, best score first
    seed: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("temperature", 0.01 <= self.temperature <= 100, "between 0.01 and 100")
        self._require("top_p", 0 < self.top_p <= 1, "above 0 and at most 1")
        self._require("samples", self.samples >= 1, "at least 1")
        self._require("seed", self.seed >= 0, "at least 0")

    @property
    def width(self) -> int:
        return self.samples

    @property
    def starts(self) -> int:
        return self.samples

    def for_nbest(self, count: int) -> Search:
        """Draw as many samples as are asked for."""
        return replace(self, samples=max(count, self.samples))

    def begin(self, numbers: Sequence[int], limits: Sequence[int], device: torch.device) -> Tensor:
        """Uniform random numbers in [0, 1), (B · samples, steps)."""
        table = np.zeros((len(numbers) * self.samples, max(limits)), dtype=np.float32)
        for row in range(len(table)):
            sentence, sample = divmod(row, self.samples)
            limit = limits[sentence]
            generator = np.random.default_rng([self.seed, numbers[sentence], sample])
            table[row, :limit] = generator.random(limit, dtype=np.float32)
        return torch.from_numpy(table).to(device)

    def choose(self, alive: Alive) -> Choice:
        log_probs = alive.log_probs()
        probs = nucleus((log_probs / self.temperature).softmax(dim=1), self.top_p)
        # Inverse of the cumulative distribution. In vocabulary order, which rounding cannot change; rounding differs
        # with the batch.
        steps = probs.cumsum(dim=1)
        drawn = alive.context[alive.origin, alive.step].unsqueeze(1) * steps[:, -1:]
        drawn = drawn.minimum(steps[:, -1:].nextafter(torch.zeros_like(drawn)))  # a product may round up to the end
        return alive.extend(torch.searchsorted(steps, drawn, right=True).squeeze(1), log_probs)


def nucleus(probs: Tensor, mass: float) -> Tensor:
    """Set probabilities (N, V) to 0 outside of the smallest set of likeliest tokens with at least this mass."""
    if mass == 1:
        return probs
    ordered, places = probs.sort(dim=1, descending=True, stable=True)
    kept = ordered.cumsum(dim=1) - ordered < mass  # the tokens before it have less than the mass
    return probs * torch.zeros_like(kept).scatter(1, places, kept)
