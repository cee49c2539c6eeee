"""The explorer in real Chromium: what it shows is what PyTorch computes, and nothing of a model runs or leaves it."""

import functools
import json
import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from bench_pages import scrubbed

from nmt.commands.explore import explored
from nmt.data.tokenizer import Tokenizer
from nmt.evaluation.explain import Explanation, explain
from nmt.evaluation.gold import AlignedPair
from nmt.evaluation.links import GoldLinks, words_of_pieces
from nmt.evaluation.score_report import read_evaluation
from nmt.portable.export import portable
from nmt.portable.file import pack, unpack
from nmt.run import Run
from nmt.search import Beam
from nmt.special import EOS_PIECE, WORD_START
from nmt.translation import Translation
from nmt.translator import Translator
from nmt.web.explorer_page import ExploredRun, Snapshot, explorer_page
from tests.commands import command, succeeded
from tests.conftest import MODELS, ROOT, tiny_model
from tests.portable.models import packed
from tests.training.test_new_parts import overrides
from tests.web.conftest import wordy, wordy_translator
from tests.web.test_page import HOSTILE

__all__ = ["overrides"]  # a fixture: a score or a cell of a test's own
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


def test_playing_through_a_sentence_shows_what_explain_prints(show: Any) -> None:
    page = settled(show(html(), at()))
    assert page.locator("#translation").inner_text() == best().text
    page.keyboard.press("Home")
    assert "Reads" in page.locator(".where").inner_text()
    assert page.locator(".strip.unread").count() > 0  # states that are not there yet
    for _ in best().source_ids:
        page.keyboard.press("ArrowRight")
    energies = [step.marks["energies"] for step in seen().steps]
    assert len(explained().steps) == 6
    for number, step in enumerate(explained().steps):
        assert page.locator(".where").inner_text().startswith(f"Step {number + 1} of {len(best().target_ids)}")
        assert numbers(page, ".value.weight") == pytest.approx(step.weights, abs=6e-4)
        assert numbers(page, ".value.energy") == pytest.approx(energies[number].tolist(), abs=6e-3)
        pairs = [(label(each.piece), each.probability) for each in step.candidates]
        assert page.locator(".candidate bdi").all_inner_texts()[: len(pairs)] == [name for name, _ in pairs]
        assert percents(page, ".candidate .number")[:5] == pytest.approx([p for _, p in pairs][:5], abs=6e-3)
        assert page.locator(".candidate[aria-pressed=true] bdi").inner_text() == label(best().target_tokens[number])
        page.keyboard.press("ArrowRight")
    assert page.locator(".where").inner_text() == "The whole translation"
    assert f"= −{abs(explained().log_probability):.2f}" in page.locator(".whole").inner_text()
    page.keyboard.press(" ")  # plays from the beginning
    page.wait_for_selector(".play.playing")
    page.keyboard.press(" ")
    assert "Reads" in page.locator(".where").inner_text()
    assert page.faults == []


@functools.cache
def seen() -> Any:
    return translator().inspect(best().source_ids, best().target_ids)


def test_a_weight_and_an_energy_unfold_to_the_numbers_they_come_from(show: Any) -> None:
    page = settled(show(html(), at(at=2, unfold="w1")))
    weight, energies = best().attention[1][1], seen().steps[1].marks["energies"]
    assert f"{weight:.3f}" in page.locator(".unfolded").inner_text()
    assert page.locator(".pieces math").count() >= 3  # formulas, as MathML
    page.locator(".value.energy").nth(1).click()
    page.wait_for_selector(".factors")
    text = page.locator(".unfolded").inner_text()
    assert f"Added up they are {energies[1]:.2f}".replace("-", "−") in text
    assert "Step 2" in page.locator(".title").inner_text()
    names = page.locator(".factors math").evaluate_all("nodes => nodes.map((node) => node.getAttribute('aria-label'))")
    assert names == ["W₁h + b", "W₂s", "tanh(W₁h + W₂s + b)", "v", "×"]
    (chosen, other), log_probs = page.locator(".candidate bdi").all_inner_texts()[:2], seen().steps[1].log_probs
    first, second = np.sort(log_probs)[::-1][:2]
    assert chosen == label(best().target_tokens[1])
    odds = f"log p = {first:.2f}: its logit is that of “{other}” + {first - second:.2f}".replace("-", "−")
    assert page.locator(".odds").inner_text().startswith(odds)


