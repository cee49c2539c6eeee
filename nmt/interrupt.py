"""Signals: they stop a process at once, or during training after the current step, with a checkpoint."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

# Ctrl-C, kill, a closed terminal, and what schedulers send some time before they end a job.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


class Interrupted(KeyboardInterrupt):
    """The process received a signal to stop. Not an Exception, so that `except Exception` does not swallow it."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number
        self.exit_code = 128 + number


class Stopping(Interrupted):
    """The same during training, where a checkpoint can be saved before the process ends."""


_raised = 0  # number of the last signal that raised Interrupted


def stop_at_once() -> None:
    """Make signals raise Interrupted at once, so that `finally` blocks remove unfinished files."""
    global _raised
    _raised = 0
    sys.unraisablehook = _without_interrupts
    _handle(_interrupt)


def raise_again() -> None:
    """Re-raise a signal that C code swallowed or turned into an ordinary error.

    Called before a file is published, as its content may be incomplete after such a signal.
    """
    if _raised:
        raise Interrupted(_raised)


def _without_interrupts(lost: sys.UnraisableHookArgs) -> None:
    """Print no warning for an Interrupted that was raised in a destructor: `raise_again` will raise it."""
    if not isinstance(lost.exc_value, Interrupted):
        sys.__unraisablehook__(lost)


def stop_silently() -> None:
    """Make signals end the process at once with the usual exit code; for the time after the work is done."""
    _handle(lambda number, frame: os._exit(128 + number))


def _handle(handler: Callable[[int, FrameType | None], None]) -> dict[int, Any]:
    """Install a handler for all signals and return the previous ones; under nohup, SIGHUP stays ignored."""
    under_nohup = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    return {
        number: signal.signal(number, handler) for number in SIGNALS if not (under_nohup and number == signal.SIGHUP)
    }


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _raised
    _raised = number
    raise Interrupted(number)


class InterruptRequest:
    """Defers signals: the first is remembered, a second one acts at once unless `patient`.

    Processes under torchrun are patient, because torchrun forwards every signal and so it arrives twice. SIGHUP never
    acts at once: a closed terminal sends it twice, once through the shell and once when the shell ends.
    """

    def __init__(self, patient: bool = False) -> None:
        self.number = 0  # of the signal, if there was one
        self._patient = patient
        self._previous: dict[int, Any] = {}
        self._raises = False

    def __enter__(self) -> InterruptRequest:
        self._previous = _handle(self._remember)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()
        if self.number and kind is None and not self._patient:  # it came after the last check
            raise Stopping(self.number)

    @contextmanager
    def raised_at_once(self) -> Iterator[None]:
        """Raise a signal at once during work that can be abandoned."""
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
            if signal.SIGHUP in self._previous:
                signal.signal(signal.SIGHUP, self._remember)
        if self._raises:
            raise Stopping(number)

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
