"""A run directory, which is self-contained: it can be moved to another machine and used there.

config.yaml          every setting, resolved, and where the run came from
tokenizers/          source.model, target.model
data/                val.tsv, test.tsv (source, references …), report.json
changes.json         settings that were changed when the run was resumed
SHA256SUMS           of the files above, of finished.json, guessing.json, word_counts.tsv and portable.nmt
checkpoints/         step-…/: weights, optimiser, numbers, checksums
tensorboard/         events
train.log            what was printed while training
finished.json        written last: why training ended, and which step was the best
portable.nmt         the best checkpoint in the form that translate.py uses without PyTorch
snapshots/           step-….nmt: with train.keep, the weights at several steps, in the same form
guessing.json        confidence at or below which a translation is a guess, found in validation
word_counts.tsv      how often each target word occurs in the training set, for the report
training.lock        the process that trains, or the last one that did
eval/                scores.json, translations.tsv, verdict.txt, report.html, heatmaps/, SHA256SUMS; alignment.json
                     and faithfulness.json after evaluate.py --alignments and --faithfulness
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from nmt.config import Config, load_config
from nmt.data.replay import KEPT
from nmt.errors import UserError
from nmt.files import check_sums, listed, new_directory, read_record, remove_leftovers, write_json, write_record
from nmt.lock import RunLock, being_trained, unwritable
from nmt.shell import resume_command, shell_command
from nmt.training.state import TrainState
from nmt.typed import written_to

log = logging.getLogger(__name__)

CONFIG, CHANGES = "config.yaml", "changes.json"
PREPARED = {**KEPT, "report.json": "data/report.json"}  # files of a prepared corpus that a run has copies of
RECORDED = (CONFIG, *PREPARED.values())  # what never changes in a run


class Run:
    """The paths of a run directory, and its finished.json; `Run.open` reads and checks the rest."""

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self.lock = RunLock(self.directory)
        self.config_file = self.directory / CONFIG
        self.changes_file = self.directory / CHANGES
        self.finished_file = self.directory / "finished.json"
        self.guessing_file = self.directory / "guessing.json"
        self.word_counts_file = self.directory / "word_counts.tsv"
        self.portable_file = self.directory / "portable.nmt"
        self.source_tokenizer = self.directory / PREPARED["source.model"]
        self.target_tokenizer = self.directory / PREPARED["target.model"]
        self.val_set = self.directory / PREPARED["val.tsv"]
        self.test_set = self.directory / PREPARED["test.tsv"]
        self.checkpoints = self.directory / "checkpoints"
        self.snapshots = self.directory / "snapshots"
        self.tensorboard = self.directory / "tensorboard"
        self.log = self.directory / "train.log"
        self.evaluation = self.directory / "eval"

    def create(self, config: Config, provenance: Mapping[str, Any], prepared: Path) -> OpenRun:
        """Begin a run in this new directory: settings, tokenizers and held-out sets, with their checksums."""
        final = self.directory
        from nmt.plain_yaml import dump  # translate.py starts without YAML

        settings, origin = dump(asdict(config)), dump({"provenance": dict(provenance)})
        with new_directory(final, existing="refuse") as directory:
            (directory / CONFIG).write_text(settings + "\n" + origin, encoding="utf-8")
            write_json(directory / CHANGES, {"changes": []})
            for name, copy in PREPARED.items():
                (directory / copy).parent.mkdir(exist_ok=True)
                shutil.copyfile(prepared / name, directory / copy)
        return OpenRun(final, config, provenance, [])

    @staticmethod
    def open(run: str | Path | Run) -> OpenRun:
        """Check and read a run, unless it is open; a UserError if it is none, damaged or of a newer version."""
        if isinstance(run, OpenRun):
            return run
        run = run if isinstance(run, Run) else Run(run)
        run.check()
        return OpenRun(run.directory, *_read_config(run.config_file), read_record(run.changes_file)["changes"])

    def require_new(self) -> None:
        """Raise a UserError if a run cannot begin here: something is there, or nothing may be written."""
        if not self.directory.exists():
            place = next(folder for folder in self.directory.absolute().parents if folder.exists())
            if not os.access(place, os.W_OK | os.X_OK) or not place.is_dir():
                number = errno.EACCES if place.is_dir() else errno.ENOTDIR
                raise unwritable(self.directory, OSError(number, os.strerror(number)))
        elif not self.directory.is_dir() or any(self.directory.iterdir()):
            if trained := being_trained(self.directory):
                raise UserError(f"{trained}: choose another run_dir.")
            advice = f"choose another run_dir, or go on with the run in it: `{resume_command(self.directory)}`"
            raise UserError(f"{self.directory} is not an empty directory: {advice}.")

    def check(self) -> None:
        """Raise a UserError unless this is an undamaged run directory."""
        if not self.directory.is_dir():
            problem = "is not a directory" if self.directory.exists() else "does not exist"
            raise UserError(f"{self.directory} {problem}: name a run directory, such as one under outputs/.")
        if not self.config_file.is_file():
            raise UserError(f"{self.directory} is not a run directory: it has no config.yaml.")
        check_sums(self.directory, RECORDED)

    def read_identity(self) -> str:
        """A hash of the run's settings and data, recorded in its checkpoints and scores to tell runs apart."""
        return hashlib.sha256(listed(self.directory, RECORDED).encode()).hexdigest()

    def finish(self, reason: str, state: TrainState, monitor: str) -> None:
        """Mark training as finished; from now on the run can translate."""
        finished = {
            "finished_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "reason": reason,
            "best_step": state.best_step,
            "best": {monitor: state.best},
            "steps": state.step,
            "epochs": state.epoch,
            "target_tokens": state.tokens,
            "training_seconds": round(state.seconds, 1),
        }
        write_record(self.finished_file, finished)

    def begin_training(self) -> None:
        """Mark the run unfinished and delete leftovers of killed processes."""
        for file in (self.finished_file, self.portable_file):
            file.unlink(missing_ok=True)
        places = self.directory, self.checkpoints, self.snapshots, self.evaluation, self.evaluation / "heatmaps"
        for folder in places:
            remove_leftovers(folder)
        remove_leftovers(self.directory.parent, self.directory.name)  # no other process can begin this run any more

    def finished(self, option: str = "--run") -> dict[str, Any]:
        """What `finish` recorded; a UserError, with the option that names a run, if training has not ended."""
        if not self.finished_file.is_file():
            if trained := being_trained(self.directory):
                raise UserError(f"{trained}: wait until it ends, or name another run with {option}.")
            advice = f"go on with `{resume_command(self.directory)}`, or name another run with {option}"
            raise UserError(f"{self.directory} is not finished: {advice}.")
        return read_record(self.finished_file)

    def best_checkpoint(self) -> Path:
        """The checkpoint that did best in validation."""
        return self.checkpoints / f"step-{self.finished()['best_step']:08d}"


