"""How this process was started: alone, or by torchrun as one of several."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Launch:
    """The rank of this process and the number of processes, from torchrun's environment variables."""

    rank: int = 0  # among all processes; rank 0 writes
    local_rank: int = 0  # among the processes of this machine: the number of its GPU
    size: int = 1  # processes on all machines
    restarts: int = 0  # how often torchrun has started all of them again
    restarts_allowed: int = 0

    @classmethod
    def from_environment(cls) -> Launch:
        """Read the variables that torchrun sets; without them, the process is alone."""
        if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ:
            return cls()
        names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_MAX_RESTARTS")
        values = [os.environ.get(name, "0") for name in names]
        return cls(*map(int, values)) if all(value.isdecimal() for value in values) else cls()
