"""Disks that become full, or read-only, under a run."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from nmt.files import damage
from torment.command import Attempt, Place
from torment.moments import Moment, creating, evaluating, preparing, publishing, saving, validating
from torment.strikes import Trial, finish
from torment.verdict import differences, leftovers, sentence

_MEGABYTE = 2**20
_DISK_MEGABYTES = 32
_ROOM = 1.2 * _MEGABYTE  # more than a checkpoint of the tormented run


def can_mount(folder: Path) -> bool:
    """Whether this process may mount file systems."""
    try:
        with small_disk(folder):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of some megabytes at `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={_DISK_MEGABYTES}m", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        _run("umount", "--lazy", str(folder))


def fill_disk(folder: Path, reference: dict[str, Any], seed: str) -> Trial:
    """Fill the disk up to a random rest at a random moment, make room after the run has failed, and go on."""
    random = Random(seed)
    moment: Moment = random.choice((at_once, preparing, creating, saving, publishing, validating, evaluating))
    room = int(random.uniform(0, _ROOM) * random.random())

    def fill(place: Place) -> Callable[[], None]:
        ballast = place.disk / "ballast"
        free = os.statvfs(place.disk)
        size = max(free.f_bavail * free.f_frsize - room, 0)
        with ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(size, 1))
        return ballast.unlink

    return _spoil(folder, reference, random, moment, fill)


def make_read_only(folder: Path, reference: dict[str, Any], seed: str) -> Trial:
    """Take away the right to write the run directory at a random moment, give it back, and go on."""
    random = Random(seed)
    moment: Moment = random.choice((creating, saving, publishing, validating, evaluating))

    def lock(place: Place) -> Callable[[], None]:
        while not place.run.exists():
            time.sleep(0.001)
        # A mount over the directory: root ignores permissions, and files that are open keep a mount from changing.
        run = str(place.run)
        _run("mount", "--bind", run, run)
        _run("mount", "-o", "remount,ro,bind", run)
        return lambda: _run("umount", "--lazy", run)

    return _spoil(folder, reference, random, moment, lock)


def at_once(attempt: Attempt, random: Random) -> bool:
    """Before the process has done anything."""
    return True


def _spoil(
    folder: Path,
    reference: dict[str, Any],
    random: Random,
    moment: Moment,
    spoil: Callable[[Place], Callable[[], None]],
) -> Trial:
    """Spoil the disk at a moment of the first process, mend it, and let the commands that are named end the run."""
    trial = Trial(folder)
    with small_disk(folder / "disk") as disk:
        place = Place(folder, disk)
        ended = False
        with place.start() as attempt:
            if moment(attempt, random):
                mend = spoil(place)
                attempt.wait()
                newest = max(place.checkpoints.glob("step-*"), default=None)
                damaged = newest and damage(newest)
                mend()
                ended = attempt.process.returncode == 0  # there was room enough
                if not ended:
                    trial.error = attempt.printed().strip().rpartition("\n")[2]
                    trial.problems += [damaged] if damaged else []
                    trial.problems += failed_well(attempt, disk)
                    place.follow(attempt.printed())
        while not trial.problems:
            if not ended:
                with place.start() as attempt:
                    ended = finish(place, attempt, trial)
            if ended:
                trial.problems += differences(place.run, reference) + leftovers(place)
                break
        if trial.problems:
            shutil.copytree(disk, folder / "disk-as-it-was", dirs_exist_ok=True)
    return trial


def failed_well(attempt: Attempt, disk: Path) -> list[str]:
    """What is wrong with the way in which a process told that it cannot write to `disk`."""
    code = attempt.process.returncode
    return ([] if code == 2 else [f"exit code {code}"]) + sentence(attempt.printed(), disk)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
