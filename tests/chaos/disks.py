"""Trials with a disk that becomes full, or a run directory that becomes read-only."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

from nmt.files import damage

from .checks import error_problems
from .moments import wait_for
from .process import Workspace
from .reference import Reference
from .trials import Trial, complete

Repair = Callable[[], object]  # undoes what was done to a disk
_MEGABYTE = 2**20
_DISK_MEGABYTES = 32
_ROOMS = (0, 2**14, 2**18, 1.2 * _MEGABYTE)  # up to a few log lines, a picture, a checkpoint
_ANYWHERE = ("saving", "publishing", "validating", "evaluating")


def can_mount(folder: Path) -> bool:
    """Whether this process may mount file systems."""
    try:
        with small_disk(folder):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of some megabytes mounted at `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={_DISK_MEGABYTES}m", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        _run("umount", "--lazy", str(folder))


def full_disk_trial(folder: Path, reference: Reference, seed: str) -> Trial:
    """Fill the disk up to a random rest at a random moment, make room after the run has failed, and resume."""
    random = Random(seed)
    moment = random.choice(("at once", "preparing", "creating", *_ANYWHERE))
    room = int(random.choice(_ROOMS) * random.random())
    return disk_trial(
        folder, reference, lambda work: wait_for(moment, work, random), lambda work: fill_disk(work, room)
    )


def read_only_trial(folder: Path, reference: Reference, seed: str) -> Trial:
    """Make the run directory read-only at a random moment, make it writable again, and resume."""
    random = Random(seed)
    moment = random.choice(("created", *_ANYWHERE))
    return disk_trial(folder, reference, lambda work: wait_for(moment, work, random), make_read_only)


def fill_disk(work: Workspace, room: int) -> Repair:
    """Leave this many bytes free on the disk."""
    ballast = work.disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):  # the run writes too and may fill it first
        while (free := shutil.disk_usage(work.disk).free) > room:
            file.write(bytes(min(free - room, _MEGABYTE)))
    return ballast.unlink


def make_read_only(work: Workspace) -> Repair:
    """Make the run directory read-only, also for root, who ignores permissions.

    A mount cannot become read-only while files are open for writing, so a read-only bind mount covers the directory.
    """
    run, mirror = str(work.run), work.folder / "mirror"
    mirror.mkdir()
    _run("mount", "--bind", run, str(mirror))
    _run("mount", "-o", "remount,ro,bind", str(mirror))
    _run("mount", "--bind", str(mirror), run)
    return lambda: _run("umount", "--lazy", run, str(mirror))


def disk_trial(
    folder: Path, reference: Reference, wait: Callable[[Workspace], bool], break_disk: Callable[[Workspace], Repair]
) -> Trial:
    """Break the disk at a moment of the first process, repair it, and resume until the run ends."""
    trial = Trial(folder)
    with small_disk(folder / "disk") as disk:
        work = Workspace(folder, reference.more, disk)
        with work.process():
            if wait(work):
                repair = break_disk(work)
                code = work.wait()
                newest = max(work.checkpoints.glob("step-*"), default=None)
                damaged = newest and damage(newest)
                repair()
                trial.ended = code == 0  # there was room enough
                if not trial.ended:
                    trial.error = work.printed().strip().rpartition("\n")[2]
                    trial.problems += [damaged] if damaged else []
                    trial.problems += [] if code == 2 else [f"exit code {code}"]
                    trial.problems += error_problems(work.printed(), disk)
                    work.follow()
        complete(work, trial, reference)
        if trial.problems:
            shutil.copytree(disk, folder / "disk-as-it-was", dirs_exist_ok=True)
    return trial


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
