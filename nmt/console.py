"""Notices to people: one console on stderr that log lines and live progress share without breaking each other."""

import logging
import sys
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from nmt.errors import UserError

stderr = Console(stderr=True, highlight=False)


class ConsoleHandler(logging.Handler):
    """Log lines through the console; warnings stand out, long lines are left whole."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record."""
        style = {"WARNING": "yellow", "ERROR": "bold red"}.get(record.levelname)
        with suppress(OSError):  # a terminal that was closed is no reason to stop
            stderr.print(record.getMessage(), style=style, soft_wrap=True, markup=False)


class LogFile(logging.FileHandler):
    """Log lines with times in a file; where that is full or taken away, one sentence instead of logging's traceback."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8")
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))

    def handleError(self, record: logging.LogRecord) -> None:
        """Called by logging while it handles what emitting `record` raised."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        logging.getLogger("nmt").removeHandler(self)
        with suppress(OSError):
            self.close()  # now, as it would complain once more when the process ends
        raise UserError(
            f"{self.baseFilename} cannot be written ({error.strerror}): make room or allow writing there, then go on "
            "with the run from its last checkpoint."
        ) from error


def log_to_console(only_errors: bool = False) -> None:
    """Show the project's notices on stderr; of several processes, one will do."""
    logger = logging.getLogger("nmt")
    logger.setLevel(logging.ERROR if only_errors else logging.INFO)
    logger.handlers[:] = [ConsoleHandler()]
    logger.propagate = False


def log_to_file(path: Path) -> None:
    """Keep the project's notices in a file as well, with times."""
    handler = LogFile(path)
    logger = logging.getLogger("nmt")
    for former in [h for h in logger.handlers if isinstance(h, LogFile)]:  # of the last run in a sweep
        logger.removeHandler(former)
        former.close()
    logger.addHandler(handler)
