"""A run directory: whole in itself, so that it can be moved to another machine and used there.

config.yaml          every setting, resolved, and where the run came from
tokenizers/          source.model, target.model
data/                val.tsv, test.tsv (source, references …), report.json
SHA256SUMS           of the files above; its own SHA-256 is the identity of the run, which all below carry
changes.json         settings that were changed when the run was resumed
checkpoints/         step-…/: weights, optimiser, numbers, checksums
tensorboard/         events
train.log            what was printed while training
finished.json        written last: why training ended, and which step was the best
eval/                scores.json, translations.tsv, heatmaps/; alignment.json after evaluate.py --alignments
"""

from __future__ import annotations

import logging
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import yaml

from nmt.config import Config, load_config
from nmt.errors import UserError
from nmt.files import SUMS, check_sums, new_directory, read_sealed, remove_leftovers, sha256, write_sealed
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
RECORDED = (CONFIG, *PREPARED.values())  # what SHA256SUMS lists; the rest of a run comes later
# Settings of earlier versions. What they did was done in training: a run that has them translates without them.
RETIRED = (
    "start",
    "data.tokenizers",
    "model.word_dropout",
    "train.bpe_dropout",
    "train.consistency",
    "train.other_words",
    "train.risk_epochs",
)
_RETIRED_CHANGES = tuple(f"{name}=" for name in RETIRED)
_DEEPEST = 50  # lists and mappings inside one another: far more than settings have, and harmless to read


