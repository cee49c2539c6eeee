"""A tiny model in the explorer, and what tests read of its page."""

import functools
import re
from typing import Any
from urllib.parse import urlencode

import numpy as np

from nmt.evaluation.explain import Explanation, explain
from nmt.search import Beam
from nmt.special import EOS_PIECE, WORD_START
from nmt.translation import Translation
from nmt.translator import Translator
from nmt.web.explorer_page import ExploredRun, Snapshot, explorer_page
from tests.portable.models import packed
from tests.web.conftest import wordy_translator

TEXT = "I see a cat ."


@functools.cache
def translator(model: str = "bahdanau") -> Translator:
    built = wordy_translator(model)
    built.languages = ("eng", "fra")
    built.search = Beam(beam_size=4, max_length_ratio=0.2, max_length_extra=5)  # short, so that tests are fast
    return built


@functools.cache
def html(*models: str) -> str:
    runs = [ExploredRun(name, [Snapshot("end", packed(translator(name)))]) for name in models or ("bahdanau",)]
    return explorer_page(runs, [TEXT, "we see it ."], tour=True)


def best() -> Translation:
    return translator().translate([TEXT])[0]


def explained() -> Explanation:
    return explain(translator(), best())


@functools.cache
def seen() -> Any:
    return translator().inspect(best().source_ids, best().target_ids)


def at(**state: Any) -> str:
    return "#" + urlencode({"text": TEXT} | state)


def settled(page: Any) -> Any:
    page.wait_for_selector("body[data-busy=false]")
    return page


def until(page: Any, condition: str) -> None:
    """Wait for a condition; Playwright's own way needs eval, which the page forbids."""
    for _ in range(400):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(condition)


def numbers(page: Any, selector: str) -> list[float]:
    until(page, "!document.querySelector('.anatomy[aria-busy=true]')")  # what is out of view follows later
    return [float(text.replace("−", "-")) for text in page.locator(selector).all_inner_texts()]


def percents(page: Any, selector: str) -> list[float]:
    texts = page.locator(selector).all_inner_texts()
    return [0.0 if text.startswith("<") else float(text.removesuffix(" %")) / 100 for text in texts]


def label(piece: str) -> str:
    """A piece as the page shows it."""
    if piece == EOS_PIECE:
        return "end"
    if piece.startswith(WORD_START):
        return piece[1:] or WORD_START
    return f"·{piece}" if piece[:1].isalpha() and ord(piece[0]) < 0x2E80 else piece or "(byte)"


def products(page: Any) -> tuple[float, float, float]:
    """What the products of an unfolded energy add up to, the factor or divisor that the page names, and the energy."""
    text = page.locator(".unfolded .worked").last.text_content().replace("−", "-")
    number = r"(-?\d+\.\d\d)"
    found = re.search(rf"Added up they are {number}(?:; (?:divided by|times) [^:]*?{number} they are {number})?:", text)
    assert found is not None, text
    return float(found[1]), float(found[2] or 1), float(found[3] or found[1])


def unfolded_context(page: Any) -> tuple[np.ndarray, np.ndarray]:
    """Weights (rows, 1) and vectors (rows + 1, 4) of the sum that is unfolded; the last vector is the context."""
    page.wait_for_selector(".sums")
    rows = [row.split("\t") for row in page.locator(".sums tr").all_inner_texts()]
    found = [[float(cell.replace("−", "-")) for cell in row if re.fullmatch(r"−?\d+\.\d{3}", cell)] for row in rows]
    assert page.locator(".sums tr:last-child td").first.inner_text() == "="
    weights = [[float(row[1].removesuffix(" ×"))] if row[1] else [1.0] for row in rows[:-1]]
    return np.array(weights), np.array(found)
