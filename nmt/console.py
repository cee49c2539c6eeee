"""Log lines and live progress on stderr, through one console, and log lines in a file."""

import logging
from pathlib import Path

from rich.console import Console

stderr = Console(stderr=True, highlight=False)


class ConsoleHandler(logging.Handler):
    """Prints log lines on the console, warnings in colour, long lines unwrapped."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record."""
        style = {"WARNING": "yellow", "ERROR": "bold red"}.get(record.levelname)
        stderr.print(record.getMessage(), style=style, soft_wrap=True, markup=False)


def log_to_console(only_errors: bool = False) -> None:
    """Show log lines on stderr; `only_errors` for ranks above 0."""
    logger = logging.getLogger("nmt")
    logger.setLevel(logging.ERROR if only_errors else logging.INFO)
    logger.handlers[:] = [ConsoleHandler()]
    logger.propagate = False


def log_to_file(path: Path) -> None:
    """Write log lines to a file as well, with times; a full disk stops the next save, which names it, not the log."""
    logging.raiseExceptions = False
    logger = logging.getLogger("nmt")
    for former in [each for each in logger.handlers if isinstance(each, logging.FileHandler)]:  # of a sweep's last run
        logger.removeHandler(former)
        former.close()
    handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")  # of paths that are not UTF-8
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
