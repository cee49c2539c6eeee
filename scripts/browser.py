"""A real Chromium for scripts and tests that look at pages."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nmt.errors import UserError

EXECUTABLE = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# No sandbox, as CI runs as root; the others keep the browser itself from using the network.
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    if EXECUTABLE is None:
        raise UserError("No Chromium is installed (Debian: apt-get install chromium).")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=EXECUTABLE, args=_FLAGS)
        yield opened
        opened.close()
