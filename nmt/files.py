"""Files and directories that are there whole or not at all, whenever we are killed; checksums to prove it."""

from __future__ import annotations

import errno
import glob
import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from nmt.errors import UserError
from nmt.interrupt import raise_again

SUMS = "SHA256SUMS"
SEAL = "sha256"  # last key of a sealed JSON object


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
    temporary = _temporary(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            raise_again()
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        sync(path.parent)
    except OSError as error:
        advice = "make room or choose another place"
        raise UserError(f"{path} cannot be written ({error.strerror}): {advice}.") from error


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON atomically; every script stays readable in it."""
    write_text(path, _json(value))


def write_sealed(path: Path, values: Mapping[str, Any]) -> None:
    """Write a JSON object that ends in the SHA-256 of the rest of it, atomically."""
    write_text(path, _sealed(values))


def read_sealed(path: Path) -> dict[str, Any]:
    """What `write_sealed` wrote, to the byte.

    Raises:
        UserError: The file is missing, or any byte of it is not as it was written.
    """
    try:
        content = path.read_bytes()
        values: dict[str, Any] = json.loads(content)
        del values[SEAL]
        if _sealed(values).encode("utf-8") == content:
            return values
    except FileNotFoundError as error:
        raise UserError(f"{path} is missing; restore it from a copy.") from error
    except (OSError, ValueError, TypeError, KeyError, RecursionError):  # no file, or no JSON, of ours
        pass
    raise UserError(f"{path} is damaged, or written by an older version; restore it from a copy.")


def _sealed(values: Mapping[str, Any]) -> str:
    plain = dict(values)
    return _json(plain | {SEAL: hashlib.sha256(_json(plain).encode("utf-8")).hexdigest()})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def sha256(path: Path) -> str:
    """Checksum of a file's content."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def files_below(directory: Path) -> list[str]:
    """Relative names of all files below a directory, sorted.

    Raises:
        UserError: Something there is a link or a device: what is read or written through it lies elsewhere.
    """
    found, folders = [], [directory]
    while folders:
        try:
            entries = list(os.scandir(folder := folders.pop()))
        except FileNotFoundError:
            if folder == directory:
                raise
            continue  # a temporary one, which whoever is writing here has removed by now
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                found.append(Path(entry.path).relative_to(directory).as_posix())
            else:
                kind = "a symbolic link" if entry.is_symlink() else "neither a file nor a directory"
                raise UserError(f"{entry.path} is {kind}, and nothing is read or written through it.")
    return sorted(found)


def write_sums(directory: Path) -> None:
    """Record the checksums of all files below a directory, in the form that `sha256sum -c` reads."""
    names = [name for name in files_below(directory) if name != SUMS]
    write_text(directory / SUMS, _render({name: sha256(directory / name) for name in names}))


def damage(directory: Path, names: Collection[str] | None = None) -> str | None:
    """What is wrong with the files of a directory, or None if all are as they were written.

    The checksums must be, to the byte, those that we write: of exactly `names` where other files come later, else of
    every file there.
    """
    sums = directory / SUMS
    try:
        content = sums.read_bytes()
        lines = content.decode("utf-8").splitlines()
        recorded = {name: checksum for checksum, name in (line.split("  ", 1) for line in lines)}
        present = set(files_below(directory)) - {SUMS}
    except UserError as error:
        return str(error).rstrip(".")
    except (OSError, ValueError):
        return f"{sums} is missing or damaged"
    expected = present if names is None else set(names)
    if missing := sorted((expected | set(recorded)) - present):
        return f"{directory / missing[0]} is missing"
    if unlisted := sorted(expected - set(recorded)):
        return f"{directory / unlisted[0]} is not listed in {SUMS}"
    if not recorded or set(recorded) != expected or _render(recorded).encode("utf-8") != content:
        return f"{sums} is damaged"
    for name, checksum in recorded.items():
        if sha256(directory / name) != checksum:
            return f"{directory / name} is damaged: its SHA-256 is not the recorded one"
    return None


def _render(sums: Mapping[str, str]) -> str:
    return "".join(f"{checksum}  {name}\n" for name, checksum in sorted(sums.items()))


def check_sums(directory: Path, names: Collection[str] | None = None) -> None:
    """Raise a UserError that names the first file which is not as it was written; see `damage`."""
    if problem := damage(directory, names):
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
    except OSError as error:
        error.filename = error.filename or str(final)  # a full disk is reported without a name
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def remove_directory(directory: Path) -> None:
    """Remove a directory at one stroke: a kill may leave something over, but nothing that looks like it."""
    discarded = _temporary(directory)
    directory.rename(discarded)
    shutil.rmtree(discarded, ignore_errors=True)


def remove_leftovers(folder: Path, name: str = "*") -> None:
    """Remove what killed processes left of a file or directory; for who knows that no other process is writing it."""
    pattern = name if name == "*" else glob.escape(name)
    for leftover in folder.glob(f".{pattern}.tmp-*"):
        if leftover.is_dir() and not leftover.is_symlink():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def _publish(temporary: Path, final: Path, existing: Literal["keep", "replace", "refuse"]) -> None:
    raise_again()
    if existing == "refuse":
        try:
            temporary.rename(final)  # replaces an empty directory, and nothing else
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
            raise UserError(f"{final} is not an empty directory: choose another place.") from error
        sync(final.parent)
        return
    if final.exists():
        if existing == "keep" and damage(final) is None:
            return
        remove_directory(final)
    temporary.rename(final)
    sync(final.parent)


def _temporary(final: Path) -> Path:
    return final.with_name(f".{final.name}.tmp-{uuid4().hex[:12]}")
