"""Signals: they end a process at once, but during training after the update under way, with a checkpoint.

Files are published whole, by a rename, so a process may end anywhere; its temporary files go when the work is repeated.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

# Ctrl-C, kill, a closed terminal, and what schedulers send some time before they end a job.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


class Stopping(KeyboardInterrupt):
    """Training stops on a signal. Not an Exception, so that `except Exception` does not swallow it."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


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
        under_nohup = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        heard = [number for number in SIGNALS if not (under_nohup and number == signal.SIGHUP)]
        self._previous = {number: signal.signal(number, self._remember) for number in heard}
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
