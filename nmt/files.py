"""Files and directories that are published atomically, whenever the process is killed, and their checksums."""

import errno
import glob
import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from nmt.errors import UserError

SUMS = "SHA256SUMS"
# What a missing file raises. Any other OSError, such as a missing permission, says nothing about the file's content.
MISSING = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


def sync(path: Path) -> None:
    """Flush a file's content, or the renames inside a directory, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically, in a new folder if need be; a UserError if that fails."""
    temporary = _temporary(path)
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
        advice = "make room or choose another place"
        raise UserError(f"{path} cannot be written ({error.strerror}): {advice}.") from error


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON atomically, with letters of any script as they are."""
    write_text(path, _json(value))


def write_listed(path: Path, content: bytes) -> None:
    """Write a file atomically, with its line in the SHA256SUMS beside it.

    The new line is added before the file is replaced, and the old one removed afterwards: a kill at any moment leaves
    a file that is listed.
    """
    try:
        lines = _read_sums(path.parent)
    except (*MISSING, ValueError):  # none yet, or damaged
        lines = set()
    others = {(checksum, name) for checksum, name in lines if name != path.name}
    line = (hashlib.sha256(content).hexdigest(), path.name)
    write_text(path.parent / SUMS, _render(lines | {line}))
    write_bytes(path, content)
    if lines - others - {line}:
        write_text(path.parent / SUMS, _render(others | {line}))


def read_listed(path: Path) -> bytes:
    """Read a file; a UserError unless it is as the SHA256SUMS beside it says."""
    with suppress(*MISSING, ValueError):
        content = path.read_bytes()
        if (hashlib.sha256(content).hexdigest(), path.name) in _read_sums(path.parent):
            return content
    problem = "damaged: its SHA-256 is not the recorded one" if path.exists() else "missing"
    raise UserError(f"{path} is {problem}; restore it from a copy.")


def write_record(path: Path, values: Mapping[str, Any]) -> None:
    """Write a JSON object, listed in the SHA256SUMS beside it."""
    write_listed(path, _json(values).encode("utf-8"))


def read_record(path: Path) -> dict[str, Any]:
    """Read what `write_record` wrote."""
    content = read_listed(path)
    with suppress(ValueError, TypeError, RecursionError):
        return {**json.loads(content)}
    raise UserError(f"{path} holds no record; restore it from a copy.")


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
    """Relative names of all files below a directory, sorted; a UserError for a link or a device."""
    found, folders = [], [directory]
    while folders:
        try:
            entries = list(os.scandir(folder := folders.pop()))
        except FileNotFoundError:
            if folder == directory:
                raise
            continue  # a temporary folder of another process, removed meanwhile
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
    write_text(directory / SUMS, _render((sha256(directory / name), name) for name in names))


def listed(directory: Path, names: Collection[str]) -> str:
    """The lines of a directory's SHA256SUMS for these files."""
    try:
        return _render((checksum, name) for checksum, name in _read_sums(directory) if name in names)
    except (*MISSING, ValueError) as error:
        raise UserError(f"{directory / SUMS} is missing or damaged; restore it from a copy.") from error


def damage(directory: Path, names: Collection[str] | None = None) -> str | None:
    """The first problem of a directory's files by its SHA256SUMS, or None if they are undamaged.

    With `names`, only these files are checked; without, exactly the files that are there must be listed.
    """
    try:
        lines = _read_sums(directory)
        present = set(files_below(directory)) - {SUMS}
    except UserError as error:
        return str(error).rstrip(".")
    except (*MISSING, ValueError):
        return f"{directory / SUMS} is missing or damaged"
    recorded = {name for _, name in lines}
    expected = recorded | present if names is None else set(names)
    if missing := sorted(expected - present):
        return f"{directory / missing[0]} is missing"
    if unlisted := sorted(expected - recorded):
        return f"{directory / unlisted[0]} is not listed in {SUMS}"
    for name in sorted(expected):
        if (sha256(directory / name), name) not in lines:
            return f"{directory / name} is damaged: its SHA-256 is not the recorded one"
    return None


def check_sums(directory: Path, names: Collection[str] | None = None) -> None:
    """Raise a UserError that names the first damaged file; see `damage`."""
    if problem := damage(directory, names):
        raise UserError(f"{problem}; restore it from a copy.")


def _render(lines: Iterable[tuple[str, str]]) -> str:
    return "".join(f"{checksum}  {name}\n" for checksum, name in sorted(lines, key=itemgetter(1, 0)))


def _read_sums(directory: Path) -> set[tuple[str, str]]:
    """The (checksum, name) lines of a SHA256SUMS; a ValueError unless it is exactly as `_render` writes it."""
    content = (directory / SUMS).read_bytes()
    lines = {(line[:64], line[66:]) for line in content.decode("utf-8").splitlines()}
    if not lines or _render(lines).encode("utf-8") != content:
        raise ValueError(f"{directory / SUMS} is damaged")
    return lines


@contextmanager
def new_directory(final: Path, existing: Literal["keep", "replace", "refuse"]) -> Iterator[Path]:
    """Yield a temporary directory to fill; it is renamed to `final`, with checksums, unless an error occurs.

    `existing` says what to do with a directory that is already there: "keep" it if it is intact, "replace" it, or
    "refuse" with a UserError unless it is empty.
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
    """Rename a directory to a temporary name, then delete it: a kill never leaves half of it under its name."""
    discarded = _temporary(directory)
    directory.rename(discarded)
    shutil.rmtree(discarded, ignore_errors=True)


def remove_leftovers(folder: Path, name: str = "*") -> None:
    """Remove temporary files of killed processes; no other process may be writing there."""
    pattern = name if name == "*" else glob.escape(name)
    for leftover in folder.glob(f".{pattern}.tmp-*"):
        if leftover.is_dir() and not leftover.is_symlink():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def _publish(temporary: Path, final: Path, existing: Literal["keep", "replace", "refuse"]) -> None:
    if existing != "refuse" and final.exists():
        if existing == "keep" and damage(final) is None:
            return
        remove_directory(final)
    try:
        temporary.rename(final)  # replaces an empty directory, and nothing else
    except OSError as error:
        if existing != "refuse" or error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise
        raise UserError(f"{final} is not an empty directory: choose another place.") from error
    sync(final.parent)


def _temporary(final: Path) -> Path:
    return final.with_name(f".{final.name}.tmp-{uuid4().hex[:12]}")
