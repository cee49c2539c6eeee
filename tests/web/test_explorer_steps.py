"""A step of the explorer in real Chromium: every number is the one that PyTorch computes."""

from typing import Any

import numpy as np
import pytest

from nmt.web.explorer_page import ExploredRun, Snapshot, explorer_page
from tests.conftest import MODELS
from tests.portable.models import packed
from tests.training.test_new_parts import overrides
from tests.web.conftest import wordy_translator
from tests.web.explorer import (
    TEXT,
    at,
    best,
    explained,
    html,
    label,
    numbers,
    percents,
    products,
    seen,
    settled,
    translator,
    unfolded_context,
    until,
)

__all__ = ["overrides"]  # a fixture: a score or a cell of a test's own


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
    assert f"≈ −{abs(explained().log_probability):.2f}" in page.locator(".whole").inner_text()
    page.keyboard.press(" ")  # plays from the beginning
    page.wait_for_selector(".play.playing")
    page.keyboard.press(" ")
    assert "Reads" in page.locator(".where").inner_text()
    assert page.faults == []


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
