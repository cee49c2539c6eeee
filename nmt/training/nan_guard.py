"""Stop on a loss or gradient that is not finite, and say where."""

import torch
from torch import Tensor

from nmt.errors import UserError


class NanGuard:
    """Keeps flags on the device; only `check` reads them, so that an update never waits for a GPU."""

    def __init__(self) -> None:
        self._noted: list[tuple[Tensor, int, int]] = []

    def note(self, value: Tensor, step: int, epoch: int) -> None:
        """Record whether `value` is finite at this update."""
        self._noted.append((value.isfinite(), step, epoch))

    def check(self) -> None:
        """Raise a UserError that names the first bad update since the last check."""
        noted, self._noted = self._noted, []
        finite = torch.stack([flag for flag, *_ in noted]).tolist() if noted else []
        if all(finite):
            return
        _, step, epoch = noted[finite.index(False)]
        raise UserError(
            f"Loss or gradients are not finite at update {step + 1} (epoch {epoch + 1}): "
            "lower optimizer.lr or train.clip_norm, or set train.precision=fp32, and resume from the last checkpoint."
        )
