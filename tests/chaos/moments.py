"""Moments at which to disturb a process, and what it was doing then, read from its files and its log."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from nmt.files import SUMS
from nmt.training.checkpoint import MODEL, NUMBERS, TENSORS

from .process import MAX_STEPS, VALIDATE_EVERY, TrainProcess, Workspace

Moment = Callable[[TrainProcess, Random], bool]  # waits for the moment; False if the process ended before
_LINE = re.compile(r"step (\d+) · (loss|validation)")


def at_once(process: TrainProcess, random: Random) -> bool:
    """Before the process has done anything."""
    return True


def any_time(process: TrainProcess, random: Random) -> bool:
    """Any time between its first and its last millisecond."""
    done = max(process.workspace.steps(), default=0) / MAX_STEPS
    return process.sleep(random.uniform(0, process.workspace.life * (1 - done / 2)))  # starting takes half of the time


def preparing(process: TrainProcess, random: Random) -> bool:
    """While the corpus is prepared, or the run directory created from it."""
    return process.until(lambda: temporary(process.workspace.prepared)) and process.sleep(random.uniform(0, 0.3))


def creating(process: TrainProcess, random: Random) -> bool:
    """While the run directory is written, or just after."""
    work = process.workspace
    return process.until(lambda: temporary(work.disk) or work.run.exists()) and process.sleep(random.uniform(0, 0.03))


def created(process: TrainProcess, random: Random) -> bool:
    """As soon as the run directory exists."""
    return process.until(process.workspace.run.exists)


def saving(process: TrainProcess, random: Random) -> bool:
    """During one of the next 4 saves."""
    return _appearing(process, ".step-*.tmp-*", random.randint(1, 4)) and process.sleep(random.uniform(0, 0.005))


def publishing(process: TrainProcess, random: Random) -> bool:
    """Just after a checkpoint was renamed, while older ones are deleted."""
    return _appearing(process, "step-*", random.randint(1, 4)) and process.sleep(random.uniform(0, 0.003))


def validating(process: TrainProcess, random: Random) -> bool:
    """During one of the next 2 validations."""
    wanted, began, size = random.randint(1, 2), set[int](), 0

    def under_way() -> bool:
        nonlocal size
        if (now := process.stderr.stat().st_size) != size:
            size = now
            if (step := _validating_at(process.printed())) is not None:
                began.add(step)
        return len(began) >= wanted

    return process.until(under_way) and process.sleep(random.uniform(0, 0.3))


def evaluating(process: TrainProcess, random: Random) -> bool:
    """After the last update: during the final evaluation, while its files are written, or at the exit."""
    begun, work = time.time(), process.workspace

    def ended() -> bool:
        try:
            return work.finished.stat().st_mtime > begun or any(work.run.glob(".finished*"))
        except FileNotFoundError:
            return False

    return process.until(ended) and process.sleep(random.choice((0.002, 1.5)) * random.random())


def never(process: TrainProcess, random: Random) -> bool:
    """Let the process end."""
    process.wait()
    return False


def choose(work: Workspace, random: Random) -> Moment:
    """A random moment that can still come in the next process of this trial."""
    if not work.run.exists():
        is_prepared = any(not path.name.startswith(".") for path in work.prepared.glob("*"))
        return random.choices((any_time, creating, preparing), (2, 3, 0 if is_prepared else 5))[0]
    if work.finished.exists():
        return random.choices((any_time, evaluating, never), (1, 3, 1))[0]
    return random.choices((any_time, saving, publishing, validating, evaluating), (4, 7, 4, 4, 1))[0]


def doing(process: TrainProcess, at: float) -> str:
    """What a process was doing when it was signalled at the time `at`."""
    work, printed = process.workspace, process.printed()
    checkpoints = sorted(work.checkpoints.glob("step-*"))
    parts = (MODEL, TENSORS, NUMBERS, SUMS)
    activities = {
        "importing": not printed,
        "preparing": temporary(work.prepared),
        "creating the run": temporary(work.disk),
        "saving": temporary(work.checkpoints),
        "pruning": any(not (path / name).exists() for path in checkpoints for name in parts),
        "publishing": bool(checkpoints) and abs(at - checkpoints[-1].stat().st_ctime) < 0.01,
        "evaluating": work.finished.exists() and "Training ended" in printed,
        "validating": _validating_at(printed) is not None,
        "training": _LINE.search(printed) is not None,
        "starting": True,
    }
    return next(name for name, holds in activities.items() if holds)


def temporary(folder: Path) -> bool:
    """Whether something in this folder is being written."""
    return next(folder.glob(".*.tmp-*"), None) is not None


def _validating_at(printed: str) -> int | None:
    """The step of the validation under way: of a training report at its interval with no validation after it."""
    found = _LINE.findall(printed)
    step, kind = (int(found[-1][0]), found[-1][1]) if found else (0, "")
    return step if kind == "loss" and step % VALIDATE_EVERY == 0 else None


def _appearing(process: TrainProcess, pattern: str, times: int) -> bool:
    """Wait until so many new checkpoint names of this pattern have been seen."""
    folder = process.workspace.checkpoints
    seen = {path.name for path in folder.glob(pattern)}
    wanted = len(seen) + times

    def enough() -> bool:
        seen.update(path.name for path in folder.glob(pattern))
        return len(seen) >= wanted

    return process.until(enough)
