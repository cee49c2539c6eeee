"""Pages in Chromium, and models for them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from nmt.data.tokenizer import Tokenizer
from nmt.search import Beam
from nmt.special import EOS, WORD_START
from nmt.translator import Translator
from tests.conftest import tiny_model, tiny_tokenizer


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens an address, or HTML from a local file; `faults` of the result are what it logged, threw or asked."""
    contexts = []

    def opened(address: str, fragment: str = "", **options: Any) -> Any:
        contexts.append(chromium.new_context(**options))
        contexts[-1].add_init_script("window.hacked = () => console.log('hacked')")
        if not address.startswith("http"):
            (tmp_path / "translator.html").write_text(address, encoding="utf-8")
            address = (tmp_path / "translator.html").as_uri()
        contexts[-1].set_default_timeout(10_000)
        found = contexts[-1].new_page()
        found.faults, found.requests = [], []
        found.on("pageerror", lambda error: found.faults.append(str(error)))
        found.on("console", lambda message: found.faults.append(message.text))
        found.on("dialog", lambda dialog: (found.faults.append(dialog.message), dialog.dismiss()))
        contexts[-1].on("request", lambda request: found.requests.append(request.url))
        found.goto(address + fragment)
        return found

    yield opened
    for context in contexts:
        context.close()


def wordy_translator(model: str = "bahdanau", *settings: str) -> Translator:
    """A translator that has learnt nothing; its translations have words, and depend much on the source."""
    tokenizer = tiny_tokenizer()
    built = tiny_model(f"model={model}", *settings, vocab=len(tokenizer)).eval()
    return Translator(wordy(built, tokenizer), tokenizer, tokenizer, Beam(beam_size=4), torch.device("cpu"))


def hostile_translator(text: str, **search: int) -> Translator:
    """A translator that writes pieces of this text, which is also the name of its languages."""
    tokenizer = Tokenizer.train([text, "a cat", *text.split()] * 30, 420)
    built = tiny_model(vocab=len(tokenizer)).eval()
    wanted = set(tokenizer.encode(text))
    with torch.no_grad():
        built.output.bias.copy_(torch.tensor([5.0 if i in wanted else -5.0 for i in range(len(tokenizer))]))
    languages = text, f"</title></script>{text}\x00\u202e"
    return Translator(built, tokenizer, tokenizer, Beam(**search), torch.device("cpu"), None, languages)


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
