"""Ctrl-C and SIGTERM as a request: finish the step, save, say how to go on."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any


class Interrupted(Exception):
    """Training stopped because it was asked to, with everything saved."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal.Signals(signal_number).name)
        self.exit_code = 128 + signal_number


class InterruptRequest:
    """While active, remembers the first SIGINT or SIGTERM; a second one acts at once, as usual."""

    def __init__(self) -> None:
        self.signal_number: int | None = None
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> InterruptRequest:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._remember)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def _remember(self, number: int, frame: FrameType | None) -> None:
        self.signal_number = number
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
