"""Disks that become full, or read-only, under a run."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random

from nmt.files import damage
from torment.command import Attempt, Place
from torment.moments import Moment, creating, evaluating, preparing, publishing, saving, validating
from torment.strikes import Trial, finish
from torment.undisturbed import Reference
from torment.verdict import sentence

Mend = Callable[[], None]  # undoes what was done to a disk
_MEGABYTE = 2**20
_DISK_MEGABYTES = 32
_ROOMS = (0, 2**14, 2**18, 1.2 * _MEGABYTE)  # up to a few log lines, a picture, a checkpoint of the tormented run


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


def fill_disk(folder: Path, reference: Reference, seed: str) -> Trial:
    """Fill the disk up to a random rest at a random moment, make room after the run has failed, and go on."""
    random = Random(seed)
    moment: Moment = random.choice((at_once, preparing, creating, saving, publishing, validating, evaluating))
    room = int(random.choice(_ROOMS) * random.random())
    return spoil(folder, reference, random, moment, partial(fill_up, room=room))


def make_read_only(folder: Path, reference: Reference, seed: str) -> Trial:
    """Take away the right to write the run directory at a random moment, give it back, and go on."""
    random = Random(seed)
    moment: Moment = random.choice((created, saving, publishing, validating, evaluating))
    return spoil(folder, reference, random, moment, lock_up)


def fill_up(place: Place, room: int) -> Mend:
    """Leave so many bytes on the disk."""
    ballast = place.disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):  # the run writes as well: it may win
        while (free := shutil.disk_usage(place.disk).free) > room:
            file.write(bytes(min(free - room, _MEGABYTE)))
    return ballast.unlink


def lock_up(place: Place) -> Mend:
    """Make the run directory read-only, for root as well, who ignores permissions.

    A mount cannot become read-only while files are open for writing, so one that is so already goes over the directory.
    """
    run, mirror = str(place.run), place.folder / "mirror"
    mirror.mkdir()
    _run("mount", "--bind", run, str(mirror))
    _run("mount", "-o", "remount,ro,bind", str(mirror))
    _run("mount", "--bind", str(mirror), run)
    return lambda: _run("umount", "--lazy", run, str(mirror))


def created(attempt: Attempt, random: Random) -> bool:
    """As soon as there is a run directory."""
    return attempt.until(attempt.place.run.exists)


def at_once(attempt: Attempt, random: Random) -> bool:
    """Before the process has done anything."""
    return True


def spoil(
    folder: Path, reference: Reference, random: Random, moment: Moment, make_worse: Callable[[Place], Mend]
) -> Trial:
    """Spoil the disk at a moment of the first process, mend it, and let the commands that are named end the run."""
    trial = Trial(folder)
    with small_disk(folder / "disk") as disk:
        place = Place(folder, reference.more, disk)
        with place.start() as attempt:
            if moment(attempt, random):
                mend = make_worse(place)
                attempt.wait()
                newest = max(place.checkpoints.glob("step-*"), default=None)
                damaged = newest and damage(newest)
                mend()
                trial.ended = attempt.process.returncode == 0  # there was room enough
                if not trial.ended:
                    trial.error = attempt.printed().strip().rpartition("\n")[2]
                    trial.problems += [damaged] if damaged else []
                    trial.problems += failed_well(attempt, disk)
                    place.follow(attempt.printed())
        while not trial.problems:
            if not trial.ended:
                with place.start() as attempt:
                    finish(place, attempt, trial)
            if trial.ended:
                trial.judge(place, reference)
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
