"""Notices where the disk is full: /dev/full is one."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from nmt.console import log_to_console, log_to_file

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    logger = logging.getLogger("nmt")
    before = list(logger.handlers), logger.level, logger.propagate, logging.raiseExceptions
    yield logger
    logger.handlers[:], logger.level, logger.propagate, logging.raiseExceptions = before


@pytest.mark.usefixtures("logger")
def test_a_log_file_on_a_full_disk_does_not_stop_training(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_console()
    log_to_file(FULL)
    logging.getLogger("nmt").info("one line")
    printed = capsys.readouterr().err
    assert "one line" in printed
    assert "Traceback" not in printed