class _Dumper(yaml.SafeDumper):
    """Writes a value that occurs twice twice, so that no honest config.yaml has aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


class Run:
    """One run directory, as its users see it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.config_file = directory / CONFIG
        self.changes_file = directory / "changes.json"
        self.finished_file = directory / "finished.json"
        self.source_tokenizer = directory / PREPARED["source.model"]
        self.target_tokenizer = directory / PREPARED["target.model"]
        self.val_set = directory / PREPARED["val.tsv"]
        self.test_set = directory / PREPARED["test.tsv"]
        self.checkpoints = directory / "checkpoints"
        self.tensorboard = directory / "tensorboard"
        self.log = directory / "train.log"
        self.evaluation = directory / "eval"

    @classmethod
    def create(cls, values: Mapping[str, Any], provenance: Mapping[str, Any], prepared: Path) -> Run:
        """Begin a run: settings, tokenizers and held-out sets, with their checksums."""
        run = cls(Path(values["run_dir"]))
        settings, origin = (
            yaml.dump(part, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
            for part in (dict(values), {"provenance": dict(provenance)})
        )
        if "${" in settings:
            raise UserError("A setting holds ${…} even now that all are resolved: choose names and paths without it.")
        remove_leftovers(run.directory.parent, run.directory.name)
        with new_directory(run.directory, existing="refuse") as directory:
            (directory / CONFIG).write_text(settings + "\n" + origin, encoding="utf-8")
            for name, copy in PREPARED.items():
                (directory / copy).parent.mkdir(exist_ok=True)
                shutil.copyfile(prepared / name, directory / copy)
        run.write_changes([])
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
        check_sums(self.directory, RECORDED)

    def identity(self) -> str:
        """What checkpoints and records of this run carry, so that those of another run are not taken for them."""
        try:
            return sha256(self.directory / SUMS)
        except OSError as error:
            raise UserError(f"{self.directory / SUMS} cannot be read; restore it from a copy.") from error

    def read_config(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The run's settings and its provenance, as plain values."""
        values, provenance, _ = self._read_config()
        return values, provenance

    def _read_config(self) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
        """The same, and which settings were in use that are no more.

        The file may come from anywhere: it gives plain values or a UserError, whatever is in it.
        """
        try:
            text = self.config_file.read_text(encoding="utf-8")
            if "${" in text:  # ours is resolved; whatever merged it with other settings might resolve it again
                raise ValueError("it holds ${…}, which would have a meaning only in configs/")
            values = plain_yaml(text)
            provenance = values.pop("provenance")
            if not all(isinstance(provenance[name], str) for name in ("data_key", "split_hash")):
                raise ValueError("its provenance does not say which data the run has")
            in_use = [name for name in RETIRED if _pop(values, name)]
        except KeyError as error:
            raise UserError(f"{self.config_file} has no {error}; restore it from a copy.") from error
        except (yaml.YAMLError, OSError, ValueError, AttributeError, TypeError) as error:
            reason = getattr(error, "problem", None) or error  # YAML's whole message quotes the file over many lines
            raise UserError(f"{self.config_file} cannot be read: {reason}; restore it from a copy.") from error
        return values, provenance, in_use

    def check_resumable(self) -> None:
        """Raise a UserError if training cannot go on as it began, for want of a setting that is no more."""
        *_, in_use = self._read_config()
        in_use += [change.partition("=")[0] for change in self._changes() if change.startswith(_RETIRED_CHANGES)]
        if in_use:
            raise UserError(
                f"{self.directory} trains with {', '.join(in_use)}, which this version does not have: go on with the "
                "version that began it, or begin a new run."
            )

    def read_changes(self) -> list[str]:
        """Overrides (train.max_epochs=30) under which the run was resumed, oldest first."""
        return [change for change in self._changes() if not change.startswith(_RETIRED_CHANGES)]

    def _changes(self) -> list[str]:
        if not self.changes_file.exists() and not self.checkpoints.exists():
            return []  # killed before it could write either
        changes = self._read_own(self.changes_file).get("changes")
        if not isinstance(changes, list):
            raise UserError(f"{self.changes_file} lists no changes; restore it from a copy.")
        return [str(change) for change in changes]

    def write_changes(self, changes: Sequence[str]) -> None:
        """Remember them, so that the plain resume command goes on under the same settings."""
        if not self.changes_file.exists() or self.read_changes() != list(changes):
            write_sealed(self.changes_file, {"run": self.identity(), "changes": list(changes)})

    def config(self) -> Config:
        """The run's settings."""
        return load_config(self.read_config()[0])

    def finish(self, reason: str, state: TrainState, monitor: str) -> None:
        """Mark training as finished; from now on the run can translate."""
        write_sealed(
            self.finished_file,
            {
                "run": self.identity(),
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

    def begin_training(self) -> None:
        """Training goes on: until it ends, no checkpoint is sure to stay, and what a kill left over is of no use."""
        self.finished_file.unlink(missing_ok=True)
        for folder in (self.directory, self.checkpoints, self.evaluation, self.evaluation / "heatmaps"):
            remove_leftovers(folder)

    def finished(self) -> dict[str, Any]:
        """What `finish` recorded; a UserError if training has not ended."""
        if not self.finished_file.is_file():
            raise UserError(
                f"{self.directory} is not finished: go on with {resume_command(self.directory)}, "
                "or name another run with --run."
            )
        finished = self._read_own(self.finished_file)
        kinds = {"best_step": int, "steps": int, "finished_at": str}
        if not all(isinstance(finished.get(name), kind) for name, kind in kinds.items()):
            raise UserError(f"{self.finished_file} does not say when training ended; restore it from a copy.")
        return finished

    def evaluated(self, examples: str, decode: Mapping[str, Any], checkpoint: str | None = None) -> dict[str, Any]:
        """What a score of this run is a score of: the sentences, the checkpoint (by default the best), the search."""
        return {
            "run": self.identity(),
            "examples": examples,
            "split_hash": self.read_config()[1]["split_hash"],
            "checkpoint": checkpoint or self.best_checkpoint().name,
            "decode": dict(decode),
        }

    def best_checkpoint(self) -> Path:
        """The checkpoint that did best in validation."""
        return self.checkpoints / f"step-{self.finished()['best_step']:08d}"

    def _read_own(self, path: Path) -> dict[str, Any]:
        """A sealed record, if it is one of this run."""
        values = read_sealed(path)
        if values.get("run") != self.identity():
            raise UserError(f"{path} belongs to another run; restore this run's own from a copy.")
        return values


def _pop(values: dict[str, Any], name: str) -> Any:
    """Take a setting (train.max_epochs) out of them, if it is there."""
    group, _, last = name.rpartition(".")
    return (values.get(group, {}) if group else values).pop(last, None)


def plain_yaml(text: str) -> Any:
    """The value of some YAML, if it is of the simple kind that we write.

    Ten lines with aliases can stand for gigabytes, and deep nesting overflows the stack of the C loader, so both are
    refused before anything is built. Tags that name Python classes mean nothing to a safe loader.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is ten times as fast
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"it has an alias, *{event.anchor}")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise ValueError("it is nested too deeply")
    return yaml.load(text, Loader=loader)


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
