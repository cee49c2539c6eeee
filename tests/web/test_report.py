"""The page of a report in real Chromium: filter, sorting, attention, copies, print; no network, no foreign code."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from nmt.evaluation.report.build import report_data
from nmt.evaluation.verdict import judge
from nmt.run import Run
from nmt.web.report_page import report_page
from tests.conftest import ROOT
from tests.reports import DETAILS, SMALL, evaluation

HOSTILE = "</script><script>hacked()</script> <img/src=x/onerror=hacked()> {policy} \u202e =1+1"
SENTENCES = [*SMALL, (HOSTILE, HOSTILE, ["rien", HOSTILE]), ("我 看见 猫", "我看见猫。", ["我看见狗。"])]
SENTENCES += [(f"number {i} of many", f"numéro {i} de plus", [f"numéro {i} de beaucoup"]) for i in range(40)]
COPY = "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied = text; }}})"


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    found = evaluation(SENTENCES)
    run = Run.open(ROOT / "tests/fixtures/run-2/run")
    return report_data(found, ("eng", HOSTILE), DETAILS, judge(found, bleu=1.0, pairs=None, guessing=None), run)


@pytest.fixture(scope="module")
def opened(chromium: Any, data: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The page, opened once for all tests, which may neither log anything nor ask for anything."""
    (file := tmp_path_factory.mktemp("report") / "report.html").write_text(report_page(data), encoding="utf-8")
    faults: list[str] = []
    requests: list[str] = []
    with chromium.new_context(viewport={"width": 1000, "height": 800}) as context:
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text))
        context.on("request", lambda request: requests.append(request.url))
        page.add_init_script(COPY)
        page.goto(file.as_uri())
        page.wait_for_selector("body[data-ready]")
        yield page
    assert faults == []
    assert set(requests) == {file.as_uri()}


def shown(page: Any) -> list[int]:
    """Numbers of the sentences in view."""
    return [int(text) for text in page.locator(".sentences tbody tr td:first-child").all_inner_texts()]


def filtered(page: Any, query: str) -> list[int]:
    page.fill("#filter", query)
    page.wait_for_function("query => (new URLSearchParams(location.hash.slice(1)).get('q') ?? '') === query", arg=query)
    return sorted(shown(page))


def copies(page: Any, place: str) -> dict[str, str]:
    """What the buttons of a figure, or of the part of the page with a selector, copy, by their names."""
    script = """async (place) => {
      const found = {};
      for (const button of document.querySelectorAll(`${place} .copies button`)) {
        const name = button.getAttribute("aria-label").split(" ").at(-1);
        button.click();
        await null;
        found[name] = window.copied;
      }
      return found;
    }"""
    selector = place if place[0] in ".#" else f"#figure-{place}"
    found: dict[str, str] = page.evaluate(script, selector)
    return found


def test_sentences_are_filtered_sorted_and_linked(opened: Any) -> None:
    page = opened
    assert len(shown(page)) == 25
    assert filtered(page, "chats") == [2]
    assert filtered(page, '"nous nous"') == [3]
    assert filtered(page, "/^numéro 1.$|12/ length<4") == []
    assert filtered(page, "/12/ length=5") == [2]
    assert filtered(page, "is:repeats chrf<40") == [3]
    assert filtered(page, "missing:12") == [2]
    assert filtered(page, "missing:狗") == [5]
    assert filtered(page, "#1,3") == [1, 3]
    assert filtered(page, "IS:repeats CHRF < 40 Missing:entendons") == [3]
    assert filtered(page, "chrF<40") == filtered(page, "chrf<40") != []
    assert filtered(page, "sure>80%") == filtered(page, "sure>0.8") == filtered(page, "sure > 80 %") != []
    assert filtered(page, "sure>80") == filtered(page, "sure>0,8")
    assert filtered(page, "sure>95%") == []
    for query, problem in {
        "/(/": "/(/ is no regular expression.",
        "spread>3": "spread is no column here; there are chrF, sure, length.",
        "chats<3": "chats is no column here",
        "is:nonsense": "No sentences here are marked nonsense; after is: there can be repeats, ",
        "is:empty": "No sentences here are marked empty",
        "length>20%": "length is no percentage: leave out the %.",
        "chrF<": "chrF< needs a number after it.",
        "missing:": "missing: needs a word after it.",
    }.items():
        page.fill("#filter", query)
        page.wait_for_function("text => document.querySelector('.filter').innerText.includes(text)", arg=problem)
        assert page.locator("#filter[aria-invalid]").count() == 1
    help_line = page.locator("#filter-help").inner_text()
    assert "is:repeats" in help_line
    assert "spread" not in help_line
    assert filtered(page, "#1,2,3,5") == [1, 2, 3, 5]
    page.locator(".sort", has_text="length").click()
    assert shown(page) == [5, 1, 3, 2]
    page.locator(".sort", has_text="length").click()
    assert page.locator("[aria-sort=descending]").inner_text().startswith("length")
    page.reload()  # the address has it all
    page.wait_for_selector("body[data-ready]")
    assert shown(page) == [2, 1, 3, 5]
    page.evaluate("location.hash = '#q=%232,3&sort=-length&open=2'")  # and a new one reaches an open page
    page.wait_for_selector("#figure-attention-2 svg")
    assert (page.input_value("#filter"), shown(page)) == ("#2,3", [2, 3])
    page.evaluate("location.hash = ''")
    page.wait_for_function("document.getElementById('filter').value === ''")


