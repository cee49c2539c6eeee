"""Ctrl-C and SIGTERM: at once where nothing can be lost, else after the step under way has been saved."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

# Ctrl-C, a request to end, and what schedulers send some time before they end a job.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)


class Interrupted(KeyboardInterrupt):
    """The process was asked to stop. Not an Exception: nobody who mends errors should swallow it."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number
        self.exit_code = 128 + number


class Stopping(Interrupted):
    """The same, at a moment at which what was done can be saved."""


_raised = 0  # the signal whose exception is, or should be, on its way out


def stop_at_once() -> None:
    """From now on a request to stop is raised where it arrives, so that unfinished files are removed on the way out."""
    global _raised
    _raised = 0
    sys.unraisablehook = _without_interrupts
    for number in SIGNALS:
        signal.signal(number, _interrupt)


def raise_again() -> None:
    """Raise a request once more that was lost: C code which calls Python may drop its exceptions, or rename them.

    Whoever is about to publish something asks here first: after a lost request it may be half of what it seems.
    """
    if _raised:
        raise Interrupted(_raised)


def _without_interrupts(lost: sys.UnraisableHookArgs) -> None:
    """A request that is raised where nothing can be, as in a destructor, is no news: it is raised again, or obeyed."""
    if not isinstance(lost.exc_value, Interrupted):
        sys.__unraisablehook__(lost)


def stop_silently() -> None:
    """When the work is over, a signal ends the process where it is, with the usual code."""
    for number in SIGNALS:
        signal.signal(number, lambda number, frame: os._exit(128 + number))


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _raised
    _raised = number
    raise Interrupted(number)


class InterruptRequest:
    """While active, remembers the first request; a second one acts at once, as before, unless we are patient.

    Patience is for processes that torchrun passes signals on to: all of them come twice.
    """

    def __init__(self, patient: bool = False) -> None:
        self.number = 0  # of the signal, if there was one
        self._patient = patient
        self._previous: dict[int, Any] = {}
        self._raises = False

    def __enter__(self) -> InterruptRequest:
        for number in SIGNALS:
            self._previous[number] = signal.signal(number, self._remember)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()
        if self.number and kind is None and not self._patient:  # it came when nobody asked any more
            raise Stopping(self.number)

    @contextmanager
    def raised_at_once(self) -> Iterator[None]:
        """Work that can be given up: a request during it is raised instead of waiting."""
        self._raises = True
        try:
            if self.number:  # it came just before
                raise Stopping(self.number)
            yield
        finally:
            self._raises = False

    def _remember(self, number: int, frame: FrameType | None) -> None:
        self.number = self.number or number
        if not self._patient:
            self._restore()
        if self._raises:
            raise Stopping(number)

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