def unfolded_context(page: Any) -> tuple[np.ndarray, np.ndarray]:
    """Weights (rows, 1) and vectors (rows + 1, 4) of the sum that is unfolded; the last vector is the context."""
    page.wait_for_selector(".sums")
    rows = [row.split("\t") for row in page.locator(".sums tr").all_inner_texts()]
    found = [[float(cell.replace("−", "-")) for cell in row if re.fullmatch(r"−?\d+\.\d{3}", cell)] for row in rows]
    assert page.locator(".sums tr:last-child td").first.inner_text() == "="
    weights = [[float(row[1].removesuffix(" ×"))] if row[1] else [1.0] for row in rows[:-1]]
    return np.array(weights), np.array(found)


@pytest.mark.parametrize(("model", "formula"), [("bahdanau", "c = Σ αᵢ hᵢ"), ("key_value", "c = Σ αᵢ vᵢ")])
def test_the_context_unfolds_to_the_sum_that_it_is(show: Any, model: str, formula: str) -> None:
    page = settled(show(html(model), at(at=2)))
    found = translator(model).translate([TEXT])[0]
    context = translator(model).inspect(found.source_ids, found.target_ids).steps[1].marks["context"]
    assert page.locator(".pieces [data-stage='4'] math").get_attribute("aria-label") == formula
    button = page.locator(".sum button")
    assert button.locator("canvas").evaluate("canvas => canvas.width") == len(context)
    button.focus()
    page.keyboard.press("Enter")
    weights, vectors = unfolded_context(page)
    assert vectors[-1] == pytest.approx(context[:4], abs=6e-4)
    assert (weights * vectors[:-1]).sum(axis=0) == pytest.approx(vectors[-1], abs=5e-3)  # three digits of each
    until(page, "location.hash.includes('unfold=c')")
    button.click()
    page.wait_for_selector(".unfolded", state="detached")
    assert page.faults == []


def test_each_head_shows_its_own_products_context_and_weights(show: Any) -> None:
    several = translator("multi_head")
    one = several.translate([TEXT])[0]
    length = len(one.source_ids)
    source, steps = several.inspect(one.source_ids, one.target_ids)
    own, marks = steps[1].marks["weights"], steps[1].marks
    page = settled(show(html("multi_head"), at(at=2, unfold="e1"), viewport={"width": 1280, "height": 900}))
    assert page.locator(".pieces").bounding_box()["width"] <= page.locator(".scroll").bounding_box()["width"] > 700
    page.wait_for_selector(".factors")
    page.locator("[aria-label=Heads] button").nth(2).click()
    until(page, "document.querySelector('.factors')")
    energy, size = marks["energies"][2][1], marks["column"].shape[-1]
    assert products(page) == pytest.approx((energy * size**0.5, size**0.5, energy), abs=0.06)
    assert "divided by √d" in page.locator(".unfolded").text_content()
    page.locator(".sum button").click()
    _, vectors = unfolded_context(page)
    assert vectors[-1] == pytest.approx((own[2] @ source["values"][2])[:4], abs=6e-4)
    page.evaluate("hash => { location.hash = hash }", at(at=2, head=2, look="2:uniform", unfold="w1"))
    until(page, "/You have set it/.test(document.querySelector('.unfolded')?.textContent)")
    text = page.locator(".unfolded").inner_text()
    assert f"You have set it to {1 / length:.3f}; its own would be {own[2][1]:.3f}." in text
    page.click("#tab-whatif")
    ticks = "[...document.querySelectorAll('.own')].map((tick) => +tick.style.getPropertyValue('--share'))"
    assert settled(page).evaluate(ticks) == pytest.approx(own.mean(axis=0).tolist(), abs=1e-4)
    assert page.faults == []


def products(page: Any) -> tuple[float, float, float]:
    """What the products of an unfolded energy add up to, the factor or divisor that the page names, and the energy."""
    text = page.locator(".unfolded .worked").last.text_content().replace("−", "-")
    number = r"(-?\d+\.\d\d)"
    found = re.search(rf"Added up they are {number}(?:; (?:divided by|times) [^:]*?{number} they are {number})?:", text)
    assert found is not None, text
    return float(found[1]), float(found[2] or 1), float(found[3] or found[1])


