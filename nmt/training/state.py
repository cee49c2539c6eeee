"""The training state: the numbers that, with the tensors of a checkpoint, are enough for an exact resume."""

from dataclasses import dataclass


@dataclass
class TrainState:
    """Counted in updates; the data's order follows from (seed, epoch, position) alone."""

    step: int = 0  # updates made
    epoch: int = 0  # counted from 0
    position: int = 0  # updates made in this epoch
    tokens: int = 0  # target tokens seen
    seconds: float = 0.0  # spent training, over all resumptions
    best: float | None = None  # value of the monitored metric
    best_step: int | None = None
    validated_step: int = 0
    validations_since_best: int = 0
