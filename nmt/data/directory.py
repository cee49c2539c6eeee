"""Directories that are there whole or not at all, whoever else writes them and whenever we are killed."""

import fcntl
import hashlib
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

logger = logging.getLogger(__name__)

CHECKSUMS = "SHA256SUMS"  # as `sha256sum -c` reads it


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(2**20):
            digest.update(block)
    return digest.hexdigest()


def damage(directory: Path) -> str | None:
    """What is wrong with a published directory, or None if every file is as it was written."""
    checksums = directory / CHECKSUMS
    if not checksums.is_file():
        return f"{CHECKSUMS} is missing"
    for line in checksums.read_text(encoding="utf-8").splitlines():
        expected, _, name = line.partition("  ")
        if not (directory / name).is_file():
            return f"{name} is missing"
        if file_sha256(directory / name) != expected:
            return f"{name} has changed"
    return None


@contextmanager
def new_directory(final: Path) -> Iterator[Path]:
    """A directory to fill, which becomes `final` at the end; after an error nothing of it remains."""
    temporary = _temporary(final)
    temporary.mkdir()
    try:
        yield temporary
        names = sorted(path.name for path in temporary.iterdir())
        sums = "".join(f"{file_sha256(temporary / name)}  {name}\n" for name in names)
        (temporary / CHECKSUMS).write_text(sums, encoding="utf-8")
        for name in (*names, CHECKSUMS):
            _fsync(temporary / name)
        _fsync(temporary)
        _publish(temporary, final)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _publish(temporary: Path, final: Path) -> None:
    if final.exists():
        if damage(final) is None:  # someone who had no lock either was faster, with the same bytes
            return
        discarded = _temporary(final)
        final.rename(discarded)
        shutil.rmtree(discarded, ignore_errors=True)
    temporary.rename(final)
    _fsync(final.parent)


def remove_leftovers(final: Path) -> None:
    """Remove what killed processes left of `final`; only who holds the lock may."""
    for leftover in final.parent.glob(f".{final.name}.tmp-*"):
        shutil.rmtree(leftover, ignore_errors=True)


@contextmanager
def locked(final: Path) -> Iterator[bool]:
    """Hold the lock on `final`, after a wait if need be; yields False where the file system has no locks."""
    path = final.with_name(f".{final.name}.lock")
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        held = _lock(handle, final)
        if not held or (path.exists() and path.stat().st_ino == os.fstat(handle).st_ino):
            break
        os.close(handle)  # the former holder removed the file while we waited: others lock a new one
    try:
        yield held
    finally:
        if held:
            path.unlink(missing_ok=True)
        os.close(handle)


def _lock(handle: int, final: Path) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        logger.info("Waiting for another process that is preparing %s.", final)
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:  # some network file systems
        return False
    return True


def _temporary(final: Path) -> Path:
    return final.with_name(f".{final.name}.tmp-{uuid4().hex[:12]}")


def _fsync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