def test_a_file_without_marks_of_products_explains_none(show: Any) -> None:
    tensors, record = unpack(packed(translator()))
    for graph in ("start", "step"):
        marks = record["graphs"][graph]["marks"]
        for name in {"rows", "column", "of_piece", "of_query"} & marks.keys():
            del marks[name]
    del record["formulas"]["context"]
    runs = [ExploredRun("old", [Snapshot("end", pack(tensors, record, int8=False))])]
    page = settled(show(explorer_page(runs, [TEXT]), at(at=2, unfold="e1")))
    page.wait_for_selector(".unfolded .worked >> nth=1")
    assert "The energy of “see” is" in page.locator(".unfolded").inner_text()
    assert page.locator(".factors").count() == 0
    page.locator(".sum button").click()
    unfolded_context(page)
    assert page.faults == []


def test_the_address_and_the_saved_files_hold_what_is_shown(show: Any) -> None:
    page = settled(show(html(), at(at=2, unit="words", scale="log")))
    assert page.locator(".toolbar [aria-pressed=true]").all_inner_texts()[-2:] == ["Words", "Log scale"]
    page.click("text=Pieces")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("at=3"))
    assert "unit" not in page.url  # back to its default
    page.click("summary")
    saved = {}
    for kind in ("svg", "png", "json"):
        with page.expect_download() as download:
            page.click(f"#save-{kind}")
        saved[kind] = Path(download.value.path()).read_bytes()
    found = json.loads(saved["json"])
    assert np.allclose([step["weights"] for step in found["steps"]], best().attention, atol=1e-4)
    assert np.allclose(found["encoder_states"], seen().source["states"], atol=1e-3)
    assert saved["png"].startswith(b"\x89PNG")
    assert saved["svg"].count(b"<text") == 2 * len(best().source_ids) + len(best().target_ids)


def test_forcing_a_token_gives_what_a_forced_prefix_gives(show: Any) -> None:
    page = settled(show(html(), at(at=2)))
    ids = seen().steps[1].log_probs.argsort()[::-1].tolist()
    other = next(token for token in ids if token > 3 and token != best().target_ids[1])
    page.locator(".candidate[aria-pressed=false]").first.click()
    page.wait_for_selector(".change")
    prefix = [best().target_ids[0], other]
    assert settled(page).locator("#translation").text_content() == translator().guided(TEXT, prefix)[0].text
    page.locator(".change").click()  # takes it back
    page.wait_for_selector(".change", state="detached")
    page.click("#tab-beam")
    found = page.locator(".found bdi").all_inner_texts()
    assert found == [each.text or "(nothing)" for each in translator().nbest([TEXT])[0]]
    page.fill(".beam input[type=text]", "we see")
    page.keyboard.press("Enter")
    page.wait_for_selector(".change")
    settled(page)
    assert page.locator(".found bdi").all_inner_texts() == [each.text for each in translator().guided(TEXT, "we see")]
    page.locator(".beam input[type=range]").first.fill("2")
    until(page, "document.querySelectorAll('.found li').length === 2")
    page.locator(".change").first.click()
    page.click("text=cuts its branch")
    first = page.locator(".token.best").first
    first_label = first.locator("bdi").inner_text()
    first.click()
    until(page, "[...document.querySelectorAll('.change')].some((each) => /without/.test(each.textContent))")
    assert settled(page).locator(".token.best bdi").first.inner_text() != first_label


def test_looking_elsewhere_gives_what_pytorch_gives_with_the_same_attention(show: Any) -> None:
    page = settled(show(html(), at(at=2, view="whatif")))
    length = len(best().source_ids)
    page.click("text=Uniform")
    page.wait_for_selector(".shifts")
    uniform = {1: [1 / length] * length}
    assert settled(page).locator("#translation").text_content() == translator().guided(TEXT, (), uniform)[0].text
    forced = translator().inspect(best().source_ids, best().target_ids, uniform).steps
    probabilities = [
        float(np.exp(step.log_probs[token])) for step, token in zip(forced, best().target_ids, strict=True)
    ]
    assert percents(page, ".shifts td:last-child") == pytest.approx(probabilities, abs=6e-3)
    assert numbers(page, ".slider .number") == pytest.approx(uniform[1], abs=6e-4)
    page.locator(".slider input").first.fill("500")
    until(page, "document.querySelector('.slider .number').textContent === '0.500'")
    mine = translator().guided(TEXT, (), {1: [0.5] + [0.5 / (length - 1)] * (length - 1)})[0]
    assert settled(page).locator("#translation").text_content() == mine.text
    page.click("text=As it was")
    until(page, "location.hash.indexOf('look') < 0")
    assert settled(page).locator("#translation").text_content() == best().text


