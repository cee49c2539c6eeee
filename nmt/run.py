"""A run directory: whole in itself, so that it can be moved to another machine and used there.

config.yaml          every setting, resolved, and where the run came from
tokenizers/          source.model, target.model
data/                val.tsv, test.tsv (source, references …), report.json
SHA256SUMS           of the files above
checkpoints/         step-…/: weights, optimiser, numbers, checksums
tensorboard/         events
train.log            what was printed while training
finished.json        written last: why training ended, and which step was the best
eval/                scores.json, translations.tsv, heatmaps/
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import yaml

from nmt.config import Config, load_config
from nmt.errors import UserError
from nmt.files import check_sums, new_directory, write_json
from nmt.training.state import TrainState

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
        if run.directory.exists() and any(run.directory.iterdir()):
            raise UserError(
                f"{run.directory} is not empty: choose another run_dir, or go on with the run in it "
                f"(python train.py resume={run.directory})."
            )
        settings = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True)
        origin = yaml.safe_dump({"provenance": dict(provenance)}, sort_keys=False, allow_unicode=True)
        with new_directory(run.directory) as directory:
            (directory / CONFIG).write_text(settings + "\n" + origin, encoding="utf-8")
            for name, copy in PREPARED.items():
                (directory / copy).parent.mkdir(exist_ok=True)
                shutil.copyfile(prepared / name, directory / copy)
        return run

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
        except (yaml.YAMLError, OSError, AttributeError, KeyError) as error:
            raise UserError(f"{self.config_file} cannot be read: {error}.") from error
        return values, provenance

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

    def finished(self) -> dict[str, Any]:
        """What `finish` recorded; a UserError if training has not ended."""
        if not self.finished_file.is_file():
            raise UserError(
                f"{self.directory} is not finished: go on with python train.py resume={self.directory}, "
                "or name another run with --run."
            )
        try:
            finished: dict[str, Any] = json.loads(self.finished_file.read_text(encoding="utf-8"))
            int(finished["best_step"]), str(finished["finished_at"])
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"{self.finished_file} is damaged: restore it from a copy.") from error
        return finished

    def best_checkpoint(self) -> Path:
        """The checkpoint that did best in validation."""
        return self.checkpoints / f"step-{int(self.finished()['best_step']):08d}"


def newest_finished(outputs: Path) -> Run:
    """The run under `outputs` (or in a sweep there) that finished last."""
    depths = ("*/finished.json", "*/*/finished.json", "*/*/*/finished.json")
    runs = [Run(path.parent) for depth in depths for path in outputs.glob(depth)]
    if not runs:
        raise UserError(f"No finished run under {outputs}: train one with python train.py, or name one with --run.")
    return max(runs, key=lambda run: (run.finished()["finished_at"], run.finished_file.stat().st_mtime))
