"""A real Chromium, and the engine of the pages in it."""

import base64
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from nmt.web.assemble import bundle

# No sandbox, as CI runs as root; the others keep the browser itself from using the network.
_FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, driven by Playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright, which drives it, is not installed")
    executable = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if executable is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=executable, args=_FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def engine(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A blank local page with the modules of the engine, as `module_NAME`."""
    (empty := tmp_path_factory.mktemp("engine") / "empty.html").write_text("<!doctype html>")
    with chromium.new_context() as context:
        blank = context.new_page()
        blank.goto(empty.as_uri())
        blank.add_script_tag(content=bundle("worker"))
        yield blank


def in_base64(model: bytes) -> str:
    """Bytes as a browser takes them."""
    return base64.b64encode(model).decode()