def test_a_slider_sets_its_weight_also_where_weights_do_not_sum_to_one(show: Any) -> None:
    local = translator("local_p")
    found = local.translate([TEXT])[0]
    own = np.array(found.attention[1])
    assert own.sum() < 0.9
    page = settled(show(html("local_p"), at(at=2, view="whatif")))
    place = int(own.argmax())
    page.locator(".slider input").nth(place).fill("300")
    until(page, f"document.querySelectorAll('.slider .number')[{place}].textContent === '0.300'")
    expected = 0.7 * own / (own.sum() - own[place])
    expected[place] = 0.3
    assert numbers(settled(page), ".slider .number") == pytest.approx(expected.tolist(), abs=6e-4)
    mine = local.guided(TEXT, (), {1: expected.tolist()})[0]
    assert page.locator("#translation").text_content() == mine.text
    page.click("text=As it was")
    until(page, "location.hash.indexOf('look') < 0")
    settled(page)
    page.click("text=Shuffled")
    until(page, "location.hash.includes('look')")
    shuffled = numbers(settled(page), ".slider .number")
    assert sorted(shuffled) == pytest.approx(sorted(own.tolist()), abs=6e-4)


def test_looking_at_one_word_only_looks_at_all_its_pieces(show: Any) -> None:
    pieces = best().source_tokens
    begin = next(i for i, piece in enumerate(pieces[1:]) if pieces[i].startswith(WORD_START) and piece[0].isalpha())
    end = next(i for i in range(begin + 1, len(pieces)) if not pieces[i][0].isalpha())
    page = settled(show(html(), at(at=2, view="whatif", unit="words")))
    page.locator("text=only this word").nth(begin + 1).click()
    until(page, f"decodeURIComponent(location.hash).includes('2:only.{begin}-{end - 1}')")
    row = [float(begin <= place < end) / (end - begin) for place in range(len(pieces))]
    assert numbers(settled(page), ".slider .number") == pytest.approx(row, abs=6e-4)
    assert page.locator("#translation").text_content() == translator().guided(TEXT, (), {1: row})[0].text


def test_looking_where_gold_links_lead_gives_what_pytorch_gives(show: Any) -> None:
    ours, theirs = best().text.split(), TEXT.split()
    links = GoldLinks(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (3, 1), (2, 2)}))
    pairs = [AlignedPair(TEXT, "we see it .", links), AlignedPair(TEXT, best().text, links)]
    run = ExploredRun("bahdanau", [Snapshot("end", packed(translator()))])
    page = settled(show(explorer_page([run], [TEXT], gold=pairs), at(at=2, view="whatif")))
    # Each step of the reference looks at all pieces of the words that its word is linked to.
    source, target = (
        words_of_pieces(tokens[:-1], words)
        for tokens, words in ((best().source_tokens, theirs), (best().target_tokens, ours))
    )
    assert source
    assert target
    expected = {}
    for step, word in enumerate(target):
        row = np.array([(piece, word) in links.possible for piece in source] + [False], dtype=float)
        if row.any():
            expected[step] = (row / row.sum()).tolist()
    assert 1 < len(expected) < len(target)
    button = page.locator("text=Gold alignment")
    button.click()
    until(page, "location.hash.includes('gold')")
    mine = translator().guided(TEXT, (), {1: expected[1]})[0]
    assert settled(page).locator("#translation").text_content() == mine.text
    assert numbers(page, ".slider .number") == pytest.approx(expected[1], abs=6e-4)
    page.check("text=at all later steps too")
    page.wait_for_url(re.compile("gold"))
    until(page, "decodeURIComponent(location.hash).includes('2+:gold')")
    later = {step: row for step, row in expected.items() if step >= 1}
    forced = translator().inspect(best().source_ids, best().target_ids, later).steps
    probabilities = [float(np.exp(each.log_probs[t])) for each, t in zip(forced, best().target_ids, strict=True)]
    assert settled(page).locator("#translation").text_content() == translator().guided(TEXT, (), later)[0].text
    assert percents(page, ".shifts td:last-child") == pytest.approx(probabilities, abs=6e-3)
    page.keyboard.press("End")
    unlinked = next(step for step in range(len(target)) if step not in expected)
    page.evaluate("hash => { location.hash = hash }", at(at=unlinked + 1, view="whatif"))
    until(page, f"document.querySelector('.where').textContent.startsWith('Step {unlinked + 1} of')")
    assert button.is_disabled()
    page.evaluate("hash => { location.hash = hash }", "#" + urlencode({"text": "we see it .", "view": "whatif"}))
    until(page, "document.querySelector('#text').value === 'we see it .'")
    assert not settled(page).locator("text=Gold alignment").is_visible()  # no links, no button
    assert page.faults == []


