"""The curves of a run over updates and training time, read from its TensorBoard events."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tensorboard.backend.event_processing.event_file_loader import (  # type: ignore[import-untyped]
    LegacyEventFileLoader,
)

Curve = dict[int, float]  # update → value


@dataclass
class History:
    """Values by name and update, of validations and of training, and seconds of training at each reported update."""

    metrics: dict[str, Curve] = field(default_factory=dict)  # of validations
    training: dict[str, Curve] = field(default_factory=dict)  # loss, gradient_norm, tokens_per_second, …
    seconds: Curve = field(default_factory=lambda: {0: 0.0})

    def time_of(self, steps: np.ndarray | float) -> np.ndarray:
        """Seconds of training up to these updates, interpolated."""
        return np.interp(steps, *columns(self.seconds))

    def forget_after(self, step: int) -> None:
        """Drop the values of updates after the checkpoint from which the run was resumed."""
        for values in (self.seconds, *self.metrics.values(), *self.training.values()):
            for later in [other for other in values if other > step]:
                del values[later]


def read_history(directory: Path) -> History:
    """Read all event files of a run, one for each time it was started.

    A file's clock starts with its session, so the time between an interruption and the resumption is not counted.
    """
    history = History()
    kinds = {"validation": history.metrics, "train": history.training}
    for path in sorted(directory.glob("events.out.tfevents.*"), key=in_order_of_numbers):
        start = base = 0.0
        for event in LegacyEventFileLoader(str(path)).Load():
            if event.HasField("file_version") and not start:
                start = event.wall_time
            elif event.HasField("session_log"):
                history.forget_after(event.step - 1)  # Monitor.live purges from the step after the checkpoint
                base = float(history.time_of(event.step - 1))
            for value in event.summary.value:
                if not value.HasField("simple_value"):
                    continue
                kind, _, name = value.tag.partition("/")
                if kind in kinds:
                    kinds[kind].setdefault(name, {})[event.step] = value.simple_value
                if event.step:  # the scores of the test set are filed under step 0
                    history.seconds[event.step] = base + event.wall_time - start
    return history


def in_order_of_numbers(path: Path) -> list[tuple[int, str]]:
    """Sort key that puts 2_… before 10_…: Hydra numbers the jobs of a sweep, and TensorBoard its files."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path.name)]


def columns(points: Curve) -> tuple[np.ndarray, np.ndarray]:
    """The updates of a curve in order, and its values."""
    steps = np.array(sorted(points), dtype=float)
    return steps, np.array([points[step] for step in steps])
