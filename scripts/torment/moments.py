"""When to strike, and what a process was doing when it was struck, by what is found on disk and in its log."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from nmt.files import SUMS
from nmt.training.checkpoint import MODEL, NUMBERS, TENSORS
from torment.command import MAX_STEPS, VALIDATE_EVERY, Attempt, Place

Moment = Callable[[Attempt, Random], bool]  # waits for its moment; False if the process ended before
_LINE = re.compile(r"step (\d+) · (loss|validation)")


def any_time(attempt: Attempt, random: Random) -> bool:
    """Anywhere in the life of a process, its first milliseconds and its last included."""
    done = max(attempt.place.steps(), default=0) / MAX_STEPS
    return attempt.sleep(random.uniform(0, attempt.place.life * (1 - done / 2)))  # half of a life goes into starting


def preparing(attempt: Attempt, random: Random) -> bool:
    """While the corpus is prepared, or the run directory made of it."""
    return attempt.until(lambda: temporary(attempt.place.prepared)) and attempt.sleep(random.uniform(0, 0.3))


def creating(attempt: Attempt, random: Random) -> bool:
    """While the run directory is filled, or just after."""
    place = attempt.place
    return attempt.until(lambda: temporary(place.disk) or place.run.exists()) and attempt.sleep(random.uniform(0, 0.03))


def saving(attempt: Attempt, random: Random) -> bool:
    """In one of the next saves."""
    return _appearing(attempt, ".step-*.tmp-*", random.randint(1, 4)) and attempt.sleep(random.uniform(0, 0.005))


def publishing(attempt: Attempt, random: Random) -> bool:
    """Just after a checkpoint got its name, when older ones are removed."""
    return _appearing(attempt, "step-*", random.randint(1, 4)) and attempt.sleep(random.uniform(0, 0.003))


def validating(attempt: Attempt, random: Random) -> bool:
    """In one of the next validations."""
    wanted = random.randint(1, 2)
    began: set[int] = set()
    size = 0

    def under_way() -> bool:
        nonlocal size
        now = attempt.stderr.stat().st_size
        if now != size:
            size = now
            line = last_line(attempt.printed())
            if line and line[1] == "loss" and line[0] % VALIDATE_EVERY == 0:
                began.add(line[0])
        return len(began) >= wanted

    return attempt.until(under_way) and attempt.sleep(random.uniform(0, 0.3))


def evaluating(attempt: Attempt, random: Random) -> bool:
    """After the last update: in the final evaluation, while its files are written, at the exit."""
    begun = time.time()
    finished = attempt.place.finished

    def ended() -> bool:
        try:
            return finished.stat().st_mtime > begun or any(attempt.place.run.glob(".finished*"))
        except FileNotFoundError:
            return False

    return attempt.until(ended) and attempt.sleep(random.choice((0.002, 1.5)) * random.random())


def never(attempt: Attempt, random: Random) -> bool:
    """Not this one: it may end."""
    attempt.wait()
    return False


def choose(place: Place, random: Random) -> Moment:
    """A moment that can come in the next process of this trial."""
    if not place.run.exists():
        is_prepared = any(not path.name.startswith(".") for path in place.prepared.glob("*"))
        return random.choices((any_time, creating, preparing), (2, 3, 0 if is_prepared else 5))[0]
    if place.finished.exists():
        return random.choices((any_time, evaluating, never), (1, 3, 1))[0]
    moments = (any_time, saving, publishing, validating, evaluating)
    return random.choices(moments, (4, 7, 4, 4, 1))[0]


def doing(attempt: Attempt, struck: float) -> str:
    """What a process was doing when it was killed at the time `struck`."""
    place, printed = attempt.place, attempt.printed()
    line = last_line(printed)
    newest = max(place.checkpoints.glob("step-*"), default=None)
    if not printed:
        return "importing"
    if temporary(place.prepared):
        return "preparing"
    if temporary(place.disk):
        return "creating the run"
    if temporary(place.checkpoints):
        return "saving"
    if any(_is_partial(path) for path in place.checkpoints.glob("step-*")):
        return "pruning"
    if newest is not None and abs(struck - newest.stat().st_ctime) < 0.01:
        return "publishing"
    if place.finished.exists() and "Training ended" in printed:
        return "evaluating"
    if line is not None and line[1] == "loss" and line[0] % VALIDATE_EVERY == 0:
        return "validating"
    return "training" if line is not None else "starting"


def last_line(printed: str) -> tuple[int, str] | None:
    """The last report of a step, and whether it is one of training ("loss") or of a validation."""
    found = _LINE.findall(printed)
    return (int(found[-1][0]), found[-1][1]) if found else None


def temporary(folder: Path) -> bool:
    """Whether something in this folder is being made."""
    return next(folder.glob(".*.tmp-*"), None) is not None


def _appearing(attempt: Attempt, pattern: str, times: int) -> bool:
    folder = attempt.place.checkpoints
    seen = {path.name for path in folder.glob(pattern)}
    before = len(seen)

    def enough() -> bool:
        seen.update(path.name for path in folder.glob(pattern))
        return len(seen) - before >= times

    return attempt.until(enough)


def _is_partial(checkpoint: Path) -> bool:
    return any(not (checkpoint / name).exists() for name in (MODEL, TENSORS, NUMBERS, SUMS))
