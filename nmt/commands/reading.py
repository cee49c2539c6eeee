"""The sentences that translate.py reads: arguments, files or stdin, as UTF-8 lines in bounded memory."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from nmt.errors import UserError

MAX_LINE_BYTES = 2**20  # the rest of a longer line is not read into memory
NAMED = 5  # so many lines with a problem are named, the others counted
_ATTENTION_TOGETHER = 2**29  # bytes of attention for the lines of one chunk
_LONG_LINE = 1000  # bytes; no more tokens of a line are translated


def read_sentences(texts: Sequence[str], files: Sequence[Path]) -> Iterator[str]:
    """The lines of the texts, else of the files, else of stdin, as they come."""
    for text in texts:
        # Bytes that are not UTF-8 arrive as surrogates: back to bytes, to be decoded like all others.
        yield from decode(io.BytesIO(text.encode("utf-8", "surrogateescape") + b"\n"), "the command line")
    for path in files:
        if not path.is_file():
            raise UserError(f"{path} does not exist: name a text file with one sentence a line.")
        with path.open("rb") as file:
            yield from decode(file, str(path))
    if not texts and not files:
        yield from decode(sys.stdin.buffer, "standard input")


def decode(stream: IO[bytes], name: str) -> Iterator[str]:
    """Every line of a stream as text without its ending; a notice on stderr names those that had to be mended."""
    number = mended = 0
    while line := stream.readline(MAX_LINE_BYTES):
        number += 1
        problems = []
        whole = line.endswith(b"\n") or not skip_to_end_of_line(stream)
        if not whole:
            problems.append("longer than 1 MiB, and cut there")
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        try:
            text, _ = codecs.utf_8_decode(line, "strict", whole)  # a character that was cut in two is left out
        except UnicodeDecodeError:
            text, _ = codecs.utf_8_decode(line, "replace", whole)
            problems.append("not valid UTF-8, with \N{REPLACEMENT CHARACTER} for what cannot be read")
        if problems:
            mended += 1
            if mended <= NAMED:
                print(f"{name}, line {number} is {' and '.join(problems)}.", file=sys.stderr)
        yield text
    if mended > NAMED:
        print(f"{name}: {mended} such lines of {number}.", file=sys.stderr)


def skip_to_end_of_line(stream: IO[bytes]) -> bool:
    """Skip the rest of a line; returns whether there was any."""
    more = False
    while (rest := stream.readline(MAX_LINE_BYTES)) not in (b"", b"\n"):
        more = True
        if rest.endswith(b"\n"):
            break
    return more


def chunks(lines: Iterable[str], size: int, nbest: int) -> Iterator[list[str]]:
    """Lines to be translated together: at most `size`, and fewer if they are long."""
    chunk: list[str] = []
    memory = 0
    for line in lines:
        chunk.append(line)
        # No text has more tokens than bytes. Attention, in 4 bytes, has a row for each token of a translation,
        # which is rarely longer than twice its source, and a column for each of the source.
        memory += nbest * 4 * 2 * min(len(line.encode()), _LONG_LINE) ** 2
        if len(chunk) == size or memory >= _ATTENTION_TOGETHER:
            yield chunk
            chunk, memory = [], 0
    if chunk:
        yield chunk
