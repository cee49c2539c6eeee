"""`make chaos`: end training at each of its changes of files, go on, and compare the bytes with an undisturbed run.

A kill matters by what is on the disk, and that changes only where a file is opened for writing, renamed or removed, or
a directory made. So `python train.py` runs in a process that counts these changes and meets its fate at one of them: it
is killed (SIGKILL), asked to stop (SIGTERM), or its disk is full from there on. Then the run goes on, with resume=DIR
or the same command, and must end with the same weights, optimiser, scores, translations and curves, and no temporary
file.
"""

import argparse
import errno
import importlib
import json
import logging
import os
import runpy
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
    SCALARS,
    EventAccumulator,
)

from nmt.files import damage, sha256
from nmt.portable.file import read
from nmt.training.checkpoint import MODEL, NUMBERS, TENSORS

ROOT = Path(__file__).resolve().parents[1]
FATES = {"kill": signal.SIGKILL, "stop": signal.SIGTERM, "full": 0}
CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir")  # audit events, besides "open" for writing
# Dropout and scheduled sampling draw random numbers; saves fall inside log intervals and inside epochs.
SETTINGS = [
    *("experiment=smoke", "data.source=eng", "data.target=fra", "device=cpu", "threads=1", "model=seq2seq"),
    *("train.batch_size=16", "train.accumulate=2", "train.max_steps=6", "train.validate_every=3"),
    *("train.log_every=4", "train.save_every=2", "train.teacher_forcing=0.8", "train.teacher_forcing_end=0.6"),
]
# Printed by Python, by logging, by a thread, by a destructor: a user should see none of them.
TRACES = ("Traceback", "Logging error", "Exception in thread", "Exception ignored")
# What is compared of JSON files: no times, and nothing that belongs to one run alone.
_FINISHED = ("reason", "best_step", "best", "steps", "epochs", "target_tokens")
_SCORES = ("bleu", "chrf", "ter", "sentences", "hypothesis_length", "reference_length", "by_length")


