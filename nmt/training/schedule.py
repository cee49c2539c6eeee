"""Learning-rate schedules: pure functions from the update's number to a factor of the base rate.

A function of the step alone has nothing to save and nothing to restore.
"""

import math

from nmt.errors import UserError


class Schedule:
    """Linear warm-up, then `decay`."""

    def __init__(self, total_steps: int, warmup_steps: int = 0) -> None:
        """Build a schedule for `total_steps` updates."""
        if warmup_steps < 0:
            raise UserError(f"scheduler.warmup_steps must be at least 0; it is {warmup_steps}.")
        self.total_steps = max(total_steps, 1)
        # A warm-up longer than the run would never reach the base rate.
        self.warmup_steps = min(warmup_steps, self.total_steps // 2)

    def __call__(self, step: int) -> float:
        """Factor for update number `step`, counted from 0."""
        if step < self.warmup_steps:
            return (step + 1) / self.warmup_steps
        return self.decay(step)

    def decay(self, step: int) -> float:
        """Factor after the warm-up."""
        raise NotImplementedError(f"{type(self).__name__} defines no decay")


class Constant(Schedule):
    """The base rate throughout."""

    def decay(self, step: int) -> float:
        return 1.0


class InverseSqrt(Schedule):
    """√(warm-up ÷ step): needs no end (Vaswani 2017)."""

    def decay(self, step: int) -> float:
        start = max(self.warmup_steps, 1)
        return math.sqrt(start / max(step + 1, start))


class Cosine(Schedule):
    """Half a cosine from 1 down to `floor` at the last step (Loshchilov 2017)."""

    def __init__(self, total_steps: int, warmup_steps: int = 0, floor: float = 0.05) -> None:
        super().__init__(total_steps, warmup_steps)
        self.floor = floor

    def decay(self, step: int) -> float:
        progress = (step - self.warmup_steps) / max(self.total_steps - self.warmup_steps, 1)
        return self.floor + (1 - self.floor) * 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
