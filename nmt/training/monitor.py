"""Training progress: live on a terminal, plain lines elsewhere, and TensorBoard in both cases."""

import logging
import string
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from torch.utils.tensorboard.summary import hparams, image, scalar, text

from nmt.config import TrainSettings
from nmt.console import stderr
from nmt.metrics import metrics_for
from nmt.training.events import EventFile
from nmt.training.state import TrainState

log = logging.getLogger(__name__)

_ENTITIES = {ord(character): f"&#{ord(character)};" for character in string.punctuation}


class Validation(NamedTuple):
    """The result of a validation."""

    metrics: Mapping[str, float]  # loss, accuracy, …, and those of nmt.metrics
    samples: list[tuple[str, str, str]]  # (source, translation, reference)
    heatmaps: Mapping[str, np.ndarray]  # name → picture (height, width, 3), uint8


class Monitor:
    """Reports on one run."""

    def __init__(self, directory: Path, settings: TrainSettings, total_steps: int, silent: bool = False) -> None:
        """Report into `directory`; only one rank of several does, the others are `silent`."""
        self.directory, self.settings, self.total_steps, self.silent = directory, settings, total_steps, silent
        self._live: Progress | None = None

    @contextmanager
    def live(self, step: int) -> Iterator[None]:
        """Open an event file that replaces earlier events after `step`, and show live progress on a terminal."""
        if not self.silent:
            self.events = EventFile(self.directory, first_step=step + 1)
        if self.silent or not stderr.is_terminal:
            yield
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:3.0f}% · {task.fields[numbers]}"),
            TimeElapsedColumn(),
            TextColumn("· {task.fields[left]} left"),
        )
        with Progress(*columns, console=stderr, transient=True) as self._live:
            stderr.show_cursor(True)  # a second Ctrl-C ends the process at once, which would leave it hidden
            self._task = self._live.add_task("training", total=1.0, numbers="starting", left="?")
            yield
        self._live = None

    def training(self, state: TrainState, metrics: Mapping[str, float]) -> None:
        """Report the averages since the last report."""
        if self.silent:
            return
        for name, value in metrics.items():
            self.events.add(scalar(f"train/{name}", value), state.step)
        share = self._share_done(state)
        left = _duration(state.seconds * (1 - share) / share)
        epoch = state.epoch + (state.position > 0)  # the one under way, or just finished
        place = f"epoch {epoch} · step {state.step:,}"
        numbers = f"loss {metrics['loss']:.3f} · {metrics['tokens_per_second']:,.0f} tokens/s"
        if self._live is not None:
            self._live.update(self._task, completed=share, description=place, numbers=numbers, left=left)
        else:
            log.info("%s · %s · %.0f %% done, %s left", place, numbers, 100 * share, left)

    def validation(self, state: TrainState, validation: Validation, is_best: bool) -> None:
        """Report a validation: metrics, sample translations and attention heatmaps."""
        if self.silent:
            return
        for name, value in validation.metrics.items():
            self.events.add(scalar(f"validation/{name}", value), state.step)
        rows = [f"| {' | '.join(map(as_plain_text, sample))} |" for sample in validation.samples]
        table = "\n".join(["| source | translation | reference |", "| --- | --- | --- |", *rows])
        self.events.add(text("samples", table), state.step)
        for name, picture in validation.heatmaps.items():
            self.events.add(image(f"attention/{name}", picture, dataformats="HWC"), state.step)
        names = [name for name in ("loss", "accuracy", *metrics_for("validation")) if name in validation.metrics]
        shown = " · ".join(f"{name} {validation.metrics[name]:.2f}" for name in names)
        log.info("step %s · validation · %s%s", f"{state.step:,}", shown, " · best so far" if is_best else "")

    def finished(self, hyperparameters: Mapping[str, Any], scores: Mapping[str, float]) -> None:
        """Record the settings with the final scores, for TensorBoard's HParams tab."""
        if self.silent:
            return
        metrics = {f"test/{name}": value for name, value in scores.items()}
        for summary in hparams(dict(hyperparameters), metrics):
            self.events.add(summary)
        for name, value in metrics.items():
            self.events.add(scalar(name, value))
        self.events.close()

    def _share_done(self, state: TrainState) -> float:
        """The share of the run that is done, by the limit that is closest."""
        shares = [state.step / self.total_steps]
        if self.settings.max_minutes is not None:
            shares.append(state.seconds / (60 * self.settings.max_minutes))
        return min(max(shares), 1.0)


def as_plain_text(text: str) -> str:
    """Escape a text for TensorBoard, which renders Markdown and HTML: no image of a corpus is ever requested."""
    return " ".join(text.translate(_ENTITIES).split())


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
