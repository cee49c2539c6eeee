"""One process at a time prepares a corpus; the others wait and find it done."""

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

logger = logging.getLogger(__name__)


@contextmanager
def locked(final: Path) -> Iterator[bool]:
    """Hold the lock on `final`, after a wait if need be; yields False where the file system has no locks."""
    path = _lock_file(final)
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)  # a link planted there is refused
        held = _lock(handle, final)
        if not held or _is_at(path, handle):
            break
        os.close(handle)  # the former holder removed the file while we waited: others lock a new one
    try:
        yield held
    finally:
        if held:
            path.unlink(missing_ok=True)
        os.close(handle)


def remove_stale_lock(final: Path) -> None:
    """Remove the lock of a process that was killed after its work; one that is held stays."""
    path = _lock_file(final)
    with suppress(OSError):  # there is none, as almost always, or it is held
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
        finally:
            os.close(handle)


def _lock_file(final: Path) -> Path:
    return final.with_name(f".{final.name}.lock")


def _is_at(path: Path, handle: int) -> bool:
    """Whether this open file is the one that the path names now."""
    try:
        return path.stat().st_ino == os.fstat(handle).st_ino
    except FileNotFoundError:
        return False


def _lock(handle: int, final: Path) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        logger.info("Waiting for another process that is preparing %s.", final)
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:  # some network file systems
        return False
    return True
