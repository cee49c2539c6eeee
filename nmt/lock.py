"""Locks on files that stay; the kernel releases a lock when its process ends, even if it was killed."""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from nmt.errors import UserError

log = logging.getLogger(__name__)

LOCK = "training.lock"
_ATTEMPTS, _PAUSE = 5, 0.02  # `being_trained` locks for a moment, which must not pass for training


class Lock:
    """Lets one process at a time do something; the file names the process that does or did it."""

    def __init__(self, file: Path, waiting: str = "") -> None:
        """Lock on entering; if another process has the lock, log `waiting` and wait, or without it raise."""
        self.file, self.waiting = file, waiting
        self.is_exclusive = False  # nor is it when entered, where the file system has no locks
        self._handle: int | None = None

    def __enter__(self) -> Lock:
        handle = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        try:
            self.is_exclusive = _flock(handle, fcntl.LOCK_EX, self.waiting)
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()} {socket.gethostname()}\n".encode(), 0)
            self._handle = handle
        finally:
            if self._handle is None:
                os.close(handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._handle is not None
        with suppress(OSError):
            fcntl.flock(self._handle, fcntl.LOCK_UN)  # also for processes that were forked meanwhile
        os.close(self._handle)
        self._handle = None


class RunLock(Lock):
    """Lets one process train in a run directory."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory / LOCK)
        self.directory = directory

    def __enter__(self) -> RunLock:
        """Lock; a UserError if another process trains here, or if nothing can be written."""
        try:
            super().__enter__()
        except BlockingIOError as error:
            raise UserError(f"{_holder(self.directory)}: wait until it ends, or choose another run_dir.") from error
        except OSError as error:
            raise unwritable(self.directory, error) from error
        if not self.is_exclusive:
            log.warning("%s has no locks: nothing keeps a second process from training there.", self.directory)
        return self

    def check(self) -> None:
        """Raise a UserError if the locked directory is no longer where it was."""
        if self._handle is None:
            return
        with suppress(FileNotFoundError, NotADirectoryError):
            if os.path.samestat(os.fstat(self._handle), os.lstat(self.file)):
                return
        advice = "if it was moved, go on with the run where it is now (resume=DIR), else begin a new one"
        raise UserError(f"{self.directory} was deleted, moved or replaced during training: {advice}.")


def unwritable(directory: Path, error: OSError) -> UserError:
    """The error for a place where no run can be written."""
    advice = "allow writing there, or choose another place for a new run with run_dir=DIR"
    return UserError(f"{directory} cannot be written ({error.strerror}): {advice}.")


def being_trained(directory: Path) -> str | None:
    """Return "DIR is being trained by process N" if a process has the lock; needs no write permission."""
    try:
        handle = os.open(directory / LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        _flock(handle, fcntl.LOCK_SH)
    except BlockingIOError:
        return _holder(directory)
    finally:
        os.close(handle)
    return None


def _holder(directory: Path) -> str:
    try:
        number, host = (directory / LOCK).read_text(encoding="utf-8").split()
    except (OSError, ValueError):  # not written yet
        return f"{directory} is being trained by another process"
    elsewhere = "" if host == socket.gethostname() else f" on {host}"
    return f"{directory} is being trained by process {number}{elsewhere}"


def _flock(handle: int, kind: int, waiting: str = "") -> bool:
    """Lock an open file; False where the file system has no locks, BlockingIOError if we do not wait for another."""
    for _ in range(_ATTEMPTS):
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
            return True
        except (BlockingIOError, PermissionError):  # some file systems answer EACCES
            time.sleep(_PAUSE)
        except OSError:  # some network file systems
            return False
    if not waiting:
        raise BlockingIOError("another process has the lock")
    log.info("%s", waiting)
    fcntl.flock(handle, kind)
    return True