class Workspace:
    """A directory with a corpus, the prepared corpus and the run."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder, self.run, self.stderr = folder, folder / "run", folder / "stderr"
        demo = (ROOT / "data/demo/eng-fra.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / "fra-eng.txt").write_text("".join(demo[:3000:10]), encoding="utf-8")

    def train(self, point: int = 0, fate: str = "") -> int:
        """Begin the run or go on with it, with a fate at a change of a file; returns the exit code, or -signal."""
        places = f"data.path={self.folder / 'fra-eng.txt'}", f"data.prepared_dir={self.folder / 'prepared'}"
        begin = [*SETTINGS, *places, f"run_dir={self.run}"]
        arguments = [f"resume={self.run}"] if (self.run / "config.yaml").exists() else begin
        child = os.fork()
        if not child:
            self._be_train(arguments, point, fate)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def _be_train(self, arguments: Sequence[str], point: int, fate: str) -> None:
        """Be `python train.py`, in this process."""
        os.chdir(ROOT)
        for number, name in ((1, os.devnull), (2, self.stderr)):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        changes = 0

        def count(event: str, details: tuple[Any, ...]) -> None:
            nonlocal changes
            writes = event == "open" and isinstance(details[1], str) and details[1][0] in "wxa"
            if (writes or event in CHANGES) and str(self.folder) in str(details[0]):
                changes += 1
                if changes == point:
                    os.write(2, f"{fate} at {event} {details[0]}\n".encode())
                    if fate != "full":
                        os.kill(os.getpid(), FATES[fate])
                if fate == "full" and changes >= point and (writes or event == "os.mkdir"):  # from now on
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(details[0]))

        sys.addaudithook(count)
        sys.argv, code = ["train.py", *arguments], 0
        try:
            runpy.run_path("train.py", run_name="__main__")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
            code = 1
        sys.stderr.flush()
        if not point:
            (self.folder / "changes").write_text(str(changes))
        os._exit(code)


def trial(base: Path, expected: dict[str, Any], point: int, fate: str) -> tuple[str, list[str]]:
    """End a run at one change of a file and go on; returns where that was, and what is wrong."""
    work = Workspace(base / f"{fate}-{point}")
    code, problems = work.train(point, fate), []
    printed = work.stderr.read_text(encoding="utf-8", errors="replace")
    place = next((line for line in printed.splitlines() if line.startswith(f"{fate} at ")), "no such change")
    allowed = {"kill": (-signal.SIGKILL,), "stop": (-signal.SIGTERM, 128 + signal.SIGTERM), "full": (0, 2)}[fate]
    if code not in allowed:
        problems.append(f"exit code {code}")
    if fate == "full" and code == 2 and str(work.folder) not in printed.splitlines()[-1]:
        problems.append(f"the error does not name the file: {printed.splitlines()[-1]}")
    problems += [f"'{trace}' on stderr" for trace in TRACES if trace in printed]
    if code and (code := work.train()):
        problems.append(f"going on ended with {code}: {work.stderr.read_text(errors='replace')[-500:]}")
    elif not problems:
        found = outcome(work.run)
        problems = [f"{name} differs" for name in expected | found if found.get(name) != expected.get(name)]
        problems += leftovers(work.folder)
    if not problems:
        shutil.rmtree(work.folder)
    return place.replace(str(work.folder), ""), problems


def outcome(run: Path) -> dict[str, Any]:
    """Everything about a finished run that does not depend on the clock."""
    finished = _some(run / "finished.json", _FINISHED)
    result: dict[str, Any] = {
        "finished.json": finished,
        "eval/scores.json": _some(run / "eval/scores.json", _SCORES),
        "eval/translations.tsv": sha256(run / "eval/translations.tsv"),
        "portable.nmt": {name: tensor.tobytes() for name, tensor in read(run / "portable.nmt")[0].items()},
    }
    for role, step in (("last", finished["steps"]), ("best", finished["best_step"])):
        checkpoint = run / "checkpoints" / f"step-{step:08d}"
        for name in (MODEL, TENSORS):
            result[f"{name} of the {role} checkpoint"] = sha256(checkpoint / name)
        numbers = _some(checkpoint / NUMBERS, ("state", "scaler"))
        del numbers["state"]["seconds"]
        result[f"{NUMBERS} of the {role} checkpoint"] = numbers
    return result | {f"TensorBoard's {tag}": points for tag, points in curves(run / "tensorboard").items()}


def curves(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """TensorBoard's curves as it shows them, after purges and without speed."""
    logging.getLogger("tensorboard").setLevel(logging.ERROR)  # it logs every purge
    events = EventAccumulator(str(folder), size_guidance={SCALARS: 0}).Reload()
    tags = [tag for tag in events.Tags()["scalars"] if not tag.endswith("tokens_per_second")]
    found = {tag: [(event.step, event.value) for event in events.Scalars(tag)] for tag in tags}
    # Test scores have no step: a process that was killed after writing them writes them again.
    return {tag: sorted(set(points)) if tag.startswith("test/") else points for tag, points in found.items()}


def leftovers(folder: Path) -> list[str]:
    """Temporary files and incomplete checkpoints."""
    found = [f"{path.relative_to(folder)} is left over" for path in folder.rglob("*") if ".tmp-" in path.name]
    return found + [problem for path in folder.glob("run/checkpoints/step-*") if (problem := damage(path))]


def _some(path: Path, names: Sequence[str]) -> dict[str, Any]:
    values = json.loads(path.read_text(encoding="utf-8"))
    return {name: values[name] for name in names}


def main() -> int:
    """Try the fates at every change, or at some; 0 if there was no problem."""
    parser = argparse.ArgumentParser("python -m tests.chaos", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--fates", nargs="+", choices=FATES, default=list(FATES), help="default: all")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th change (default: all)")
    options = parser.parse_args()
    for module in ("nmt.commands.train", "nmt.pipeline", "torch._dynamo", "matplotlib.figure", "PIL.Image"):
        importlib.import_module(module)  # once, as all processes are forked from this one
    base, began, failures = Path(tempfile.mkdtemp(prefix="chaos-")), time.perf_counter(), 0
    work = Workspace(base / "undisturbed")
    if code := work.train():
        print(f"The undisturbed run ended with {code}: {work.stderr.read_text()}", file=sys.stderr)
        return 1
    expected, points = outcome(work.run), int((work.folder / "changes").read_text())
    for fate in options.fates:
        numbers = range(options.every, points + 1, options.every)
        for point in numbers:
            place, problems = trial(base, expected, point, fate)
            failures += bool(problems)
            print(f"{point} of {points}: {place}: {'; '.join(problems) or 'equal bytes'}", flush=True)
        print(f"{fate}: {len(numbers)} of {points} changes, {failures} failures so far", flush=True)
    print(f"{time.perf_counter() - began:.0f} s" + (f"; see {base}" if failures else ""))
    if not failures:
        shutil.rmtree(base)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
