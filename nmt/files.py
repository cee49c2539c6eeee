"""Files and directories that are there whole or not at all, whenever we are killed; checksums to prove it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from nmt.errors import UserError

SUMS = "SHA256SUMS"


def sync(path: Path) -> None:
    """Make a file's content, or the renames inside a directory, survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_bytes(path: Path, content: bytes) -> None:
    """Write `path` atomically, and its folder if need be: a reader sees the old content or the new, never a part.

    Raises:
        UserError: If the file cannot be written there.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        sync(path.parent)
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}): choose another place.") from error


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON atomically; every script stays readable in it."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def sha256(path: Path) -> str:
    """Checksum of a file's content."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_sums(directory: Path) -> None:
    """Record the checksums of all files below a directory, in the form that `sha256sum -c` reads."""
    files = sorted(path for path in directory.rglob("*") if path.is_file() and path.name != SUMS)
    lines = [f"{sha256(path)}  {path.relative_to(directory).as_posix()}\n" for path in files]
    write_text(directory / SUMS, "".join(lines))


def damage(directory: Path) -> str | None:
    """What is wrong with the files that a directory's checksums list, or None if all are as they were written."""
    try:
        lines = (directory / SUMS).read_text(encoding="utf-8").splitlines()
        expected = {name: checksum for checksum, name in (line.split("  ", 1) for line in lines)}
    except (OSError, ValueError):
        return f"{directory / SUMS} is missing or damaged"
    if not expected:
        return f"{directory / SUMS} is empty"
    for name, checksum in expected.items():
        if not (directory / name).is_file():
            return f"{directory / name} is missing"
        if sha256(directory / name) != checksum:
            return f"{directory / name} is damaged: its SHA-256 is not the recorded one"
    return None


def check_sums(directory: Path) -> None:
    """Raise a UserError that names the first file which is not as it was written."""
    if problem := damage(directory):
        raise UserError(f"{problem}; restore it from a copy.")


@contextmanager
def new_directory(final: Path, existing: Literal["keep", "replace", "refuse"]) -> Iterator[Path]:
    """A directory to fill, which becomes `final`, with checksums, at the end; after an error nothing of it remains.

    Args:
        final: Where it is to be.
        existing: What happens if something is there by then: "keep" it if it is intact, which is right where any
            two writers would write the same; "replace" it; or "refuse" with a UserError unless it is empty.
    """
    temporary = _temporary(final)
    temporary.mkdir(parents=True)
    try:
        yield temporary
        write_sums(temporary)
        for path in (*temporary.rglob("*"), temporary):
            sync(path)
        _publish(temporary, final, existing)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def remove_leftovers(final: Path) -> None:
    """Remove what killed processes left of `final`; only for who knows that no other process is writing it."""
    for leftover in final.parent.glob(f".{final.name}.tmp-*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _publish(temporary: Path, final: Path, existing: Literal["keep", "replace", "refuse"]) -> None:
    if existing == "refuse":
        try:
            temporary.rename(final)  # replaces an empty directory, and nothing else
        except OSError as error:
            raise UserError(f"{final} is not an empty directory: choose another place.") from error
        sync(final.parent)
        return
    if final.exists():
        if existing == "keep" and damage(final) is None:
            return
        discarded = _temporary(final)
        final.rename(discarded)
        shutil.rmtree(discarded, ignore_errors=True)
    temporary.rename(final)
    sync(final.parent)


def _temporary(final: Path) -> Path:
    return final.with_name(f".{final.name}.tmp-{uuid4().hex[:12]}")
