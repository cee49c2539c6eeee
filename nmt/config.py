"""Settings of a run: typed dataclasses, checked before any work starts.

Nothing here imports PyTorch or Hydra, so that a mistake in a setting is answered at once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nmt.data.settings import DataSettings
from nmt.errors import UserError
from nmt.metrics import monitors
from nmt.typed import nearest, to_dataclass

ROOT = Path(__file__).resolve().parent.parent  # of the project: configs, embedded data and outputs are there
NO_END = "Training needs an end: set train.max_epochs or train.max_steps."


@dataclass(frozen=True)
class TrainSettings:
    """Settings of training, checked when they are made."""

    batch_size: int = 64  # sentences or padded tokens of a batch
    batch_unit: Literal["sentences", "tokens"] = "sentences"
    accumulate: int = 1  # batches whose gradients make one update
    max_epochs: int | None = 24
    max_steps: int | None = None  # updates
    max_minutes: float | None = None  # of training, over all resumptions
    replay: float = 3.0  # old pairs for each new one, in a run that starts from another
    label_smoothing: float = 0.1
    made_up_words: float = 0.0  # share of the pairs in which a word known on both sides becomes a string to copy
    average_decay: float = 0.999  # of the moving average of weights that is validated and kept; 0: no average
    clip_norm: float = 1.0  # 0 switches clipping off
    teacher_forcing: float = 1.0  # probability, per token, that the decoder's input is the reference
    teacher_forcing_end: float = 1.0  # it changes linearly to this value …
    teacher_forcing_steps: int = 10_000  # … over this number of updates
    precision: Literal["auto", "fp32", "bf16", "fp16"] = "auto"  # auto: bf16 where the device has it, else fp32
    compile: bool = False  # torch.compile the model
    monitor: str = "bleu"  # what "best" means: loss, or a metric that is computed in validation
    patience: int | None = 5  # validations without a new best before stopping; null never stops early
    validate_every: int | None = None  # updates; null is once an epoch
    save_every: int | None = None  # updates; null is at validations only
    log_every: int = 50  # updates
    keep: int = 0  # most snapshots of the weights to keep in snapshots/, taken at validations; 0 keeps none

    def __post_init__(self) -> None:
        self._require("at least 1", lambda x: x >= 1, "batch_size", "accumulate", "log_every", "teacher_forcing_steps")
        limits = ("max_epochs", "max_steps", "max_minutes", "patience", "validate_every", "save_every")
        self._require("above 0, or null for none", lambda x: x is None or x > 0, *limits)
        self._require("between 0 and 1", lambda x: 0 <= x <= 1, "teacher_forcing", "teacher_forcing_end")
        self._require("in [0, 1)", lambda x: 0 <= x < 1, "label_smoothing", "made_up_words", "average_decay")
        self._require("at least 0", lambda x: x >= 0, "clip_norm", "replay", "keep")
        if self.monitor not in monitors():
            raise UserError(f"train.monitor cannot be {self.monitor!r}: {nearest(self.monitor, monitors())}")

    def _require(self, condition: str, holds: Callable[[Any], bool], *names: str) -> None:
        for name in names:
            if not holds(getattr(self, name)):
                raise UserError(f"train.{name} must be {condition}; it is {getattr(self, name)}.")

    def has_end(self) -> bool:
        """Whether the number of updates is limited."""
        return self.max_epochs is not None or self.max_steps is not None

    def teacher_forcing_at(self, step: int) -> float:
        """The probability of teacher forcing at this update."""
        progress = min(step / self.teacher_forcing_steps, 1.0)
        return self.teacher_forcing + progress * (self.teacher_forcing_end - self.teacher_forcing)


@dataclass(frozen=True)
class Config:
    """All settings of a run."""

    data: DataSettings
    model: dict[str, Any]  # a `_target_` and its arguments, checked by nmt.factory; likewise the next three
    optimizer: dict[str, Any]
    scheduler: dict[str, Any]
    decode: dict[str, Any]
    train: TrainSettings
    name: str  # of the model's configuration, such as bahdanau
    run_dir: str
    seed: int = 1
    device: str = "auto"  # cuda if there is a GPU, else cpu; or cpu, cuda, cuda:1, mps
    threads: int | None = None  # CPU threads; null leaves the choice to PyTorch
    start: str | None = None  # finished run whose weights to start from, to train on more pairs

    def __post_init__(self) -> None:
        if self.start is None and not self.train.has_end():  # else it follows from the number of new pairs
            raise UserError(NO_END)
        if self.seed < 0:
            raise UserError(f"seed must be at least 0; it is {self.seed}.")
        if self.threads is not None and self.threads < 1:
            raise UserError(f"threads must be at least 1, or null for PyTorch's choice; it is {self.threads}.")


def load_config(values: Mapping[str, Any]) -> Config:
    """Make a Config from plain values, which are checked."""
    return to_dataclass(Config, values, where="")
