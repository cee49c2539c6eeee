"""Averages since the last log line, over all ranks."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from nmt.ranks import Ranks

# The first three of this rank's share of the batches, the others of the whole batches.
SUMS = ("objective", "nll", "correct", "gradient_norm", "tokens", "updates")
SHARED = 3


class Meter:
    """Sums that stay on the device: reading them makes the host wait for a GPU."""

    def __init__(self, device: torch.device, ranks: Ranks) -> None:
        self.ranks = ranks
        self.sums = torch.zeros(len(SUMS), device=device)
        self.seconds = 0.0  # spent on updates

    def add_batch(self, sums: Sequence[Tensor]) -> None:
        """Count a batch, or this rank's share of it: objective, nll and right guesses."""
        self.sums[:SHARED] += torch.stack([part.detach().float() for part in sums])

    def add_update(self, norm: Tensor, tokens: int) -> None:
        """Count an update, made of so many target tokens of all ranks."""
        self.sums[3] += norm
        self.sums[4] += tokens
        self.sums[5] += 1

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Work that counts as training: the speed is tokens over its time."""
        began = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - began

    def averages(self) -> dict[str, float] | None:
        """What to report, if there was an update; waits for a GPU to catch up."""
        with self.timed():
            rows = self.ranks.rows(self.sums)
            objective, nll, correct = rows[:, :SHARED].sum(dim=0).tolist()
            norms, tokens, updates = rows[0, SHARED:].tolist()
        if not updates:
            return None
        return {
            "loss": objective / tokens,
            "perplexity": math.exp(min(nll / tokens, 100.0)),
            "accuracy": correct / tokens,
            "gradient_norm": norms / updates,
            "tokens_per_second": tokens / self.seconds,
        }

    def reset(self) -> None:
        """Begin anew, after a log line."""
        self.sums.zero_()
        self.seconds = 0.0

    def restore(self, rows: Tensor, seconds: float) -> None:
        """Go on from the sums of each rank; if there were others than now, the first takes over what they had."""
        rank = self.ranks.rank
        if len(rows) == self.ranks.size:
            self.sums.copy_(rows[rank])
        else:
            self.sums.copy_(torch.cat([rows.sum(dim=0)[:SHARED] * (rank == 0), rows[0, SHARED:]]))
        self.seconds = seconds
