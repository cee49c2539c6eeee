"""The sentences that translate.py reads: arguments, files or stdin, as UTF-8 lines."""

import errno
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from nmt.data.lines import read_lossy
from nmt.errors import UserError

_ATTENTION_TOGETHER = 2**29  # bytes of attention for the lines of one chunk
_LONG_LINE = 1000  # bytes; further tokens of a line are cut off


def read_sentences(texts: Sequence[str], files: Sequence[Path]) -> Iterator[str]:
    """The lines of the texts, else of the files, else of stdin, as they arrive."""
    for text in texts:
        # Python decodes arguments that are not UTF-8 to surrogates: encode them back, to be read like files.
        yield from read_lossy(io.BytesIO(text.encode("utf-8", "surrogateescape") + b"\n"), "the command line")
    for path in files:
        with _reading(str(path)), path.open("rb") as file:
            yield from read_lossy(file, str(path))
    if not texts and not files:
        with _reading("standard input"):
            yield from read_lossy(sys.stdin.buffer, "standard input")


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Turn an error of opening or reading a file into a UserError that says what is wrong with it."""
    try:
        yield
    except OSError as error:
        problems = {errno.ENOENT: "does not exist", errno.EISDIR: "is a directory"}
        problem = problems.get(error.errno or 0, f"cannot be read ({error.strerror})")
        raise UserError(f"{name} {problem}: name a text file or a pipe with one sentence a line.") from error


def chunks(lines: Iterable[str], size: int, nbest: int) -> Iterator[list[str]]:
    """Lines to be translated together: at most `size`, and fewer if they are long."""
    chunk: list[str] = []
    memory = 0
    for line in lines:
        chunk.append(line)
        # Upper bound of attention: a text has at most as many tokens as bytes, and a translation rarely more than
        # twice the tokens of its source; each weight takes 4 bytes.
        memory += nbest * 4 * 2 * min(len(line.encode()), _LONG_LINE) ** 2
        if len(chunk) == size or memory >= _ATTENTION_TOGETHER:
            yield chunk
            chunk, memory = [], 0
    if chunk:
        yield chunk
