"""A real Chromium, and files of portable models for it."""

import base64
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from nmt.data.tokenizer import Tokenizer
from nmt.search import Beam
from nmt.special import EOS, WORD_START
from nmt.translator import Translator
from nmt.web.assemble import bundle
from tests.conftest import tiny_model, tiny_tokenizer
from tests.training.test_new_parts import overrides  # noqa: F401  (a fixture: a score or a cell of a test's own)

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# No sandbox, as CI runs as root; the others keep the browser itself from using the network.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright, which drives it, is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def engine(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A blank local page with the modules of the engine, as `module_NAME`."""
    (empty := tmp_path_factory.mktemp("engine") / "empty.html").write_text("<!doctype html>")
    with chromium.new_context() as context:
        blank = context.new_page()
        blank.goto(empty.as_uri())
        blank.add_script_tag(content=bundle("worker"))
        yield blank


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a page from a local file; `faults` of the result are what it logged, threw or asked."""
    contexts = []

    def opened(html: str, fragment: str = "", **options: Any) -> Any:
        contexts.append(chromium.new_context(**options))
        contexts[-1].add_init_script("window.hacked = () => console.log('hacked')")
        (tmp_path / "translator.html").write_text(html, encoding="utf-8")
        contexts[-1].set_default_timeout(10_000)
        found = contexts[-1].new_page()
        found.faults, found.requests = [], []
        found.on("pageerror", lambda error: found.faults.append(str(error)))
        found.on("console", lambda message: found.faults.append(message.text))
        found.on("dialog", lambda dialog: (found.faults.append(dialog.message), dialog.dismiss()))
        contexts[-1].on("request", lambda request: found.requests.append(request.url))
        found.goto((tmp_path / "translator.html").as_uri() + fragment)
        return found

    yield opened
    for context in contexts:
        context.close()


def wordy_translator(model: str = "bahdanau", *settings: str) -> Translator:
    """A translator that has learnt nothing; its translations have words, and depend much on the source."""
    tokenizer = tiny_tokenizer()
    built = tiny_model(f"model={model}", *settings, vocab=len(tokenizer)).eval()
    return Translator(wordy(built, tokenizer), tokenizer, tokenizer, Beam(beam_size=4), torch.device("cpu"))


def wordy(model: Any, tokenizer: Tokenizer) -> Any:
    """Make a model prefer pieces that begin words to bytes, and its states matter."""
    pieces = tokenizer.pieces(list(range(len(tokenizer))))
    unwanted = {*range(4, 260), pieces.index(WORD_START)}
    likely = [-30.0 if i in unwanted else 3.0 * (WORD_START in piece) for i, piece in enumerate(pieces)]
    with torch.no_grad():
        for parameter in model.parameters():
            parameter *= 2
        model.output.bias.copy_(torch.tensor(likely))
        model.output.bias[EOS] = 1
    return model


def in_base64(model: bytes) -> str:
    """Bytes as a browser takes them."""
    return base64.b64encode(model).decode()