def test_sentences_and_facts_are_copied(opened: Any, data: dict[str, Any]) -> None:
    opened.evaluate("location.hash = '#q=%231,2&sort=number'")
    opened.wait_for_function("document.querySelectorAll('.sentences tbody tr').length === 2")
    found = copies(opened, ".filter")
    table = list(csv.reader(io.StringIO(found["CSV"])))
    assert table[0] == ["#", "chrF", "sure", "length", "source", "translation", "reference 1", "reference 2"]
    chrf = str(data["sentences"][1]["chrf"])
    assert table[2][:2] == ["2", chrf]
    assert table[2][4:] == ["I see 12 cats .", "je vois des chats .", "je vois 12 chats .", "je regarde 12 chats ."]
    assert len(table) == 3
    assert found["LaTeX"].count(" \\\\\n") == 3
    facts = list(csv.reader(io.StringIO(copies(opened, "#origin .card")["CSV"])))
    assert {name: text.removeprefix("'") for name, text in facts[1:]} == data["facts"]
    opened.evaluate("location.hash = ''")


def test_differences_are_marked_word_by_word(opened: Any) -> None:
    filtered(opened, "#2,5")
    opened.locator(".sort", has_text="#").click()
    rows = opened.locator(".sentences tbody tr")
    assert [rows.nth(i).locator("ins").all_inner_texts() for i in (0, 1)] == [["des"], ["猫"]]
    assert [rows.nth(i).locator("del").all_inner_texts() for i in (0, 1)] == [["12"], ["狗"]]
    assert rows.nth(0).locator(".reference").count() == 2


