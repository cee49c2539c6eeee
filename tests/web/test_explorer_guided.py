"""Prefixes and attention set by hand in the explorer: what it writes then is what PyTorch writes."""

from typing import Any

import numpy as np
import pytest

from nmt.special import WORD_START
from tests.web.explorer import TEXT, at, best, html, numbers, percents, seen, settled, translator, until


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
