"""Files that may be plain, gzipped or in a zip, read as streams of bytes or lines, never unpacked to disk."""

import gzip
import io
import logging
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from nmt.data.encodings import is_utf16, likely_encoding
from nmt.errors import UserError

log = logging.getLogger(__name__)

MEMBER_SEPARATOR = "::"  # archive.zip::member
NOTICES = 5  # lines with problems that are named one by one; the others are only counted
_CHUNK_BYTES = 2**18
_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # NUL, and what stands for bytes that could not be decoded
_ARCHIVES = (".zip", ".gz", ".bz2", ".xz", ".7z", ".tar", ".tgz", ".rar")
# Raised by archives that are cut or damaged: bad names, offsets, sizes, versions, methods.
DAMAGE = (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile, struct.error, ValueError, OverflowError,
           RuntimeError)  # fmt: skip


@dataclass(frozen=True)
class Malformed:
    """A line or another unit of a corpus that cannot be used, and why."""

    problem: str
    where: str = ""  # its position, such as corpus.tsv:12, if it is known


def read_lines(path: str) -> Iterator[str | Malformed]:
    r"""Every line of a file in UTF-8 or UTF-16, without its ending (\n or \r\n) and byte order mark."""
    with _opened(path) as stream:
        head, likely = stream.peek(_CHUNK_BYTES), ""
        encoding, errors = ("utf-16", "surrogatepass") if is_utf16(head) else ("utf-8-sig", "surrogateescape")
        try:
            for line in io.TextIOWrapper(stream, encoding, errors, newline="\n"):
                if _NO_TEXT.search(line):
                    likely = likely or likely_encoding(head + line.encode("utf-8", errors))
                    problem = "contains a NUL byte" if "\0" in line else "not valid UTF-8"
                    yield Malformed(f"{problem}; it may be {likely}; save the file as UTF-8 text")
                else:
                    yield line.rstrip("\r\n")
        except UnicodeDecodeError:  # in UTF-16
            yield Malformed("ends inside of a character; fetch or save the file again")


def read_chunks(path: str) -> Iterator[bytes]:
    """The content of a file, decompressed, in chunks."""
    with _opened(path) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            yield chunk


def read_lossy(stream: Iterable[bytes], name: str) -> Iterator[str]:
    r"""Every line of a stream, without its ending, as soon as it has arrived; no line is refused.

    Bytes that are not UTF-8 become U+FFFD, and warnings name the first such lines.
    """
    number = mended = 0
    for number, line in enumerate(stream, start=1):
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        try:
            yield line.decode()
        except UnicodeDecodeError:
            mended += 1
            if mended <= NOTICES:
                problem = "not valid UTF-8, with \N{REPLACEMENT CHARACTER} for what cannot be read"
                log.warning("%s, line %d is %s.", name, number, problem)
            yield line.decode("utf-8", "replace")
    if mended > NOTICES:
        log.warning("%s: %d such lines of %d.", name, mended, number)


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


@contextmanager
def _opened(path: str) -> Iterator[io.BufferedReader]:
    """Open a file or a member of a zip; a UserError if it cannot be read or is damaged."""
    name, _, member = path.partition(MEMBER_SEPARATOR)
    file = expanded(name)
    suffix = file.suffix.lower()
    if member and suffix != ".zip":
        raise UserError(f"{path}: '{MEMBER_SEPARATOR}' names a member of a .zip, which {file.name} is not.")
    with ExitStack() as stack:
        try:
            if suffix == ".zip":
                archive = stack.enter_context(zipfile.ZipFile(file))
                opened: Any = _open_member(path, archive, member)
            elif suffix == ".gz":
                opened = gzip.GzipFile(file)
            else:
                opened = io.FileIO(file)
            yield stack.enter_context(io.BufferedReader(opened, _CHUNK_BYTES))
        except UserError:
            raise
        except DAMAGE as error:
            raise UserError(f"{path}: damaged archive ({error}): fetch or pack it again.") from error
        except OSError as error:
            raise UserError(f"{path} cannot be read ({error.strerror}): check the path.") from error


def _open_member(path: str, archive: zipfile.ZipFile, member: str) -> IO[bytes]:
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    # An Anki zip holds the sentences and a note about them.
    texts = [name for name in names if name.lower().endswith(".txt") and not name.lower().endswith("_about.txt")]
    candidates = [name for name in names if name == member] if member else names if len(names) == 1 else texts
    if len(candidates) != 1:
        some = ", ".join(map(_shown, names[:10])) + (", ..." if len(names) > 10 else "")
        example = f"archive.zip{MEMBER_SEPARATOR}member"
        raise UserError(f"{path}: name one member as '{example}', out of: {some or 'none, it is empty'}.")
    (chosen,) = candidates
    if chosen.lower().endswith(_ARCHIVES):
        raise UserError(f"{path}: member {_shown(chosen)} is itself an archive: unpack it first.")
    if archive.getinfo(chosen).flag_bits & 1:
        raise UserError(f"{path}: member {_shown(chosen)} is encrypted: unpack it first.")
    return archive.open(chosen)


def _shown(name: str) -> str:
    """A name from an archive, with control characters escaped for the terminal."""
    return name if name.isprintable() else ascii(name)
