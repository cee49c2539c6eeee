"""The training state: the numbers that an exact resume needs besides tensors; and when training ends."""

from dataclasses import dataclass

from nmt.config import TrainSettings


@dataclass
class TrainState:
    """Progress in updates; the order of the data is a function of (seed, epoch, position)."""

    step: int = 0  # updates made
    epoch: int = 0  # counted from 0
    position: int = 0  # updates made in this epoch
    tokens: int = 0  # target tokens seen
    seconds: float = 0.0  # spent training, over all resumptions
    best: float | None = None  # value of the monitored metric
    best_step: int | None = None
    validated_step: int = 0
    validations_since_best: int = 0


def is_last_update(state: TrainState, settings: TrainSettings) -> bool:
    """Whether max_steps or max_epochs is reached, in which case the last interval is logged too."""
    limits = ((state.step, settings.max_steps), (state.epoch, settings.max_epochs))
    return any(most is not None and count >= most for count, most in limits)


def reason_to_stop(state: TrainState, settings: TrainSettings) -> str | None:
    """The reason why training ends at this state, or None if it goes on."""
    if settings.max_steps is not None and state.step >= settings.max_steps:
        return f"{state.step} updates made"
    if settings.max_epochs is not None and state.epoch >= settings.max_epochs:
        return f"{state.epoch} epochs finished"
    if settings.max_minutes is not None and state.seconds >= 60 * settings.max_minutes:
        return f"{settings.max_minutes:g} minutes used"
    if settings.patience is not None and state.validations_since_best >= settings.patience:
        return f"no better {settings.monitor} in {settings.patience} validations"
    return None