class OpenRun(Run):
    """A run whose files were checked and whose settings were read, once.

    Attributes:
        config: Its settings, as config.yaml has them.
        provenance: Data, versions and machine of the run.
        changes: Overrides (train.max_epochs=30) under which it was resumed, oldest first.
        identity: See `read_identity`.
    """

    def __init__(self, directory: Path, config: Config, provenance: Mapping[str, Any], changes: Sequence[str]) -> None:
        super().__init__(directory)
        self.config, self.provenance, self.changes = config, dict(provenance), list(changes)
        self.identity = self.read_identity()

    def write_changes(self, changes: Sequence[str]) -> None:
        """Record overrides, so that a resume command without them uses the same settings."""
        if self.changes != list(changes):
            self.changes = list(changes)
            write_record(self.changes_file, {"changes": self.changes})

    def evaluated(self, examples: str, decode: Mapping[str, Any], checkpoint: str | None = None) -> dict[str, Any]:
        """What was scored: the sentences, the checkpoint (by default the best) and the search."""
        return {
            "run": self.identity,
            "examples": examples,
            "split_hash": self.provenance["split_hash"],
            "checkpoint": checkpoint or self.best_checkpoint().name,
            "decode": dict(decode),
        }


def _read_config(file: Path) -> tuple[Config, dict[str, Any]]:
    """A run's settings and its provenance; a UserError for any other content."""
    from nmt.plain_yaml import YAMLError, load

    try:
        values = load(file.read_text(encoding="utf-8"))
        provenance = values.pop("provenance")
    except (YAMLError, KeyError, ValueError, AttributeError, TypeError) as error:
        reason = getattr(error, "problem", None) or error  # YAML's whole message quotes the file over many lines
        raise UserError(f"{file} cannot be read: {reason}; restore it from a copy.") from error
    with written_to(file):
        return load_config(values), provenance


def newest_finished(outputs: Path) -> Run:
    """The run under `outputs` (or in a sweep there) that finished last."""
    found = []
    for path in (*outputs.glob("*/finished.json"), *outputs.glob("*/*/finished.json")):
        try:
            found.append((Run(path.parent).finished()["finished_at"], path.stat().st_mtime, path.parent))
        except UserError as error:
            log.warning("%s It is passed over.", error)
    if not found:
        advice = f"train one with `{shell_command('train.py')}`, or name one with --run"
        raise UserError(f"No finished run under {outputs}: {advice}.")
    return Run(max(found)[-1])
