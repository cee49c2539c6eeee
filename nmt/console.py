"""Notices to people: one console on stderr that log lines and live progress share without breaking each other."""

from __future__ import annotations

import logging
from pathlib import Path

from rich.console import Console

stderr = Console(stderr=True, highlight=False)


class ConsoleHandler(logging.Handler):
    """Log lines through the console; warnings stand out, long lines are left whole."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record."""
        style = {"WARNING": "yellow", "ERROR": "bold red"}.get(record.levelname)
        stderr.print(record.getMessage(), style=style, soft_wrap=True, markup=False)


def log_to_console(only_errors: bool = False) -> None:
    """Show the project's notices on stderr; of several processes, one will do."""
    logger = logging.getLogger("nmt")
    logger.setLevel(logging.ERROR if only_errors else logging.INFO)
    logger.handlers[:] = [ConsoleHandler()]
    logger.propagate = False


def log_to_file(path: Path) -> None:
    """Keep the project's notices in a file as well, with times."""
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger = logging.getLogger("nmt")
    for former in [h for h in logger.handlers if isinstance(h, logging.FileHandler)]:  # of the last run in a sweep
        logger.removeHandler(former)
        former.close()
    logger.addHandler(handler)
