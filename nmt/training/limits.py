"""When training ends, as pure functions of the training state."""

from nmt.config import TrainSettings
from nmt.training.state import TrainState


def is_last_update(state: TrainState, settings: TrainSettings) -> bool:
    """Whether a limit that does not depend on the clock is reached, so that the last interval is logged too."""
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
