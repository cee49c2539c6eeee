"""A real Chromium for scripts that look at pages."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nmt.errors import UserError

NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        raise UserError("No Chromium is installed (Debian: apt-get install chromium).")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()
