"""The standard streams of a command: UTF-8 in every locale, without errors when one is closed or its reader ends."""

from __future__ import annotations

import errno
import io
import os
import select
import stat
import sys
from typing import Any, TextIO

from nmt.errors import UserError


def set_up(results_on_disk: bool) -> None:
    """Prepare stdout and stderr so that notices never stop a command.

    Args:
        results_on_disk: The command goes on without a reader of its stdout. Otherwise it then ends with exit code 0,
            as in `translate.py … | head`, and a closed stdout is a UserError.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # closed, as by `>&-`: the next file that is opened would get this number, and notices in it
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    has_stdout = sys.stdout is not None
    sys.stderr = _prepared(sys.stderr, sys.__stderr__, 2, needed=False)
    sys.stdout = _prepared(sys.stdout, sys.__stdout__, 1, needed=not results_on_disk)
    if not has_stdout and not results_on_disk:
        raise UserError("Standard output is closed, and results are written there: redirect it to a file or /dev/null.")


def _prepared(stream: TextIO | None, original: TextIO | None, number: int, needed: bool) -> TextIO:
    """The stream in UTF-8; the interpreter's own is replaced by one of `_Output`."""
    # A path that is not UTF-8 is written to stdout as the bytes that it is; stderr takes any text.
    errors = "surrogateescape" if number == 1 else "backslashreplace"
    if stream is not original:  # prepared before, or replaced by a program that imports this one
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)
        assert stream is not None
        return stream
    output = _Output(number, needed)
    at_once = number == 2 or output.isatty()
    unbuffered = bool(getattr(stream, "write_through", False))  # python -u
    return io.TextIOWrapper(io.BufferedWriter(output), "utf-8", errors, None, at_once, unbuffered)


class _Output(io.FileIO):
    """A standard stream whose reader may go away: the other end of a pipe, or a terminal.

    All errors of stderr are ignored. Of stdout, only a lost reader is ignored, or ends the process with exit code 0 if
    the reader is `needed`; an error such as a full disk is raised once, because the interpreter flushes again at exit.
    """

    def __init__(self, number: int, needed: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self._needed, self._raises = needed, number == 1
        is_device = stat.S_ISCHR(os.fstat(number).st_mode)
        self._lost = (errno.EPIPE, errno.EIO) if is_device else (errno.EPIPE,)  # of a file, EIO is a damaged disk

    def write(self, data: Any) -> int:
        """Write bytes and return how many; all of them after an error that is ignored."""
        try:
            while (written := super().write(data)) is None:  # non-blocking, and its pipe is full
                select.select([], [self], [])
            return written
        except OSError as error:
            is_lost = error.errno in self._lost
            if not self._raises or (is_lost and not self._needed):
                return len(data)
            self._raises = False
            if is_lost:
                raise SystemExit(0) from None
            error.filename = "standard output"
            raise
