"""The page in real Chromium: it translates offline, is accessible, and runs nothing that a model contains."""

import functools
import json
import re
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from nmt.search import Beam
from nmt.translator import Translator
from nmt.web.translator_page import app, page
from tests.commands import command, succeeded
from tests.conftest import ROOT
from tests.portable.models import packed
from tests.web.conftest import hostile_translator, wordy_translator

TEXT = "I see a cat .\n\nwe see it .\nnous le voyons ."
LINES = TEXT.split("\n")


@functools.cache
def translator() -> Translator:
    built = wordy_translator()
    built.languages = ("eng", "fra")
    return built


@functools.cache
def html() -> str:
    return page(packed(translator()))


def enter(opened: Any, text: str) -> None:
    """Put a text into the page at once: `fill` takes seconds for thousands of lines."""
    opened.evaluate("text => { source.value = text; source.dispatchEvent(new Event('input')) }", text)


def translated(opened: Any, text: str | None = None) -> list[str]:
    """The translations that the page shows of a text, one for each line."""
    if text is not None:
        enter(opened, text)
    opened.wait_for_selector("body[data-busy=false]")
    return opened.locator(".to").all_inner_texts()


def expected(lines: list[str]) -> list[str]:
    return [" ".join(word.text for word in each.words) for each in translator().translate(lines) if each.words]


def test_a_local_file_translates_as_you_type_without_network(show: Any) -> None:
    opened = show(html())
    assert opened.title() == "English → French"
    opened.locator("#source").press_sequentially(LINES[0])
    assert translated(opened) == expected(LINES[:1])
    assert translated(opened, TEXT) == expected([line for line in LINES if line])
    assert opened.locator(".line").count() == 4  # the empty line keeps its place
    assert opened.locator(".to").first.get_attribute("lang") == "fr"
    assert [url for url in opened.requests if not url.startswith(("file:", "blob:"))] == []
    assert opened.faults == []


def test_export_writes_a_page_that_translates_like_translate_py(show: Any, tmp_path: Path) -> None:
    run, output = tmp_path / "run", tmp_path / "page.html"
    shutil.copytree(ROOT / "tests/fixtures/run-2/run", run)
    options = ("--html", str(output), "--app", str(tmp_path / "app"), "--precision", "fp32")
    done = succeeded(command("export.py", "--run", str(run), *options))
    assert done.stdout == f"{output}\n{tmp_path / 'app'}\n"
    assert (tmp_path / "app/service-worker.js").is_file()
    assert not list(tmp_path.glob("*.nmt"))
    opened = show(output.read_text(encoding="utf-8"))
    translated(opened, "we see a cat!")
    opened.wait_for_selector("#said:not(:empty)", state="attached")  # what screen readers say, once typing pauses
    expected = succeeded(command("translate.py", "--run", str(run), "we see a cat!")).stdout.strip()
    assert opened.locator("#said").text_content() == expected
    assert opened.locator("dt").all_text_contents()[0] == "Translates"


def test_the_address_holds_the_text(show: Any) -> None:
    opened = show(html(), "#text=we+see+it+.")
    assert translated(opened) == expected(["we see it ."])
    translated(opened, "x & y = ü")
    opened.wait_for_url(re.compile("%C3%BC"))
    opened.reload()
    assert translated(opened) == expected(["x & y = ü"])


def test_details_by_keyboard_with_attention_as_a_table(show: Any) -> None:
    opened = show(html(), "#text=I+see+a+cat+.")
    best, *others = translator().nbest([LINES[0]])[0]
    words = opened.locator(".word")
    words.first.focus()
    opened.keyboard.press("ArrowRight")
    assert words.nth(1).evaluate("node => node === document.activeElement")
    weight = "all => all.map(each => +each.style.getPropertyValue('--weight'))"
    weights = opened.locator(".from span").evaluate_all(weight)
    assert sum(weights) > 0
    opened.keyboard.press("Enter")
    assert opened.locator(".other").count() == 1 + len(others)
    rows = opened.locator("tbody tr")
    assert rows.count() == len(best.words)
    shares = [int(text.removesuffix(" %")) for text in rows.first.locator(".weight").all_inner_texts()]
    assert 95 <= sum(shares) <= 105
    assert rows.first.locator(".sure").inner_text() == f"{round(100 * best.words[0].confidence)} %"
    opened.locator(".other").nth(1).click()
    assert translated(opened) == [" ".join(word.text for word in others[0].words)]
    opened.keyboard.press("Escape")
    assert opened.locator(".details").count() == 0


def test_doubts_are_those_of_translate_py(show: Any) -> None:
    doubtful = page(packed(translator(), guessing=1.0, longest=3))
    opened = show(doubtful, "#text=Привет")
    translated(opened)
    text = opened.locator(".line .doubt").inner_text()
    assert "is written in Cyrillic, and the model has learnt Latin only" in text
    assert "and the longest sentence in training had 3" in text
    assert "is translated by guessing (confidence 0." in text


