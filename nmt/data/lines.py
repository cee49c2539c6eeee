"""Files that may be plain, gzipped or in a zip, read as streams of bytes or lines, never unpacked to disk.

Memory stays bounded whatever a file holds: both the length of a line and the size of the whole input are limited.
"""

import gzip
import logging
import struct
import zipfile
import zlib
from codecs import BOM_UTF8, utf_8_decode
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import IO

from nmt.data.encodings import as_utf8, likely_encoding
from nmt.errors import UserError

log = logging.getLogger(__name__)

MEMBER_SEPARATOR = "::"  # archive.zip::member
MAX_LINE_BYTES = 2**20
NOTICES = 5  # lines with problems that are named one by one; the others are only counted
_CHUNK_BYTES = 2**18  # many lines decoded together, for speed
_ARCHIVES = (".zip", ".gz", ".bz2", ".xz", ".7z", ".tar", ".tgz", ".rar")
# Python decompresses the other methods without a bound: a few kilobytes could fill the memory at once.
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Raised by archives that are cut, damaged or malicious: bad names, offsets, sizes, versions.
DAMAGE = (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile, struct.error, ValueError, OverflowError,
           RuntimeError)  # fmt: skip


@dataclass(frozen=True)
class Malformed:
    """A line or another unit of a corpus that cannot be used, and why."""

    problem: str
    where: str = ""  # its position, such as corpus.tsv:12, if it is known


_TOO_LONG = Malformed("longer than 1 MiB; put one sentence pair on a line")


def read_lines(path: str, max_megabytes: int) -> Iterator[str | Malformed]:
    r"""Every line of a file in UTF-8 or UTF-16, without its ending (\n or \r\n) and byte order mark.

    Errors are as in `read_chunks`.
    """
    is_start = True
    for block, is_cut in _blocks(as_utf8(read_chunks(path, max_megabytes))):
        lines = _decode(block.removeprefix(BOM_UTF8) if is_start else block)
        if is_cut:
            lines[0] = _TOO_LONG
        yield from lines
        is_start = False


def read_chunks(path: str, max_megabytes: int) -> Iterator[bytes]:
    """The content of a file, decompressed, in chunks; a UserError if it is damaged or larger than `max_megabytes`."""
    line, left = 1, max_megabytes * 2**20
    with ExitStack() as stack:
        try:
            stream = _open(path, stack)
            while chunk := stream.read(_CHUNK_BYTES):
                left -= len(chunk)
                if left < 0:
                    limit = f"more than data.max_megabytes={max_megabytes} of text"
                    raise UserError(f"{path}:{line}: {limit}: raise the limit if that is meant.")
                yield chunk
                line += chunk.count(b"\n")
        except UserError:
            raise
        except DAMAGE as error:
            raise UserError(f"{path}:{line}: damaged archive ({error}): fetch or pack it again.") from error
        except OSError as error:
            raise UserError(f"{path} cannot be read ({error.strerror}): check the path.") from error


def read_lossy(stream: BufferedIOBase, name: str) -> Iterator[str]:
    r"""Every line of a stream, without its ending, as soon as it has arrived; no line is refused.

    Bytes that are not UTF-8 become U+FFFD, and a line is cut after 1 MiB; warnings name the first such lines.
    """
    number = mended = 0
    for block, is_cut in _blocks(iter(lambda: stream.read1(_CHUNK_BYTES), b"")):
        for line in block.split(b"\n"):
            number += 1
            problems = ["longer than 1 MiB, and cut there"] if is_cut else []
            line = line if is_cut else line.removesuffix(b"\r")
            try:
                text, _ = utf_8_decode(line, "strict", not is_cut)  # a character that was cut in two is left out
            except UnicodeDecodeError:
                text, _ = utf_8_decode(line, "replace", not is_cut)
                problems.append("not valid UTF-8, with \N{REPLACEMENT CHARACTER} for what cannot be read")
            if problems:
                mended += 1
                if mended <= NOTICES:
                    log.warning("%s, line %d is %s.", name, number, " and ".join(problems))
            yield text
            is_cut = False  # only the first line of a block can be
    if mended > NOTICES:
        log.warning("%s: %d such lines of %d.", name, mended, number)


def _blocks(chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Blocks of whole lines joined by newlines, each with whether its first line was cut after 1 MiB."""
    begun = b""  # an unfinished line; of one longer than 1 MiB, a byte more than that
    for chunk in chunks:
        whole, newline, rest = chunk.rpartition(b"\n")
        if newline:
            block = begun + whole
            first = block.find(b"\n", len(begun))
            length = len(block) if first < 0 else first  # no other line is longer than a chunk
            is_cut = length > MAX_LINE_BYTES
            yield (block[:MAX_LINE_BYTES] + block[length:] if is_cut else block), is_cut
            begun = rest
        elif len(begun) <= MAX_LINE_BYTES:
            begun = (begun + rest)[: MAX_LINE_BYTES + 1]
    if begun:
        yield begun[:MAX_LINE_BYTES], len(begun) > MAX_LINE_BYTES


def _decode(block: bytes) -> list[str | Malformed]:
    """Decode the lines of a block, one by one only if some are malformed."""
    with suppress(UnicodeDecodeError):
        if b"\0" not in block:
            text = block.decode()
            return [line.rstrip("\r") for line in text.split("\n")] if "\r" in text else list(text.split("\n"))
    likely = likely_encoding(block)
    return [_decode_line(line, likely) for line in block.split(b"\n")]


def _decode_line(line: bytes, likely: str) -> str | Malformed:
    advice = f"it may be {likely}; save the file as UTF-8 text"
    if b"\0" in line:
        return Malformed(f"contains a NUL byte; {advice}")
    try:
        return line.rstrip(b"\r").decode()
    except UnicodeDecodeError as error:
        return Malformed(f"not valid UTF-8 (byte {error.start + 1}); {advice}")


def expanded(path: str) -> Path:
    """A path with its ~ resolved; a UserError if there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise UserError(f"{path}: there is no such user: write the path in full.") from error


def plain_name(path: str) -> Path:
    """The name of a file, or of the member of a zip that a path names, without .gz or .zip."""
    name = Path(path.rpartition(MEMBER_SEPARATOR)[2])
    return name.with_suffix("") if name.suffix.lower() in (".gz", ".zip") else name


def _open(path: str, stack: ExitStack) -> IO[bytes] | gzip.GzipFile:
    """Open a file or a member of a zip; the stack closes it."""
    name, _, member = path.partition(MEMBER_SEPARATOR)
    file = expanded(name)
    if file.suffix.lower() == ".zip":
        archive = stack.enter_context(zipfile.ZipFile(file))
        return stack.enter_context(_open_member(path, archive, member))
    if member:
        raise UserError(f"{path}: '{MEMBER_SEPARATOR}' names a member of a .zip, which {file.name} is not.")
    if file.suffix.lower() == ".gz":
        return stack.enter_context(gzip.open(file))
    return stack.enter_context(file.open("rb"))


def _open_member(path: str, archive: zipfile.ZipFile, member: str) -> IO[bytes]:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    # An Anki zip holds the sentences and a note about them.
    texts = [
        info
        for info in infos
        for name in [info.filename.lower()]
        if name.endswith(".txt") and not name.endswith("_about.txt")
    ]
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
    return archive.open(chosen)


def _shown(name: str) -> str:
    """A name from an archive, with control characters escaped for the terminal."""
    return name if name.isprintable() else ascii(name)
