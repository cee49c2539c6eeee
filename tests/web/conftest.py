"""A real Chromium, and files of portable models for it."""

import base64
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from nmt.portable.export import graphs
from nmt.portable.file import pack
from nmt.special import EOS, WORD_START
from nmt.translator import Translator
from nmt.web.assemble import bundle
from tests.conftest import tiny_translator

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# No sandbox, as CI runs as root; the others keep the browser itself from using the network.
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright, which drives browsers, is not installed")
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


def wordy_translator(model: str = "bahdanau") -> Translator:
    """A translator that has learnt nothing and spells nothing in bytes, so that its translations have words."""
    translator = tiny_translator(model)
    pieces = translator.target_tokenizer.pieces(list(range(len(translator.target_tokenizer))))
    with torch.no_grad():
        translator.model.output.bias[4:260] -= 20
        translator.model.output.bias += torch.tensor([4.0 * piece.startswith(WORD_START) for piece in pieces])
        translator.model.output.bias[EOS] += 4
    return translator


def portable(translator: Translator, int8: bool = False, **record: Any) -> bytes:
    """The file of a translator."""
    structure, constants = graphs(translator.model)
    tensors = {name: tensor.numpy() for name, tensor in constants.items()}
    for side, tokenizer in (("source", translator.source_tokenizer), ("target", translator.target_tokenizer)):
        tensors[f"tokenizer.{side}"] = np.frombuffer(tokenizer.model, np.uint8)
    known = {"scripts": {"LATIN": 1.0}, "longest": 20, "pairs": 80, "guessing": None, "card": {"Trained on": "a test"}}
    search = {"decode": translator.search.record(), "languages": list(translator.languages)}
    return pack(tensors, {"graphs": structure, **search, **known, **record}, int8)


def in_base64(model: bytes) -> str:
    """Bytes as a browser takes them."""
    return base64.b64encode(model).decode()
