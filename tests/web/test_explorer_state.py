"""What the explorer's address, files and keys hold: every view, through real Chromium."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from nmt.web.explorer_page import ExploredRun, Snapshot, explorer_page
from tests.portable.models import packed
from tests.web.explorer import (
    TEXT,
    at,
    best,
    explained,
    html,
    seen,
    settled,
    translator,
    until,
)


def saved(page: Any, kind: str) -> bytes:
    if page.locator("#save").get_attribute("open") is None:
        page.click("summary")
    with page.expect_download() as download:
        page.click(f"#save-{kind}")
    return Path(download.value.path()).read_bytes()


def test_the_address_and_the_saved_files_hold_what_is_shown(show: Any) -> None:
    page = settled(show(html(), at(at=2, unit="words", scale="log")))
    assert page.locator(".toolbar [aria-pressed=true]").all_inner_texts()[-2:] == ["Words", "Log scale"]
    page.click("text=Pieces")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("at=3"))
    assert "unit" not in page.url  # back to its default
    found = json.loads(saved(page, "json"))
    assert np.allclose([step["weights"] for step in found["steps"]], best().attention, atol=1e-4)
    assert np.allclose(found["encoder_states"], seen().source["states"], atol=1e-3)
    assert saved(page, "png").startswith(b"\x89PNG")
    assert saved(page, "svg").count(b"<text") == 2 * len(best().source_ids) + len(best().target_ids)


def test_each_view_saves_its_own_numbers(show: Any) -> None:
    page = settled(show(html("bahdanau", "seq2seq"), at(view="beam", beam=translator().search.beam_size)))
    assert page.locator(".change").count() == 0  # the run's own search is none
    tokens = page.locator(".token bdi").all_inner_texts()
    assert not page.locator("#save-svg").is_visible()  # a picture is of attention
    tree = json.loads(saved(page, "json"))["tree"]
    assert len(tree) >= len(tokens)
    ends = [node for node in tree if node["piece"] == "</s>" and node["kept"]]
    total = explained().log_probability
    assert min(abs(node["total"] - total) for node in ends) < 1e-3
    shown = page.locator(".token.best .number").last.inner_text()  # an end shows the score
    assert float(shown.replace("−", "-")) == pytest.approx(best().score, abs=6e-4)
    page.click("#tab-compare")
    page.wait_for_selector(".column:last-child:not(.waiting)")
    models = {each["model"]: each["translation"] for each in json.loads(saved(page, "json"))["models"]}
    assert models == {name: translator(name).translate([TEXT])[0].text for name in ("bahdanau", "seq2seq")}
    assert page.faults == []


def test_all_that_is_in_view_is_in_the_address(show: Any) -> None:
    page = settled(show(html("multi_head"), at(view="beam", at=2)))
    few = page.locator(".token").count()
    page.check("text=show all that was pruned")
    page.wait_for_url(re.compile("pruned=1"))
    many = page.locator(".token").count()
    assert many > few
    page.reload()
    assert settled(page).locator(".token").count() == many
    page.click("#tab-look")
    page.locator("[aria-label=Heads] button").nth(1).click()
    page.set_viewport_size({"width": 390, "height": 800})
    page.click(".shapes >> text=Heatmap")
    page.wait_for_url(re.compile("shape=map"))
    page.reload()
    assert settled(page).locator(".shapes [aria-pressed=true]").inner_text() == "Heatmap"
    pressed = page.locator("[aria-label=Heads] button").evaluate_all("all => all.map((each) => each.ariaPressed)")
    assert pressed == ["false", "true", "false", "false"]
    assert page.locator(".map").is_visible()


def test_an_address_that_is_too_long_is_not_called_a_link(show: Any) -> None:
    page = settled(show(html(), at()))
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.written = text; }")
    page.fill("#text", "ก" * 8000)
    until(page, "document.body.dataset.busy === 'true'")
    page.click("summary")
    page.click("#save-link")
    assert page.locator("#save-link").inner_text() == "This view is too long for a link."


@pytest.mark.parametrize(
    "state", [{"beam": 2.5, "at": 1.5, "pick": -1}, {"beam": -3, "view": "constructor", "penalty": "x"}], ids=str
)
def test_an_odd_address_is_the_default(show: Any, state: dict[str, Any]) -> None:
    page = settled(show(html(), at(**state)))
    assert page.locator("#translation").inner_text() == best().text
    assert page.locator("#tab-look").get_attribute("aria-selected") == "true"
    assert page.faults == []


def test_a_link_to_a_stop_shows_it(show: Any) -> None:
    page = settled(show(html(), "#stop=3"))
    assert page.locator("#text").input_value() == "She has a red car."
    assert "3 of 12" in page.locator(".tour").inner_text()
    assert "Written for the default model" in page.locator(".tour").inner_text()  # this one writes other words
    other = settled(show(explorer_page([ExploredRun("run", [Snapshot("end", packed(translator()))])], [TEXT])))
    assert other.locator("#tour-start").is_hidden()  # its sentences are of the demo corpus


def test_there_and_back_again_ends_where_it_began(show: Any) -> None:
    """The second question is the first again, which the worker has dropped for the one between."""
    page = settled(show(html(), at(view="beam", at=3)))
    page.locator("h1").click()
    page.keyboard.press(" ")
    page.keyboard.press("Home")  # keys of the player, which is not in this view
    for size in (6, 7, 6):
        page.evaluate(
            "(size) => { const node = document.querySelector('.ranged input');"
            " node.value = size; node.dispatchEvent(new Event('input')); }",
            size,
        )
        page.wait_for_timeout(3)
    assert "the 6 best" in settled(page).locator(".beam .about").first.inner_text()
    page.wait_for_url(re.compile("beam=6"))
    assert "at=3" in page.url


def test_the_focus_stays_where_something_was_changed(show: Any) -> None:
    page = settled(show(html(), at(view="beam")))
    page.locator(".token.best").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".change")
    settled(page)
    assert page.evaluate("document.activeElement.classList.contains('token')")
    page.locator(".change").focus()
    page.keyboard.press("Enter")
    until(page, "!document.querySelector('.change')")
    assert page.evaluate("document.activeElement.id") == "text"
    page = settled(show(html(), at(at=2, unfold="w1")))
    page.locator(".unfolded .chip").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".energy[aria-expanded=true]")
    assert page.evaluate("document.activeElement.classList.contains('energy')")
    page.locator(".candidate").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".change")
    settled(page)
    until(page, "document.activeElement.getAttribute('aria-pressed') === 'true'")


def test_sentences_are_those_of_the_chosen_run_and_have_their_references(show: Any) -> None:
    def rows(translation: str) -> list[dict[str, Any]]:
        row = {"source": "we see it .", "references": ["nous le voyons ."], "nearest": 0, "length": 4}
        return [row | {"translation": translation, "chrf": 50.0, "confidence": 0.5}]

    runs = [
        ExploredRun(name, [Snapshot("end", packed(translator(name)))], sentences=rows(f"by {name}"))
        for name in ("bahdanau", "hard")
    ]
    three = [*runs, ExploredRun("bare", runs[0].models)]
    page = settled(show(explorer_page(three, [TEXT]), at(view="sentences", run=9)))  # a run of another page
    assert page.locator(".sentences .translation").all_inner_texts() == ["by bahdanau"]
    page.select_option("#run", "1")
    assert settled(page).locator(".sentences .translation").all_inner_texts() == ["by hard"]
    page.locator(".sentences .copy").click()
    until(page, "location.hash.includes('we+see')")
    assert settled(page).locator("#references").inner_text() == "Reference: nous le voyons ."
    assert page.locator("#translation").inner_text() == translator("hard").translate(["we see it ."])[0].text
    page.reload()
    assert settled(page).locator("#references").inner_text() == "Reference: nous le voyons ."
    page.evaluate("hash => { location.hash = hash }", "#" + urlencode({"text": TEXT, "view": "sentences", "run": 2}))
    until(page, f"document.querySelector('#text').value === {TEXT!r}")
    assert settled(page).locator("#references").inner_text() == ""
    assert "no evaluated test set" in page.locator("#view").inner_text()
    assert page.faults == []


def test_looking_elsewhere_later_too_can_be_taken_back_at_any_step(show: Any) -> None:
    page = settled(show(html(), at(at=4, view="whatif", look="2+:uniform")))
    later = page.locator(".check input")
    assert later.is_checked()
    later.uncheck()
    until(page, "decodeURIComponent(location.hash).includes('look=2:uniform')")
    assert not settled(page).locator(".check input").is_checked()
    assert page.faults == []


def test_a_model_without_attention_has_nothing_to_set(show: Any) -> None:
    page = settled(show(html("seq2seq"), at(view="whatif")))
    assert "looks nowhere" in page.locator(".panel").inner_text()
    assert page.locator(".presets").is_hidden()
    page = settled(show(html("seq2seq"), at(at=0)))
    assert page.locator(".strip:visible").count() == 0
    assert "strip" not in page.locator(".reads").inner_text()


def test_a_cut_is_no_reason_to_call_a_token_better(show: Any) -> None:
    first = translator().target_tokenizer.pieces(best().target_ids[:1])[0]
    page = settled(show(html(), at(at=1, cut=f"~{first}")))
    assert page.locator(".note").inner_text() == "Not the likeliest token here."
