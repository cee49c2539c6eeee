"""Moments at which to disturb a process, and what it was doing then, read from its files and its log."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from nmt.files import SUMS
from nmt.training.checkpoint import MODEL, NUMBERS, TENSORS

from .process import MAX_STEPS, VALIDATE_EVERY, Workspace

_LINE = re.compile(r"step (\d+) · (loss|validation)")


def wait_for(moment: str, work: Workspace, random: Random) -> bool:
    """Wait for a moment of the process; False if the process ended before."""
    condition: Callable[[], bool]
    match moment:
        case "at once":
            return True
        case "never":
            work.wait()
            return False
        case "any time":  # starting takes half of the time
            done = max(work.steps(), default=0) / MAX_STEPS
            return work.sleep(random.uniform(0, work.life * (1 - done / 2)))
        case "preparing":  # the corpus, or the run directory from it
            condition, delay = lambda: temporary(work.prepared), 0.3
        case "creating":  # the run directory, or just after
            condition, delay = lambda: temporary(work.disk) or work.begun(), 0.03
        case "created":
            condition, delay = work.begun, 0.0
        case "saving":  # one of the next 4 checkpoints
            condition, delay = _new(work.checkpoints, ".step-*.tmp-*", random.randint(1, 4)), 0.005
        case "publishing":  # just after a checkpoint was renamed, while older ones are deleted
            condition, delay = _new(work.checkpoints, "step-*", random.randint(1, 4)), 0.003
        case "validating":  # one of the next 2 validations
            condition, delay = _validations(work, random.randint(1, 2)), 0.3
        case "evaluating":  # after the last update: the test set, writing its files, the exit
            condition, delay = _ended(work, time.time()), random.choice((0.002, 1.5))
        case _:
            raise ValueError(moment)
    return work.until(condition) and work.sleep(random.uniform(0, delay))


def choose(work: Workspace, random: Random) -> str:
    """A random moment that can still come in the next process of this trial."""
    weights = {"any time": 4, "saving": 7, "publishing": 4, "validating": 4, "evaluating": 1}
    if not work.begun():
        is_prepared = any(not path.name.startswith(".") for path in work.prepared.glob("*"))
        weights = {"any time": 2, "creating": 3, "preparing": 0 if is_prepared else 5}
    elif work.finished.exists():
        weights = {"any time": 1, "evaluating": 3, "never": 1}
    return random.choices(list(weights), list(weights.values()))[0]


def doing(work: Workspace, at: float) -> str:
    """What the process was doing when it was signalled at the time `at`."""
    printed = work.printed()
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


def _new(folder: Path, pattern: str, times: int) -> Callable[[], bool]:
    """Whether so many new names of this pattern have been seen."""
    seen = {path.name for path in folder.glob(pattern)}
    wanted = len(seen) + times

    def enough() -> bool:
        seen.update(path.name for path in folder.glob(pattern))
        return len(seen) >= wanted

    return enough


def _validations(work: Workspace, wanted: int) -> Callable[[], bool]:
    """Whether so many validations have begun."""
    begun, size = set[int](), 0

    def enough() -> bool:
        nonlocal size
        if (now := work.stderr.stat().st_size) != size:
            size = now
            if (step := _validating_at(work.printed())) is not None:
                begun.add(step)
        return len(begun) >= wanted

    return enough


def _validating_at(printed: str) -> int | None:
    """The step of the validation under way: of a training report at its interval with no validation after it."""
    found = _LINE.findall(printed)
    step, kind = (int(found[-1][0]), found[-1][1]) if found else (0, "")
    return step if kind == "loss" and step % VALIDATE_EVERY == 0 else None


def _ended(work: Workspace, since: float) -> Callable[[], bool]:
    """Whether the last update has been made after this time."""

    def ended() -> bool:
        try:
            return work.finished.stat().st_mtime > since or any(work.run.glob(".finished*"))
        except FileNotFoundError:
            return False

    return ended
