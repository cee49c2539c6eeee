"""Log lines and live progress on stderr, through one console, and log lines in a file."""

import logging
import sys
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from nmt.errors import UserError

stderr = Console(stderr=True, highlight=False)


class ConsoleHandler(logging.Handler):
    """Prints log lines on the console, warnings in colour, long lines unwrapped."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record."""
        style = {"WARNING": "yellow", "ERROR": "bold red"}.get(record.levelname)
        stderr.print(record.getMessage(), style=style, soft_wrap=True, markup=False)


class LogFile(logging.FileHandler):
    """Writes log lines with times to a file; a UserError replaces logging's traceback if it cannot be written."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace")  # of paths that are not UTF-8
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))

    def handleError(self, record: logging.LogRecord) -> None:
        """Called by logging when writing a record has raised an error."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        logging.getLogger("nmt").removeHandler(self)
        with suppress(OSError):
            self.close()  # else it would raise once more at exit
        raise UserError(
            f"{self.baseFilename} cannot be written ({error.strerror}): make room or allow writing there, then go on "
            "with the run from its last checkpoint."
        ) from error


def log_to_console(only_errors: bool = False) -> None:
    """Show log lines on stderr; `only_errors` for ranks above 0."""
    logger = logging.getLogger("nmt")
    logger.setLevel(logging.ERROR if only_errors else logging.INFO)
    logger.handlers[:] = [ConsoleHandler()]
    logger.propagate = False


def log_to_file(path: Path) -> None:
    """Write log lines to a file as well, with times."""
    logger = logging.getLogger("nmt")
    for former in [h for h in logger.handlers if isinstance(h, LogFile)]:  # of the last run in a sweep
        logger.removeHandler(former)
        former.close()
    logger.addHandler(LogFile(path))
