"""Lines of a file that may be plain, gzipped or a member of a zip, read as a stream and never unpacked.

Whatever the file holds, memory stays bounded: lines are read up to a limit, and so is the whole input.
"""

import gzip
import struct
import zipfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedIOBase, BufferedReader
from typing import IO, cast

from nmt.data.settings import MEMBER_SEPARATOR, expanded
from nmt.errors import UserError

MAX_LINE_BYTES = 2**20
_CHUNK_BYTES = 2**18  # read together: lines are cheap in bulk
_ARCHIVES = (".zip", ".gz", ".bz2", ".xz", ".7z", ".tar", ".tgz", ".rar")
# Python unpacks the other ones without a bound: a few kilobytes could fill the memory at once.
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What archives raise that are cut, changed or made in order to confuse: bad names, offsets, sizes, versions.
_DAMAGE = (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile, struct.error, ValueError, OverflowError,
           RuntimeError)  # fmt: skip


@dataclass(frozen=True)
class Malformed:
    """A line that cannot be used, and why: the reader of the file decides what that means."""

    problem: str


_TOO_LONG = Malformed("longer than 1 MiB; put one sentence pair on a line")


def read_lines(path: str, max_megabytes: int) -> Iterator[str | Malformed]:
    r"""Every line of a file, without its ending (\n or \r\n) and without a byte order mark.

    Raises:
        UserError: The file cannot be read to its end, or is larger than it may be.
    """
    number, left = 0, max_megabytes * 2**20
    begun, too_long = b"", False  # a line whose end is still to come
    with ExitStack() as stack:
        try:
            stream = _open(path, stack)
            while chunk := stream.read(_CHUNK_BYTES):
                left -= len(chunk)
                if left < 0:
                    limit = f"more than data.max_megabytes={max_megabytes} of text"
                    raise UserError(f"{path}:{number + 1}: {limit}: raise the limit if that is meant.")
                whole, newline, rest = chunk.rpartition(b"\n")
                if newline:
                    block = begun + whole
                    lines = _decode(block, is_start=number == 0)
                    if too_long or (begun and len(block.partition(b"\n")[0]) >= MAX_LINE_BYTES):
                        lines[0] = _TOO_LONG  # no other line is longer than a chunk
                    yield from lines
                    number += len(lines)
                    begun, too_long = rest, False
                elif not too_long:
                    begun += rest
                    too_long = len(begun) >= MAX_LINE_BYTES
                    begun = b"" if too_long else begun  # bounded memory, however long the line is
            if begun or too_long:
                yield _TOO_LONG if too_long else _decode(begun, is_start=number == 0)[0]
        except UserError:
            raise
        except _DAMAGE as error:
            raise UserError(f"{path}:{number + 1}: damaged archive ({error}): fetch or pack it again.") from error
        except OSError as error:
            raise UserError(f"{path} cannot be read ({error.strerror}): check the path.") from error


def _decode(block: bytes, is_start: bool) -> list[str | Malformed]:
    """The lines of a block, all at once if nothing is wrong with any of them."""
    if is_start:
        block = block.removeprefix(BOM_UTF8)
    try:
        if b"\0" not in block:
            text = block.decode()
            return [line.rstrip("\r") for line in text.split("\n")] if "\r" in text else list(text.split("\n"))
    except UnicodeDecodeError:
        pass
    return [_decode_line(line) for line in block.split(b"\n")]


def _decode_line(line: bytes) -> str | Malformed:
    if b"\0" in line:
        return Malformed("contains a NUL byte; save the file as UTF-8 text")
    try:
        return line.rstrip(b"\r").decode()
    except UnicodeDecodeError as error:
        return Malformed(f"not valid UTF-8 (byte {error.start + 1}); save the file as UTF-8 text")


def _open(path: str, stack: ExitStack) -> IO[bytes]:
    name, _, member = path.partition(MEMBER_SEPARATOR)
    file = expanded(name)
    if file.suffix == ".zip":
        archive = stack.enter_context(zipfile.ZipFile(file))
        return stack.enter_context(_open_member(path, archive, member))
    if member:
        raise UserError(f"{path}: '{MEMBER_SEPARATOR}' names a member of a .zip, which {file.name} is not.")
    if file.suffix == ".gz":
        return stack.enter_context(BufferedReader(gzip.open(file)))
    return stack.enter_context(file.open("rb"))


def _open_member(path: str, archive: zipfile.ZipFile, member: str) -> BufferedReader:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    # An Anki zip holds the sentences and a note about them.
    texts = [info for info in infos if info.filename.endswith(".txt") and not info.filename.endswith("_about.txt")]
    named = [info for info in infos if info.filename == member]
    candidates = named if member else infos if len(infos) == 1 else texts
    if len(candidates) != 1:
        some = ", ".join(_shown(info.filename) for info in infos[:10]) + (", ..." if len(infos) > 10 else "")
        example = f"archive.zip{MEMBER_SEPARATOR}member"
        raise UserError(f"{path}: name one member as '{example}', out of: {some or 'none, it is empty'}.")
    (chosen,) = candidates
    name = _shown(chosen.filename)
    if chosen.filename.lower().endswith(_ARCHIVES):
        raise UserError(f"{path}: member {name} is itself an archive: unpack it first.")
    if chosen.flag_bits & 1:
        raise UserError(f"{path}: member {name} is encrypted: unpack it first.")
    if chosen.compress_type not in _ZIP_METHODS:
        raise UserError(f"{path}: member {name} is packed in an unusual way: unpack it first.")
    # Buffered once more, as the archive's own stream finds its lines in Python.
    return BufferedReader(cast(BufferedIOBase, archive.open(chosen)))


def _shown(name: str) -> str:
    """A name that somebody else chose, harmless to a terminal."""
    return name if name.isprintable() else ascii(name)
