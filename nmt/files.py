"""Files that are either whole or not there: atomic writes and checksums."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nmt.errors import UserError

SUMS = "SHA256SUMS"


def sync_directory(directory: Path) -> None:
    """Make renames inside `directory` survive a power cut."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Flush a file that another library has written to the disk itself."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


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
        sync_directory(path.parent)
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


def write_sums(directory: Path, names: Iterable[str]) -> None:
    """Record the checksums of `names`, in the form that `sha256sum -c` reads."""
    lines = [f"{sha256(directory / name)}  {name}\n" for name in sorted(names)]
    write_text(directory / SUMS, "".join(lines))


def check_sums(directory: Path) -> None:
    """Raise a UserError that names the first file which differs from its recorded checksum."""
    for name, expected in read_sums(directory).items():
        file = directory / name
        if not file.is_file():
            raise UserError(f"{file} is missing: restore it from a copy of this directory.")
        if sha256(file) != expected:
            raise UserError(f"{file} is damaged: its SHA-256 differs from the one in {directory / SUMS}.")


def read_sums(directory: Path) -> dict[str, str]:
    """The recorded checksum of each file name."""
    path = directory / SUMS
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        sums = {name: checksum for checksum, name in (line.split("  ", 1) for line in lines)}
        if not sums:
            raise ValueError("it is empty")
        return sums
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read ({error}): the directory is incomplete or damaged.") from error