def test_every_stop_of_the_tour_loads_without_network(show: Any) -> None:
    page = settled(show(html("bahdanau", "hard", "seq2seq")))
    page.click("#tour-start")
    titles = set()
    for number in range(1, 13):
        until(page, f"document.querySelector('.tour .about').textContent === '{number} of 12'")
        settled(page)
        titles.add(page.locator("#tour-title").inner_text())
        text = page.locator(".words-of p").inner_text()
        assert len(re.findall(r"[.?](?= [A-Z“]|$)", text)) == 3, text
        assert page.locator(".lacks").is_visible() == (number == 11)  # no run with local windows here
        view = "compare" if number in (10, 12) else {8: "beam", 9: "whatif"}.get(number, "look")
        assert page.locator(f"#view > .{view}").count() == 1
        page.click(".tour .primary")
    assert len(titles) == 12
    assert not page.locator(".tour").is_visible()
    assert [url for url in page.requests if not url.startswith(("file:", "blob:", "data:"))] == []
    assert page.faults == []


def test_runs_side_by_side_show_each_its_own(show: Any) -> None:
    names = ("bahdanau", "multi_head", "seq2seq")
    page = settled(show(html(*names), at(view="compare", at=1)))
    page.wait_for_selector(".column:last-child:not(.waiting)")
    texts = [translator(name).translate([TEXT])[0].text for name in names]
    assert page.locator(".column .translation").all_inner_texts() == texts
    assert page.locator(".column .word.now").count() == 3  # in step
    page.select_option("#run", "1")
    page.click("#tab-look")
    settled(page)
    heads = page.locator("[aria-label=Heads] button")
    heads.nth(1).click()
    expected = translator("multi_head")
    one = expected.translate([TEXT])[0]
    marks = expected.inspect(one.source_ids, one.target_ids).steps[0].marks
    assert numbers(page, ".value.weight") == pytest.approx(marks["weights"][1].tolist(), abs=6e-4)


