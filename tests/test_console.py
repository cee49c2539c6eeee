"""Notices where the disk is full: /dev/full is one."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from nmt.console import log_to_console, log_to_file
from tests.conftest import assert_refused

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    logger = logging.getLogger("nmt")
    before = list(logger.handlers), logger.level, logger.propagate
    yield logger
    logger.handlers[:], logger.level, logger.propagate = before


def test_a_log_file_on_a_full_disk_is_named_once(logger: logging.Logger, capsys: pytest.CaptureFixture[str]) -> None:
    log_to_console()
    log_to_file(FULL)
    assert_refused(r"/dev/full cannot be written .No space left on device.: make room", logger.info, "one line")
    logger.info("another")  # the console is left
    assert "Traceback" not in capsys.readouterr().err