def test_attention_is_drawn_on_click_and_copied(opened: Any, data: dict[str, Any]) -> None:
    filtered(opened, "#2")
    opened.locator("[aria-expanded]").click()
    figure = opened.locator("#figure-attention-2")
    weights = figure.locator("rect.heat").evaluate_all("all => all.map(each => +each.getAttribute('fill-opacity'))")
    size = len(data["sentences"][1]["attention"]["source"])
    assert weights == [float(i % size == i // size) for i in range(len(weights))]  # the diagonal
    assert "open=2" in opened.url
    table = list(csv.reader(io.StringIO(copies(opened, "attention-2")["CSV"])))
    assert table[0] == ["word", "sure", "I", "see", "12", "cats", ".", "end"]
    assert table[1] == ["je", "0.9", "1", "0", "0", "0", "0", "0"]
    assert figure.locator("text.word").all_text_contents()[-1] == "end"
    assert "\u2068je\u2069 90 %" in figure.locator("text.word").all_text_contents()
    drawing = copies(opened, "attention-2")["SVG"]
    assert drawing.startswith("<svg")
    assert "class=" not in drawing
    assert "rgb(13, 148, 136)" in drawing  # colours of its own
    opened.reload()
    opened.wait_for_selector("#figure-attention-2 svg")


def test_every_figure_is_copied_with_the_numbers_of_python(opened: Any, data: dict[str, Any]) -> None:
    for figure in (figure for section in data["sections"] for figure in section["figures"]):
        found = copies(opened, figure["id"])
        table = list(csv.reader(io.StringIO(found["CSV"])))
        assert table[0] == [column["name"] for column in figure["columns"]]
        for cells, row in zip(table[1:], figure["rows"], strict=True):
            for cell, value in zip(cells, row, strict=True):
                if isinstance(value, (int, float)):
                    assert float(cell) == value
                else:
                    assert cell.removeprefix("'") == (value or "")
        assert found["LaTeX"].startswith("\\begin{table}")
        assert found["LaTeX"].count(" \\\\\n") == 1 + len(figure["rows"])
        drawing = found.get("SVG", "")
        assert drawing.startswith("<svg") == bool(figure["chart"])
        assert "NaN" not in drawing
    assert "0\\% of the test pairs" in copies(opened, "data")["LaTeX"]


def test_rows_of_figures_show_their_sentences(opened: Any) -> None:
    opened.locator("#figure-copying .link").click()
    assert opened.input_value("#filter") == "#2"
    assert shown(opened) == [2]
    opened.locator(".findings button").first.click()
    assert "at=figure-" in opened.url


def test_hostile_text_stays_text(opened: Any) -> None:
    filtered(opened, "#4")
    assert HOSTILE in opened.locator(".sentences .source").inner_text()
    assert opened.evaluate("document.querySelectorAll('img, iframe, b').length") == 0
    assert opened.evaluate("document.querySelectorAll('script').length") == 2


@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "dark"), pytest.param(1280, "light", marks=pytest.mark.slow)], ids=["phone", "desktop"]
)
def test_axe_finds_no_violation(opened: Any, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    filtered(opened, "#2,4,5")
    if not opened.locator("#figure-attention-2").count():
        opened.locator("[data-number='2'] [aria-expanded]").click()
    opened.evaluate(
        "document.querySelectorAll('details').forEach((node) => { node.open = node.innerText.length < 2000; })"
    )
    opened.set_viewport_size({"width": width, "height": 844})
    opened.emulate_media(color_scheme=scheme)
    found = axe.Axe().run(opened)
    assert found.violations_count == 0, found.generate_report()
    assert not opened.evaluate("document.documentElement.scrollWidth > innerWidth")  # only tables scroll sideways


def test_print_has_figures_and_no_buttons(opened: Any) -> None:
    opened.reload()
    opened.wait_for_selector("body[data-ready]")
    opened.emulate_media(media="print")
    visible = [opened.locator(name).is_visible() for name in ("nav", ".filter", "#figure-by-length svg")]
    assert visible == [False, False, True]
    opened.set_viewport_size({"width": 700, "height": 1000})  # of a sheet of paper
    opened.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert opened.locator("#figure-settings table").is_visible()
    assert opened.locator("#figure-by-length table").is_visible()
    clipped = """() => [...document.querySelectorAll(".figure")].filter((figure) => {
      const edge = figure.getBoundingClientRect().right;
      return [...figure.querySelectorAll("*")].some((each) => each.getBoundingClientRect().right > edge + 1);
    }).map((figure) => figure.id)"""
    assert opened.evaluate(clipped) == []
    opened.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not opened.locator("#figure-settings table").is_visible()
    opened.emulate_media(media="screen")


def test_a_comparison_shows_all_models_side_by_side(show: Any, data: dict[str, Any]) -> None:
    translations = [
        {"name": "luong", "text": "je vois", "chrf": 100.0, "nearest": 0},
        {"name": "a_model_with_a_rather_long_name", "text": "je regarde tout", "chrf": 60.0, "nearest": 1},
    ]
    row = {"source": "I see", "references": ["je vois", "je regarde"], "translations": translations, "length": 2}
    page = show(report_page(data | {"sentences": [row | {"chrf": 80.0, "spread": spread} for spread in (3.0, 40.0)]}))
    page.wait_for_selector("body[data-ready]")
    assert shown(page) == [2, 1]  # those that differ most come first
    first = page.locator(".sentences tbody tr").first
    assert first.locator(".model").all_inner_texts() == ["luong 100", "a_model_with_a_rather_long_name 60"]
    begins = "all => all.map(each => each.getBoundingClientRect().left)"
    assert len(set(first.locator(".translation").evaluate_all(begins))) == 1  # one below the other
    assert first.locator("ins").all_inner_texts() == ["tout"]
    assert page.faults == []


NAMES = [f"a_model_with_a_rather_long_name_{i:02d}" if i % 3 else f"model{i}" for i in range(20)]


def chart_of(kind: str) -> dict[str, Any]:
    """A figure of twenty models, as curves over updates or as bars."""
    if kind == "one bar each":
        columns, rows = [{"name": "model"}, {"name": "BLEU", "digits": 1}], [[name, 30.5] for name in NAMES[1:]]
        return {"columns": columns, "rows": rows, "chart": {"kind": "bars", "label": 0, "values": [1]}}
    if kind == "bars":
        columns = [{"name": "sign"}, *({"name": name, "digits": 1} for name in NAMES)]
        chart = {"kind": "bars", "label": 0, "values": list(range(1, 21))}
        return {"columns": columns, "rows": [["short", *range(1, 21)]], "chart": chart}
    rows = [[name, step, number + step] for number, name in enumerate(NAMES) for step in range(0, 50, 10)]
    columns = [{"name": "model"}, {"name": "update"}, {"name": "BLEU", "digits": 1}]
    return {"columns": columns, "rows": rows, "chart": {"kind": "lines", "x": [1], "y": [2], "by": 0}}


OUTSIDE = """svg => {
  const room = svg.getBoundingClientRect();
  const boxes = [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
  return boxes.filter((box) => box.left < room.left || box.right > room.right + 1 || box.top < room.top ||
    box.bottom > room.bottom + 1).length;
}"""


def page_of_chart(show: Any, data: dict[str, Any], kind: str, width: int) -> Any:
    """A page with this chart of twenty models."""
    figure = {"id": "many", "title": "Many", "note": "", "queries": [], **chart_of(kind)}
    section = {"id": "curves", "title": "Curves", "text": "", "figures": [figure]}
    page = show(report_page(data | {"sections": [section]}), viewport={"width": width, "height": 800})
    page.evaluate(COPY)
    page.wait_for_selector("#figure-many svg")
    return page


def test_the_names_of_twenty_bars_are_inside_their_chart(show: Any, data: dict[str, Any]) -> None:
    page = page_of_chart(show, data, "one bar each", 390)
    assert page.locator("#figure-many svg").evaluate(OUTSIDE) == 0
    assert page.locator("#figure-many .value").count() == 0  # their numbers would touch


@pytest.mark.parametrize("width", [390, 1280], ids=["phone", "desktop"])
@pytest.mark.parametrize("kind", ["lines", "bars"])
def test_a_legend_names_twenty_models(show: Any, data: dict[str, Any], kind: str, width: int) -> None:
    page = page_of_chart(show, data, kind, width)
    for svg in ("#figure-many svg", "#copied svg"):
        texts = page.locator(f"{svg} text").all_text_contents()
        assert [name for name in NAMES if not any(text.startswith(name) for text in texts)] == []
        assert page.locator(svg).evaluate(OUTSIDE) == 0
        if kind == "lines":
            looks = """svg => [...svg.querySelectorAll("path")].filter((path) => path.getAttribute("d").includes("L"))
              .map((path) => { const style = getComputedStyle(path); return style.stroke + style.strokeDasharray; })"""
            assert len(set(page.locator(svg).evaluate(looks))) >= 20  # 24 pairs of colour and dashes
        else:
            samples = page.locator(f"{svg} rect").evaluate_all("all => all.map(each => getComputedStyle(each).fill)")
            assert samples[:20] == samples[20:]  # of the bars
        copied = copies(page, "many")["SVG"]
        page.evaluate("text => document.body.insertAdjacentHTML('beforeend', `<div id=copied>${text}</div>`)", copied)
    assert page.faults == []


def test_the_page_is_one_file_of_text(data: dict[str, Any]) -> None:
    html = report_page(data)
    assert html.count("<script") == 2  # its data and its code: hostile text adds none
    assert json.dumps(HOSTILE)[1:20] not in html
    assert "default-src 'none'" in html