@pytest.mark.parametrize(
    "options",
    [
        {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
        pytest.param({"viewport": {"width": 1280, "height": 860}}, marks=pytest.mark.slow),
    ],
)
def test_axe_finds_no_violation_in_any_view(show: Any, options: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    page = settled(show(html("bahdanau", "hard"), at(at=2, unfold="w1"), **options))
    for view in ("look", "beam", "whatif", "compare"):
        page.click(f"#tab-{view}")
        settled(page)
        if view == "whatif":
            page.click("text=Uniform")
            page.wait_for_selector(".shifts")
        if view == "compare":
            page.wait_for_selector(".column:last-child:not(.waiting)")
            page.click("#tour-start")
        if view == "look" and options["viewport"]["width"] > 1000:
            page.locator(".sum button").click()
            page.wait_for_selector(".sums")
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_columns_run_as_the_source_is_read(show: Any) -> None:
    text = "שלום עולם טוב"
    tokenizer = Tokenizer.train([text, *text.split()] * 30, 300)
    built = wordy(tiny_model(vocab=len(tokenizer)).eval(), tokenizer)
    hebrew = Translator(built, tokenizer, tokenizer, Beam(beam_size=2, max_length_extra=3), torch.device("cpu"))
    runs = [ExploredRun("run", [Snapshot("end", packed(hebrew))])]
    page = settled(show(explorer_page(runs, [text]), "#" + urlencode({"text": text, "unit": "words"})))
    places = [label.bounding_box()["x"] for label in page.locator(".labels span").all()]
    assert len(places) == 4
    assert places == sorted(places, reverse=True)
    field = page.locator(".field").bounding_box()
    page.mouse.move(field["x"] + field["width"] - 4, field["y"] + 4)  # the first word is on the right
    assert "looks at “שלום”" in page.locator(".told").inner_text()
    assert page.locator(".labels .marked").inner_text() == "שלום"
    page.click("summary")
    with page.expect_download() as download:
        page.click("#save-svg")
    drawn = Path(download.value.path()).read_text(encoding="utf-8")
    columns = {
        word: float(at) for at, word in re.findall(r"translate\(([\d.]+) [-\d.]+\) rotate\(-90\)[^>]*>([^<]+)<", drawn)
    }
    assert columns["שלום"] > columns["עולם"] > columns["טוב"] > columns["end"]
    assert page.faults == []


def test_hostile_runs_do_nothing(show: Any) -> None:
    tokenizer = Tokenizer.train([HOSTILE, "a cat", *HOSTILE.split()] * 30, 420)
    built = tiny_model(vocab=len(tokenizer)).eval()
    wanted = set(tokenizer.encode(HOSTILE))
    with torch.no_grad():
        built.output.bias.copy_(torch.tensor([5.0 if i in wanted else -5.0 for i in range(len(tokenizer))]))
    evil = Translator(built, tokenizer, tokenizer, Beam(beam_size=2, max_length_extra=2), torch.device("cpu"))
    evil.languages = (HOSTILE, f"</title></script>{HOSTILE}\x00\u202e")
    model = packed(
        evil, scores={"bleu": HOSTILE}, formulas={"score": {"name": HOSTILE, "equation": HOSTILE, "text": HOSTILE}}
    )
    runs = [ExploredRun(f"</script>{HOSTILE}", [Snapshot(HOSTILE, model)]), ExploredRun(HOSTILE, [Snapshot("", model)])]
    page = settled(show(explorer_page(runs, [HOSTILE]), "#" + urlencode({"text": HOSTILE, "at": 2, "unfold": "w1"})))
    for view in ("beam", "whatif", "compare", "look"):
        page.click(f"#tab-{view}")
        settled(page)
    page.fill("#text", f"猫 {HOSTILE}")
    until(page, "location.hash.includes('%E7%8C%AB')")
    settled(page)
    assert "onerror" in page.locator("#translation").inner_text() + page.locator("#text").input_value()
    assert page.evaluate("document.querySelectorAll('img, b:not(h3 > b), iframe').length") == 0
    assert page.evaluate("document.querySelectorAll('script:not([type])').length") == 1
    assert page.faults == []
    assert [url for url in page.requests if not url.startswith(("file:", "blob:", "data:"))] == []
    for strange in (
        "#at=1e9&text=a",
        "#run=-3&view=x&pick=99&text=a",
        "#look=1:9,9;x;2%2B:only.999&text=a&at=1&view=whatif",
    ):
        page.evaluate("hash => { location.hash = hash }", strange)
        page.wait_for_timeout(50)
        settled(page)
    assert page.faults == []


def test_a_run_whose_file_is_of_an_earlier_version_is_captured_again(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tests/fixtures/run-2/run", tmp_path / "run")
    run = Run.open(tmp_path / "run")
    tensors, record = portable(run, Translator.load(run, "cpu"))
    for lacks, checkpoint in ((False, "written"), (True, record["checkpoint"])):
        changed = {**record, "checkpoint": "written", "formulas": dict(record["formulas"])}
        if lacks:
            del changed["formulas"]["context"]
        run.portable_file.write_bytes(pack(tensors, changed, int8=False))
        (found,) = explored([run.directory])
        _, shown = unpack(found.models[0].model)
        assert shown["checkpoint"] == checkpoint
        assert shown["formulas"]["context"]["equation"] == "c = Σ αᵢ hᵢ"


def test_a_new_score_shows_its_formula_and_needs_no_line_of_the_page(show: Any, overrides: tuple[str, ...]) -> None:
    built = wordy_translator("bahdanau", *overrides)
    runs = [ExploredRun("new", [Snapshot("end", packed(built))])]
    page = settled(show(explorer_page(runs, [TEXT]), at(at=1, unfold="e1")))
    page.wait_for_selector(".unfolded .worked >> nth=1")
    formula = page.locator(".pieces [data-stage='2'] math").get_attribute("aria-label")
    assert page.locator(".unfolded math").first.get_attribute("aria-label") == formula
    assert page.locator(".factors").count() == (formula != "e = −‖Ws − h‖² / √H")  # products are those that are marked
    page.locator(".sum button").click()
    unfolded_context(page)
    assert page.faults == []


def test_the_command_writes_the_page_of_runs_and_snapshots(show: Any, tmp_path: Path) -> None:
    run, output = tmp_path / "run", tmp_path / "explore.html"
    shutil.copytree(ROOT / "tests/fixtures/run-2/run", run)
    (run / "snapshots").mkdir()
    opened = Translator.load(Run.open(run), "cpu")
    opened.checkpoint = "step-00000012"
    with torch.no_grad():
        opened.model.output.weight.mul_(-1)  # it has not learnt yet
    (run / "snapshots/step-00000012.nmt").write_bytes(packed(opened))
    done = succeeded(command("explore.py", "--run", str(run), "--output", str(output), "--no-open"))
    assert done.stdout == f"{output}\n"
    assert "no network" in done.stderr
    page = settled(show(output.read_text(encoding="utf-8")))
    assert page.locator("#text").input_value() == page.locator("#examples .chip").first.inner_text() != ""
    page.click("#tab-time")
    page.wait_for_selector(".column:last-child:not(.waiting)")
    assert page.locator(".column h2").all_inner_texts() == ["step 12", "step 300, the best"]
    assert len(set(page.locator(".column .translation").all_inner_texts())) == 2
    page.check("text=all write the best model's translation")
    texts = "[...document.querySelectorAll('.column .translation')].map((each) => each.textContent)"
    until(page, f"new Set({texts}).size === 1")
    page.click("#tab-sentences")
    page.fill("#filter", "#2")
    expected = read_evaluation(run / "eval")[1][1]
    until(page, "document.querySelectorAll('.sentences tbody tr').length === 1")
    page.locator(".sentences .copy").click()
    settled(page)
    assert page.locator("#text").input_value() == expected.source
    assert page.locator("#references p").all_inner_texts() == [f"Reference: {each}" for each in expected.references]
    until(page, "new URLSearchParams(location.hash.slice(1)).get('text') !== null")
    assert "q=%232" in page.url  # the filter is kept beside what is shown
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    (other := tmp_path / "other.nmt").write_bytes(packed(wordy_translator()))
    refused = command("explore.py", "--run", str(run), "--run", str(other), "--output", str(output), "--no-open")
    assert refused.returncode == 2
    assert "same languages" in refused.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("words", "most"), [(30, 8), (200, 20)])
def test_scrubbing_is_smooth(chromium: Any, tmp_path: Path, words: int, most: float) -> None:
    """Processor time of a frame in milliseconds: frames themselves wait for whatever else the machine does."""
    built = wordy_translator()
    built.model.output.bias.data[2] = -100  # as long as it may be
    built.search = Beam(beam_size=2, max_length_ratio=1.0, max_length_extra=1)
    (page := tmp_path / "page.html").write_text(
        explorer_page([ExploredRun("run", [Snapshot("end", packed(built))])], []), encoding="utf-8"
    )
    shape, times, cost = scrubbed(chromium, page, {"text": "see a cat " * (words // 3)})
    assert min(map(int, shape.split(" × "))) >= words
    assert len(times) >= 2 * words - 1
    assert cost < most


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_every_model_can_be_explored(show: Any, model: str) -> None:
    page = settled(show(html(model), at(at=2)))
    found = translator(model).translate([TEXT])[0]
    assert page.locator("#translation span").first.text_content()
    if found.attention is not None:
        for kind in ("weight", "energy"):
            page.locator(f".value.{kind}").first.click()
            page.wait_for_selector(".unfolded .worked")
        page.wait_for_selector(".factors")
        energy = page.locator(".value.energy .number").first.inner_text()
        added, factor, shown = products(page)
        assert shown == float(energy.replace("−", "-"))
        divided = "divided by" in page.locator(".unfolded").text_content()
        assert (added / factor if divided else added * factor) == pytest.approx(shown, abs=0.01 * (1 + abs(added)))
        page.locator(".sum button").click()
        weights, vectors = unfolded_context(page)
        assert (weights * vectors[:-1]).sum(axis=0) == pytest.approx(vectors[-1], abs=0.01)
    for view in ("beam", "whatif"):
        page.click(f"#tab-{view}")
        settled(page)
    assert page.locator("#translation").text_content() == found.text
    assert page.faults == []
