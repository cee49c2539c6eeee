"""A run directory: whole in itself, so that it can be moved to another machine and used there.

config.yaml          every setting, resolved, and where the run came from
tokenizers/          source.model, target.model
data/                val.tsv, test.tsv (source, references …), report.json
SHA256SUMS           of the files above
changes.json         settings that were changed when the run was resumed, if any
checkpoints/         step-…/: weights, optimiser, numbers, checksums
tensorboard/         events
train.log            what was printed while training
finished.json        written last: why training ended, and which step was the best
eval/                scores.json, translations.tsv, heatmaps/; alignment.json after evaluate.py --alignments
"""

from __future__ import annotations

import dataclasses
import json
import logging
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import yaml

from nmt.config import Config, DecodeSettings, load_config
from nmt.errors import UserError
from nmt.files import check_sums, new_directory, write_json
from nmt.training.state import TrainState

log = logging.getLogger(__name__)

CONFIG = "config.yaml"
PREPARED = {
    "source.model": "tokenizers/source.model",
    "target.model": "tokenizers/target.model",
    "val.tsv": "data/val.tsv",
    "test.tsv": "data/test.tsv",
    "report.json": "data/report.json",
}  # files of a prepared corpus that a run keeps a copy of


class Run:
    """One run directory, as its users see it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.config_file = directory / CONFIG
        self.changes_file = directory / "changes.json"
        self.finished_file = directory / "finished.json"
        self.source_tokenizer = directory / PREPARED["source.model"]
        self.target_tokenizer = directory / PREPARED["target.model"]
        self.test_set = directory / PREPARED["test.tsv"]
        self.checkpoints = directory / "checkpoints"
        self.tensorboard = directory / "tensorboard"
        self.log = directory / "train.log"
        self.evaluation = directory / "eval"

    @classmethod
    def create(cls, values: Mapping[str, Any], provenance: Mapping[str, Any], prepared: Path) -> Run:
        """Begin a run: settings, tokenizers and held-out sets, with their checksums."""
        run = cls(Path(values["run_dir"]))
        settings = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True)
        origin = yaml.safe_dump({"provenance": dict(provenance)}, sort_keys=False, allow_unicode=True)
        with new_directory(run.directory, existing="refuse") as directory:
            (directory / CONFIG).write_text(settings + "\n" + origin, encoding="utf-8")
            for name, copy in PREPARED.items():
                (directory / copy).parent.mkdir(exist_ok=True)
                shutil.copyfile(prepared / name, directory / copy)
        return run

    def require_empty(self) -> None:
        """Raise a UserError if a run cannot begin here."""
        if self.directory.exists() and (not self.directory.is_dir() or any(self.directory.iterdir())):
            raise UserError(
                f"{self.directory} is not an empty directory: choose another run_dir, or go on with the run in it "
                f"({resume_command(self.directory)})."
            )

    def check(self) -> None:
        """Raise a UserError unless this is a run directory whose files are as they were written."""
        if not self.directory.is_dir():
            raise UserError(f"{self.directory} does not exist: name a run directory, such as one under outputs/.")
        if not self.config_file.is_file():
            raise UserError(f"{self.directory} is not a run directory: it has no config.yaml.")
        check_sums(self.directory)

    def read_config(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The run's settings and its provenance, as plain values."""
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is ten times as fast
        try:
            values = yaml.load(self.config_file.read_text(encoding="utf-8"), Loader=loader)
            provenance = values.pop("provenance")
            values["decode"].pop("batch_size", None)  # of runs from before batch_tokens
        except (yaml.YAMLError, OSError, AttributeError, KeyError, TypeError) as error:
            raise UserError(f"{self.config_file} cannot be read: {error}.") from error
        return values, provenance

    def read_changes(self) -> list[str]:
        """Overrides (train.max_epochs=30) under which the run was resumed, oldest first."""
        if not self.changes_file.is_file():
            return []
        try:
            return [str(change) for change in json.loads(self.changes_file.read_text(encoding="utf-8"))]
        except ValueError as error:
            raise UserError(
                f"{self.changes_file} is damaged: restore it, or delete it to forget the changes."
            ) from error

    def write_changes(self, changes: Sequence[str]) -> None:
        """Remember them, so that the plain resume command goes on under the same settings."""
        if changes:
            write_json(self.changes_file, list(changes))

    def config(self) -> Config:
        """The run's settings."""
        return load_config(self.read_config()[0])

    def finish(self, reason: str, state: TrainState, monitor: str) -> None:
        """Mark training as finished; from now on the run can translate."""
        write_json(
            self.finished_file,
            {
                "finished_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
                "reason": reason,
                "best_step": state.best_step,
                "best": {monitor: state.best},
                "steps": state.step,
                "epochs": state.epoch,
                "target_tokens": state.tokens,
                "training_seconds": round(state.seconds, 1),
            },
        )

    def unfinish(self) -> None:
        """Training goes on: until it ends, no checkpoint is sure to stay."""
        self.finished_file.unlink(missing_ok=True)

    def finished(self) -> dict[str, Any]:
        """What `finish` recorded; a UserError if training has not ended."""
        if not self.finished_file.is_file():
            raise UserError(
                f"{self.directory} is not finished: go on with {resume_command(self.directory)}, "
                "or name another run with --run."
            )
        try:
            finished: dict[str, Any] = json.loads(self.finished_file.read_text(encoding="utf-8"))
            int(finished["best_step"]), str(finished["finished_at"])
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"{self.finished_file} is damaged: restore it from a copy.") from error
        return finished

    def evaluated(self, examples: str, decode: DecodeSettings) -> dict[str, Any]:
        """What a score of this run is a score of: the sentences, the checkpoint, the search."""
        return {
            "examples": examples,
            "split_hash": self.read_config()[1]["split_hash"],
            "checkpoint": self.best_checkpoint().name,
            "decode": dataclasses.asdict(decode),
        }

    def best_checkpoint(self) -> Path:
        """The checkpoint that did best in validation."""
        return self.checkpoints / f"step-{int(self.finished()['best_step']):08d}"


def newest_finished(outputs: Path) -> Run:
    """The run under `outputs` (or in a sweep there) that finished last."""
    found = []
    for path in (*outputs.glob("*/finished.json"), *outputs.glob("*/*/finished.json")):
        try:
            found.append((Run(path.parent).finished()["finished_at"], path.stat().st_mtime, path.parent))
        except UserError as error:
            log.warning("%s It is passed over.", error)
    if not found:
        raise UserError(f"No finished run under {outputs}: train one with python train.py, or name one with --run.")
    return Run(max(found)[-1])


def resume_command(directory: Path) -> str:
    """What to type to go on with a run; quoted for Hydra and for the shell where its name needs that."""
    plain = re.fullmatch(r"[\w./-]+", str(directory))
    return "python train.py " + (f"resume={directory}" if plain else shlex.quote(f"resume='{directory}'"))