def test_a_long_text_is_translated_to_its_end_or_said_to_be_cut(show: Any) -> None:
    quick = wordy_translator()
    quick.search = Beam(beam_size=1, max_length_ratio=0.1, max_length_extra=1)
    opened = show(page(packed(quick)))
    opened.context.set_default_timeout(60_000)
    assert len(translated(opened, "\n".join(f"a {i}" for i in range(501)))) == 501
    assert not opened.locator("#cut").is_visible()
    translated(opened, "a 1" + "\n" * 2001)
    assert opened.locator(".line").count() == 2000
    assert not opened.locator("#cut").is_visible()  # nothing is lost but empty lines
    translated(opened, "a 1" + "\n" * 2001 + "a 2")
    assert "the first 2000 of 2002 lines" in opened.locator("#cut").inner_text()


@pytest.mark.parametrize("options", [{"viewport": {"width": 390, "height": 844}}, {"color_scheme": "dark"}])
def test_axe_finds_no_violation(show: Any, options: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    opened = show(page(packed(translator(), guessing=1.0)), "#text=I+see+a+cat+.%0A猫", **options)
    translated(opened)
    opened.locator(".word").first.click()
    opened.locator("summary").click()
    found = axe.Axe().run(opened)
    assert found.violations_count == 0, found.generate_report()
    wide = opened.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wide  # nothing but tables scrolls sideways


def test_long_sentences_neither_freeze_the_page_nor_stay(show: Any) -> None:
    opened = show(html())
    opened.wait_for_selector("body[data-ready]")
    enter(opened, "see cat " * 125_000)
    longest = opened.evaluate(
        """() => new Promise((resolve) => {
          let [count, last, longest] = [0, performance.now(), 0];
          const frame = (now) => {
            longest = Math.max(longest, now - last);
            last = now;
            if (++count < 20) requestAnimationFrame(frame); else resolve(longest);
          };
          requestAnimationFrame(frame);
        })"""
    )
    assert longest < 1000
    assert translated(opened, LINES[0]) == expected(LINES[:1])  # replaces the long one


def test_a_damaged_model_is_said_in_one_sentence(show: Any) -> None:
    opened = show(html().replace('id="model">', 'id="model">AAAA', 1))
    opened.wait_for_selector("#status.failed")
    assert "The model in this page is damaged" in opened.locator("#status").inner_text()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """The page and the app on a static host, and what was asked of the host."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=str(tmp_path))

        def log_request(self, *arguments: Any) -> None:
            asked.append(self.path)

    for name, text in {"translator.html": html(), **app(packed(translator()))}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/translator.html", asked
        server.shutdown()


def test_an_installed_app_translates_without_its_host(show: Any, served: tuple[str, list[str]]) -> None:
    address, asked = served
    opened = show(address.replace("translator.html", ""))
    opened.evaluate("navigator.serviceWorker.ready.then(() => true)")
    manifest = opened.context.new_cdp_session(opened).send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert json.loads(manifest["data"])["name"] == "English → French"
    before = len(asked)
    opened.context.set_offline(True)
    opened.reload()
    assert translated(opened, LINES[0]) == expected(LINES[:1])
    assert len(asked) == before


HOSTILE = "<script>hacked()</script> <img/src=x/onerror=hacked()> </textarea><b>x</b> {{7*7}} \"'><svg/onload=hacked()>"


def test_hostile_models_run_nothing(show: Any) -> None:
    evil = hostile_translator(HOSTILE)
    card = {HOSTILE: HOSTILE, "__proto__": {"x": HOSTILE}, "list": [HOSTILE, {"a": HOSTILE}], "c": "\x00\x1b\u202e"}
    hostile = page(packed(evil, card=card, scripts={HOSTILE: 1.0}, scores={"<b>": HOSTILE}, identity=HOSTILE))
    opened = show(hostile)
    translated(opened, f"{HOSTILE}\n猫 {HOSTILE}")
    opened.locator(".word").first.click()
    opened.locator("summary").click()
    assert "onerror" in opened.locator("#lines").inner_text()  # the translation is hostile indeed
    assert "<script>" in opened.locator("#card").inner_text()
    assert opened.evaluate("document.querySelectorAll('img, svg, b, iframe').length") == 0
    assert opened.evaluate("document.querySelectorAll('script').length") == 2  # the worker's code and the page's
    assert opened.faults == []
    assert [url for url in opened.requests if not url.startswith(("file:", "blob:"))] == []


def test_the_policy_forbids_what_the_page_does_not_need(show: Any, served: tuple[str, list[str]]) -> None:
    address, asked = served
    opened = show(address)
    assert translated(opened, LINES[0]) == expected(LINES[:1])
    tried = opened.evaluate(
        """async () => {
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
          const image = new Image();
          const loaded = new Promise((resolve) => { image.onload = image.onerror = resolve; });
          image.src = "/image";
          await loaded;
          const code = "fetch('/worker').then(() => postMessage('allowed'), () => postMessage('refused'))";
          const worker = new Worker(URL.createObjectURL(new Blob([code])));
          const inWorker = await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
          const inPage = await fetch("/page").then(() => "allowed", () => "refused");
          return { script: window.ran ? "allowed" : "refused", inWorker, inPage };
        }"""
    )
    assert tried == {"script": "refused", "inWorker": "refused", "inPage": "refused"}
    assert asked == ["/translator.html"]
