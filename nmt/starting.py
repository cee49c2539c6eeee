"""A run that starts from a finished one, to train it on more pairs or on corrections, in minutes.

It keeps the model, the vocabularies and the held-out sets, starts from the best weights with a fresh optimiser, and
replays old pairs beside the new ones, so that little is forgotten.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from nmt.config import Config, TrainSettings, load_config
from nmt.data.bitext import reader_of
from nmt.data.discovery import NotClear, complete
from nmt.data.readers import AUTO
from nmt.data.settings import DataSettings
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.files import sha256
from nmt.languages import known_language, same_language
from nmt.overrides import apply_change
from nmt.run import OpenRun, Run

if TYPE_CHECKING:
    from torch import nn

log = logging.getLogger(__name__)

# docs/measured/start.csv has what was measured: epochs for 20 and for 1,000 new pairs, and train.replay; not the rate.
RATE = 0.25  # of the parent's learning rate
FEWEST_EPOCHS, MOST_EPOCHS = 5, 40  # times that each of many, and of few, new pairs is seen
_TRAIN = {"max_epochs": None, "max_steps": None, "max_minutes": None, "patience": None, "validate_every": 250}
_WARMUP = 20  # updates
_ROWS = 2000  # of a file that are looked at
_LIMITS = ("on_error", "max_chars", "max_ratio")
_READING = ("name", "path", "format", "header", "columns", "source", "target", *_LIMITS)  # how to read a corpus
_NEW_FILE = {"format": AUTO, "header": None, "columns": None}  # found out again
_NO_PATHS = {"path": None, "val_path": None, "test_path": None, "replay_path": None}
# Overrides that such a run may have.
_GROUPS, _SINGLE = ("train.", "scheduler.", "decode."), ("optimizer.lr=", "seed=", "device=", "threads=")
_MAY_CHANGE = (*_GROUPS, *_SINGLE, *(f"data.{name}=" for name in (*_READING, "replay_path", "prepared_dir")))


def started_from(run: OpenRun, config: Config, overrides: Sequence[str]) -> Config:
    """The settings of a run that starts from `run`, now `config`; what its new file leaves open is still open."""
    run.finished(option="start=")
    old = config.data
    reading = [{name: getattr(each, name) for name in _READING} for each in (*old.replayed(), old)]
    direction = old.direction()
    languages = {
        side: label if known_language(label) else None
        for side, label in (("source", direction.source), ("target", direction.target))
    }
    new = asdict(config) | {"start": str(run.directory)}
    new["data"] |= _NEW_FILE | _NO_PATHS | languages | {"kept": str(run.directory), "replay": reading}
    new["train"] |= _TRAIN | {"teacher_forcing": run.config.train.teacher_forcing_end}
    if run.config.start is None and "lr" in new["optimizer"]:  # a run that was started has the lower rate already
        new["optimizer"]["lr"] *= RATE
    if "warmup_steps" in new["scheduler"]:
        new["scheduler"]["warmup_steps"] = min(_WARMUP, new["scheduler"]["warmup_steps"])
    for change in overrides:
        if not change.startswith(_MAY_CHANGE):
            settled = "which settles the model, its vocabularies and its held-out sets"
            advice = "leave it out, or begin a new run without start"
            raise UserError(f"{change} cannot change in a run that starts from {run.directory}, {settled}: {advice}.")
        apply_change(change, new)
    if new["data"]["path"] is None:
        raise UserError(f"start={run.directory} needs new sentence pairs, or corrected ones: add data.path=FILE.")
    return load_config(new)


def with_languages_of(parent: str, settings: DataSettings) -> DataSettings:
    """Complete the settings of the new file; a UserError if its languages are not those of the run it starts from."""
    run = Run.open(parent)
    old = run.config.data.direction()
    try:
        new = complete(settings)
    except NotClear:
        orders = [[old.source, old.target], [old.target, old.source]]
        either = (complete(replace(settings, columns=order)) for order in orders)
        new = min(either, key=lambda each: _pieces(run, each))
    direction = new.direction()
    names = {direction.source: old.source, direction.target: old.target}
    for side, (language, label) in zip(("source", "target"), names.items(), strict=True):
        if known_language(language) and known_language(label) and not same_language(language, label):
            raise UserError(
                f"{parent} translates {old.source} to {old.target}, and data.path has {language} as its {side}: "
                "begin a new run without start."
            )
    columns = [names.get(column, column) for column in new.languages()]
    return replace(new, source=old.source, target=old.target, columns=columns)


def with_end(settings: TrainSettings, new_pairs: int) -> TrainSettings:
    """Set the number of epochs by the number of new pairs: few are seen often, many take minutes."""
    epochs = min(MOST_EPOCHS, max(FEWEST_EPOCHS, round(320 / new_pairs**0.5)))  # 40 up to 64, 10 of 1,000, 5 from 4,000
    log.info("Each new pair is seen %d times (train.max_epochs=%d), beside old ones.", epochs, epochs)
    return replace(settings, max_epochs=epochs)


def _pieces(run: Run, settings: DataSettings) -> int:
    """The number of pieces into which the run's vocabularies cut the first rows: fewest in the right languages."""
    assert settings.path is not None
    rows = islice(filter(None, reader_of(settings, settings.path).clean_rows()), _ROWS)
    tokenizers = Tokenizer.load(run.source_tokenizer), Tokenizer.load(run.target_tokenizer)
    return sum(len(tokenizer.encode(text)) for row in rows for tokenizer, text in zip(tokenizers, row, strict=True))


def provenance(config: Config) -> dict[str, Any]:
    """The identity of the run that this one starts from, and its weights; nothing for any other run."""
    if config.start is None:
        return {}
    run = Run.open(config.start)
    checkpoint = run.best_checkpoint()
    weights = sha256(checkpoint / "model.safetensors")
    return {"start": {"run": run.identity, "checkpoint": checkpoint.name, "weights": weights}}


def load_weights(run: OpenRun, model: nn.Module) -> str:
    """Load the best weights of the run that `run` starts from; return which they are."""
    from nmt.training import checkpoint as checkpoints  # PyTorch, which settings do without

    assert run.config.start is not None
    if provenance(run.config)["start"] != run.provenance["start"]:
        advice = "begin a new run"
        raise UserError(f"{run.config.start} has changed since {run.directory} started from it: {advice}.")
    parent = Run.open(run.config.start)
    finished = parent.finished()
    checkpoints.Checkpoints(parent.checkpoints, parent.identity).check(finished["best_step"])
    checkpoints.load_weights(parent.best_checkpoint(), model)
    scores = ", ".join(f"{name} {value:.2f}" for name, value in finished.get("best", {}).items())
    return f"{parent.best_checkpoint()} ({scores} in validation)"
