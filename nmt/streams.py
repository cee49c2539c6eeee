"""The standard streams of a command: UTF-8 in every locale, without errors when one is closed or its reader ends."""

from __future__ import annotations

import io
import os
import select
import sys
from typing import Any, TextIO

from nmt.errors import UserError


def set_up(results_on_disk: bool) -> None:
    """Prepare stdout and stderr so that notices never stop a command.

    Args:
        results_on_disk: Errors of stdout are ignored as well. Otherwise a command ends with exit code 0 when the
            reader of its stdout has ended, as in `translate.py … | head`, and a closed stdout is a UserError.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # closed, as by `>&-`: the next file that is opened would get this number, and notices in it
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    has_stdout = sys.stdout is not None
    sys.stderr = _prepared(sys.stderr, sys.__stderr__, 2, required=False)
    sys.stdout = _prepared(sys.stdout, sys.__stdout__, 1, required=not results_on_disk)
    if not has_stdout and not results_on_disk:
        raise UserError("Standard output is closed, and results are written there: redirect it to a file or /dev/null.")


def _prepared(stream: TextIO | None, original: TextIO | None, number: int, required: bool) -> TextIO:
    """The stream in UTF-8; the interpreter's own is replaced by one of `_Output`."""
    # A path that is not UTF-8 is written to stdout as the bytes that it is; stderr takes any text.
    errors = "surrogateescape" if number == 1 else "backslashreplace"
    if stream is not original:  # prepared before, or replaced by a program that imports this one
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)
        assert stream is not None
        return stream
    output = _Output(number, required)
    at_once = number == 2 or output.isatty()
    unbuffered = bool(getattr(stream, "write_through", False))  # python -u
    return io.TextIOWrapper(io.BufferedWriter(output), "utf-8", errors, None, at_once, unbuffered)


class _Output(io.FileIO):
    """A standard stream whose errors are ignored: a reader that ended, a closed terminal, a full disk.

    If the stream is `required`, its first error is raised, or ends the process quietly if the reader has ended; later
    ones are ignored, because the interpreter writes what is left at exit.
    """

    def __init__(self, number: int, required: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self._required = required

    def write(self, data: Any) -> int:
        """Write bytes and return how many; all of them after an error that is ignored."""
        try:
            while (written := super().write(data)) is None:  # non-blocking, and its pipe is full
                select.select([], [self], [])
            return written
        except OSError as error:
            if self._required:
                self._required = False
                if isinstance(error, BrokenPipeError):
                    raise SystemExit(0) from None
                error.filename = "standard output"
                raise
            return len(data)
