"""A lock on a run directory, which the kernel releases when the process ends, even if it was killed."""

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
_HELD = (BlockingIOError, PermissionError)  # some file systems answer EACCES


class RunLock:
    """Lets one process train in a directory; the file in it names that process.

    Not filelock.FileLock: its earlier versions empty the file when they try to lock it, and on a file system without
    locks its later versions take an existing file, such as a killed process leaves, for a lock.
    """

    def __init__(self, directory: Path) -> None:
        """Lock this directory on entering the context."""
        self.directory, self.file = directory, directory / LOCK
        self._handle: int | None = None
        self._made_directory = False

    def __enter__(self) -> RunLock:
        """Make the directory if there is none and lock it; a UserError if another process trains in it."""
        try:
            while not self._lock():
                pass
        except OSError as error:
            advice = "allow writing there, or choose another place for a new run with run_dir=DIR"
            raise UserError(f"{self.directory} cannot be written ({error.strerror}): {advice}.") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the lock file, and the directory if nothing else was put into it; then unlock."""
        assert self._handle is not None
        with suppress(OSError):
            if _is_at(self.file, self._handle):  # else it is the lock of another process
                self.file.unlink()
                if self._made_directory:
                    self.directory.rmdir()
        with suppress(OSError):
            fcntl.flock(self._handle, fcntl.LOCK_UN)  # also for processes that were forked meanwhile
        os.close(self._handle)
        self._handle = None

    def check(self) -> None:
        """Raise a UserError if the locked directory is no longer where it was."""
        if self._handle is not None and not _is_at(self.file, self._handle):
            advice = "if it was moved, go on with the run where it is now (resume=DIR), else begin a new one"
            raise UserError(f"{self.directory} was deleted, moved or replaced during training: {advice}.")

    def _lock(self) -> bool:
        """Open and lock the file; False if another process removed it, or the directory, in between."""
        self._made_directory = not self.directory.exists()
        self.directory.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        except FileNotFoundError:
            return False
        try:
            if not _flock(handle, fcntl.LOCK_EX):
                raise UserError(f"{_being_trained(self.directory)}: wait until it ends, or choose another run_dir.")
            if _is_at(self.file, handle):
                os.ftruncate(handle, 0)
                os.pwrite(handle, f"{os.getpid()} {socket.gethostname()}\n".encode(), 0)
                self._handle = handle
        finally:
            if self._handle is None:
                os.close(handle)
        return self._handle is not None


def being_trained(directory: Path) -> str | None:
    """Return "DIR is being trained by process N" if a process has the lock; needs no write permission."""
    try:
        handle = os.open(directory / LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        return None if _flock(handle, fcntl.LOCK_SH, attempts=1) else _being_trained(directory)
    finally:
        os.close(handle)


def _being_trained(directory: Path) -> str:
    try:
        number, host = (directory / LOCK).read_text(encoding="utf-8").split()
    except (OSError, ValueError):  # not written yet, or removed meanwhile
        return f"{directory} is being trained by another process"
    elsewhere = "" if host == socket.gethostname() else f" on {host}"
    return f"{directory} is being trained by process {number}{elsewhere}"


def _is_at(path: Path, handle: int) -> bool:
    """Whether this open file is the one at `path`; as long as it is open, its inode number is not reused."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except (FileNotFoundError, NotADirectoryError):
        return False


def _flock(handle: int, kind: int, attempts: int = _ATTEMPTS) -> bool:
    """Lock an open file without waiting; False if another process has it, True where the file system has no locks."""
    for attempt in range(attempts):
        if attempt:
            time.sleep(_PAUSE)
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
            return True
        except _HELD:
            continue
        except OSError as error:  # some network file systems
            if kind == fcntl.LOCK_EX:
                log.warning("Without locks (%s), nothing keeps a second process from training here.", error.strerror)
            return True
    return False
