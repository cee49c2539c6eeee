"""TensorBoard's event file without SummaryWriter, whose thread prints a traceback when the disk is full."""

import os
import re
import socket
import time
from contextlib import suppress
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # type: ignore[import-untyped]
from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[import-untyped]
from tensorboard.summary.writer.record_writer import RecordWriter  # type: ignore[import-untyped]

from nmt.errors import UserError


class EventFile:
    """Writes the events of one training process, each flushed before the call returns."""

    def __init__(self, directory: Path, first_step: int) -> None:
        """Begin a file that makes TensorBoard drop events of earlier files from `first_step` on."""
        directory.mkdir(parents=True, exist_ok=True)
        # TensorBoard reads files in the order of their names: a clock that was set back must not put this one first.
        names = (path.name.split(".")[3] for path in directory.glob("events.out.tfevents.*.*"))
        latest = max((int(name) for name in names if re.fullmatch("[0-9]{10}", name)), default=0)
        second = max(int(time.time()), latest + 1)
        self.path = directory / f"events.out.tfevents.{second:010d}.{socket.gethostname()}.{os.getpid()}.0"
        self._file = self.path.open("xb")
        self._records = RecordWriter(self._file)
        self._write(Event(file_version="brain.Event:2"))
        self._write(Event(step=first_step, session_log=SessionLog(status=SessionLog.START)))

    def add(self, summary: Summary, step: int = 0) -> None:
        """Write one summary; a UserError if the file cannot be written."""
        self._write(Event(summary=summary, step=step))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, event: Event) -> None:
        event.wall_time = time.time()
        try:
            self._records.write(event.SerializeToString())
            self._file.flush()
        except OSError as error:
            with suppress(OSError):
                self._file.close()  # else it would raise once more at exit
            raise UserError(
                f"{self.path} cannot be written ({error.strerror}): make room or allow writing there, then go on with "
                "the run from its last checkpoint."
            ) from error
