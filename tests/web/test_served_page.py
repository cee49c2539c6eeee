"""The page at / in real Chromium, and corrections on their way back to training."""

from pathlib import Path
from typing import Any

import pytest

from nmt.portable.file import pack, unpack
from nmt.portable.translator import PortableTranslator
from nmt.web.translator_page import page
from tests.serving.conftest import Serving, contents, files, server, without_torch  # noqa: F401  (some are fixtures)


def mend(opened: Any, text: str) -> None:
    """Open the details of the first line, and correct its translation."""
    opened.locator(".word").first.click()
    area = opened.locator(".mend textarea")
    assert area.input_value() == opened.locator("[aria-current] span").inner_text()
    area.fill(text)
    opened.locator(".mend button").click()


def test_a_correction_is_sent_to_the_server(show: Any, server: Serving) -> None:  # noqa: F811
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    opened = show(server.url, "#text=I+see+a+cat+.", viewport={"width": 390, "height": 844})
    opened.wait_for_selector("body[data-busy=false]")
    opened.wait_for_selector("#said:not(:empty)", state="attached")
    rounded = PortableTranslator(*unpack(pack(*unpack(contents()[0]), int8=True)))
    assert opened.locator("#said").text_content() == rounded.translate("I see a cat .")[0].text
    mend(opened, "Je vois\tun chat.")
    opened.wait_for_selector(".mend span:text('Sent')")
    found = axe.Axe().run(opened)
    assert found.violations_count == 0, found.generate_report()
    opened.locator("nav a").click()
    opened.wait_for_selector("h1:has-text('Russian')")
    assert opened.faults == []
    assert (server.corrections / "eng-fra.tsv").read_text() == "eng\tfra\nI see a cat .\tJe vois un chat.\n"


def test_offline_a_correction_is_downloaded(show: Any) -> None:
    opened = show(page(contents()[0]), "#text=I+see+a+cat+.%0Awe+see+it+.")
    opened.wait_for_selector("body[data-busy=false]")
    mend(opened, "Je vois un chat.")
    with opened.expect_download() as download:
        opened.locator("#kept button").click()
    assert download.value.suggested_filename == "corrections-eng-fra.tsv"
    assert Path(download.value.path()).read_text() == "eng\tfra\nI see a cat .\tJe vois un chat.\n"
    assert opened.faults == []
    assert [url for url in opened.requests if not url.startswith(("file:", "blob:"))] == []
