"""Averages since the last log line, over all ranks."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from nmt.ranks import Ranks

# First 3: local sums, added over ranks. Rest: already global.
SUMS = ("objective", "nll", "correct", "gradient_norm", "tokens", "updates")
SHARED = 3


class Meter:
    """Sums over updates, kept on the device because reading them makes the host wait for a GPU."""

    def __init__(self, device: torch.device, ranks: Ranks) -> None:
        self.ranks = ranks
        self.sums = torch.zeros(len(SUMS), device=device)
        self.seconds = 0.0  # spent on updates

    def add_batch(self, sums: Sequence[Tensor]) -> None:
        """Add the sums of this rank's share of a batch: objective, nll, correct tokens."""
        self.sums[:SHARED] += torch.stack([part.detach().float() for part in sums])

    def add_update(self, norm: Tensor, tokens: int) -> None:
        """Count an update; `tokens` are the target tokens of all ranks."""
        self.sums[3] += norm
        self.sums[4] += tokens
        self.sums[5] += 1

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Time work that counts as training: tokens per second are tokens over this time."""
        began = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - began

    def averages(self) -> dict[str, float] | None:
        """Averages since the last reset, or None without an update; waits for the GPU."""
        with self.timed():
            rows = self.ranks.all_gather(self.sums)
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
        """Reset all sums after a log line."""
        self.sums.zero_()
        self.seconds = 0.0

    def restore(self, rows: Tensor, seconds: float) -> None:
        """Restore the sums (ranks, 6) of a checkpoint; if ranks were added or lost, rank 0 takes all."""
        rank = self.ranks.rank
        if len(rows) == self.ranks.size:
            self.sums.copy_(rows[rank])
        else:
            self.sums.copy_(torch.cat([rows.sum(dim=0)[:SHARED] * (rank == 0), rows[0, SHARED:]]))
        self.seconds = seconds
