"""The explorer in real Chromium: tour, models side by side, any script, and nothing of a model runs or leaves it."""

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import torch

from nmt.data.tokenizer import Tokenizer
from nmt.evaluation.score_report import read_evaluation
from nmt.run import Run
from nmt.search import Beam
from nmt.translator import Translator
from nmt.web.explorer_page import ExploredRun, Snapshot, explorer_page
from tests.commands import command, succeeded
from tests.conftest import ROOT, tiny_model
from tests.portable.models import packed
from tests.web.conftest import hostile_translator, wordy, wordy_translator
from tests.web.explorer import TEXT, at, html, numbers, settled, translator, until
from tests.web.test_page import HOSTILE


def test_every_stop_of_the_tour_loads_without_network(show: Any) -> None:
    page = settled(show(html("bahdanau", "hard", "seq2seq")))
    page.click("#tour-start")
    titles = set()
    for number in range(1, 13):
        until(page, f"document.querySelector('.tour .about').textContent === '{number} of 12'")
        settled(page)
        titles.add(page.locator("#tour-title").inner_text())
        text = page.locator(".words-of p:not(.lacks)").inner_text()
        assert len(re.findall(r"[.?](?= [A-Z“]|$)", text)) == 3, text
        # This model has learnt nothing, and there is no run with local windows.
        assert page.locator(".lacks").is_visible() == (number in {1, 2, 3, 4, 5, 7, 11})
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
    formulas = {"score": {"name": HOSTILE, "equation": HOSTILE, "text": HOSTILE}}
    evil = hostile_translator(HOSTILE, beam_size=2, max_length_extra=2)
    model = packed(evil, scores={"bleu": HOSTILE}, formulas=formulas)
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
    odd = "#at=1e9&text=a", "#run=-3&view=x&pick=99&text=a", "#look=1:9,9;x;2%2B:only.999&text=a&at=1&view=whatif"
    for strange in odd:
        page.evaluate("hash => { location.hash = hash }", strange)
        page.wait_for_timeout(50)
        settled(page)
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
    assert page.locator(".column h2").all_inner_texts() == ["step 12", "step 300, best in validation"]
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
