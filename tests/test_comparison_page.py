"""The page of a comparison: figures, n-grams and sentences, against formulas written out."""

from collections import Counter
from pathlib import Path

import pytest
from comparison import firsts, ngrams, page, runs, significance, summary, tables

from nmt.evaluation.report import quality
from nmt.evaluation.report.analysis import Analysis
from nmt.metrics import sentence_chrf
from tests.comparison_runs import make_run, noisy, references
from tests.reports import content, figures, translated


def test_ngrams_are_matched_as_often_as_a_reference_has_them() -> None:
    found = ngrams.matches(["a a b", "c"], [["a b", "a c a"], ["d"]], str.split)
    assert found == [Counter({("a",): 2, ("b",): 1, ("a", "b"): 1}), Counter()]
    cats = Counter({("the", "cat"): 2, ("the",): 2})
    ours = [cats + Counter({("the", "cat"): 1, ("the",): 1, ("dog",): 3, ("cat",): 9}), cats]
    theirs = [Counter({("cat",): 2, ("dog",): 2}), Counter()]
    assert ngrams.won(ours, theirs, 3) == [("cat", 9, 2, [1]), ("the cat", 5, 0, [1, 2])]  # one dog more is chance


def test_links_of_ngrams_lead_to_the_sentences_in_which_two_models_differ(tmp_path: Path) -> None:
    expected = ["l'art est long.", "j'ai l'art.", "du lait", "l'art aussi", "rien"]
    make_run(tmp_path, "bahdanau", 1, ["zzz", "zzz", "du lait", "l'art aussi", "rien"], expected=expected)
    make_run(tmp_path, "luong", 1, expected, expected=expected)
    groups = summary.group(runs.load_members(runs.find_runs([tmp_path])))
    (figure,) = page.won_figures(groups, "bahdanau", "fr")
    assert dict(zip([row[0] for row in figure.rows], figure.queries, strict=True)) == {"l'art": "#1,2", ".": "#1,2"}


def test_the_page_of_a_comparison(tmp_path: Path) -> None:
    texts = references()
    hypotheses = {"bahdanau": 0.2, "luong": 0.6, "seq2seq": 0.7}
    for name, share in hypotheses.items():
        for seed in (1, 2) if name != "seq2seq" else (1,):
            make_run(tmp_path, name, seed, noisy(texts, share, seed))
    members = runs.load_members(runs.find_runs([tmp_path]))
    groups = summary.group(members)
    tested = significance.compare_with_baseline(groups, "bahdanau", trials=200)
    assert set(tested) == {"luong"}  # one seed of seq2seq is not enough
    rows = summary.summarise(groups, "bahdanau", tested)
    analyses = analysed(groups)
    example = "a sentence", {"luong": translated("le chat", "the cat")}
    html = page.comparison_page(groups, rows, "bahdanau", analyses, example, "title", ["Note: text."])
    (file := tmp_path / "comparison.html").write_text(html, encoding="utf-8")
    data = content(file)
    assert "1 of 2 other models differ from bahdanau" in data["verdict"][1]
    assert "1 could not be tested" in data["verdict"][1]
    assert "could not be tested" not in page.verdict(rows[:2], "bahdanau")[1]
    shown = figures(data)
    assert [column["name"] for column in shown["attention-luong"]["columns"]] == ["word", "the", "cat", "end"]
    for row, line in zip(rows, shown["scores"]["rows"], strict=True):
        assert line[:4] == [row.name, len(row.seeds), pytest.approx(row.scores["bleu"].mean, rel=1e-6), line[3]]
        assert (line[3] is None) == (row.name == "seq2seq")
    chrf = {name: sentence_chrf(group[0].hypotheses, [[text] for text in texts]) for name, group in groups.items()}
    sentence = data["sentences"][7]
    assert [each["name"] for each in sentence["translations"]] == list(groups)
    values = [each["chrf"] for each in sentence["translations"]]
    assert values == pytest.approx([chrf[name][7] for name in groups], abs=0.06)
    assert sentence["spread"] == pytest.approx(max(values) - min(values), abs=0.11)
    assert data["facts"] == {"Note": "text."}
    assert {row[0] for row in shown["curve-bleu"]["rows"]} == set(groups)
    assert {row[0] for row in shown["curve-entropy"]["rows"]} == {"bahdanau", "luong"}
    assert shown["curve-entropy"]["chart"]["series"] == list(groups)  # a model has one look on all charts
    assert shown["won-0"]["title"] == "luong against bahdanau"
    assert sum(row[3] < 0 for row in shown["won-0"]["rows"]) == 10  # and the baseline wins more


def analysed(groups: summary.Groups) -> dict[str, Analysis]:
    """Analyses of first seeds whose words have a confidence of 0.9, and attention on the diagonal."""
    firsts_of = {name: group[0] for name, group in groups.items()}
    return {
        name: firsts.analyse(each, list(map(translated, each.hypotheses, each.sources)))
        for name, each in firsts_of.items()
    }


def test_figures_of_several_models_have_the_numbers_of_their_own_reports(tmp_path: Path) -> None:
    texts = references()
    for name, share in (("bahdanau", 0.1), ("luong", 0.5)):
        make_run(tmp_path, name, 1, noisy(texts, share, 1))
    groups = summary.group(runs.load_members(runs.find_runs([tmp_path])))
    analyses, counts = analysed(groups), Counter({"cat": 1, "dog": 30})
    found = {figure.id: figure for figure in firsts.quality_figures(analyses, counts)}
    errors = {row[0]: row[1] for row in found["calibration-error"].rows}
    for name, analysis in analyses.items():
        for own, place in (
            (quality.chrf_figure(analysis), 1),
            (quality.frequency_figure(analysis, counts), 1),
            (quality.trouble_figure(analysis), 3),
        ):
            names = [column.name for column in found[own.id].columns[1:]]
            (values,) = (row[1:] for row in found[own.id].rows if row[0] == name)
            assert dict(zip(names, values, strict=True)) == {str(row[0]): row[place] for row in own.rows}
        own = quality.calibration_figures(analysis)[0]
        assert own.note.startswith(f"Expected calibration error {errors[name]:.3f} ")
        assert [row[1:] for row in found["calibration"].rows if row[0] == name] == own.rows
    assert "copying" in found


def test_latex_has_every_row(tmp_path: Path) -> None:
    make_run(tmp_path, "a_b", 1, references())
    groups = summary.group(runs.load_members(runs.find_runs([tmp_path])))
    text = tables.latex(summary.summarise(groups, "a_b", {}), "50 % & more")
    assert r"a\_b & 1 & 100.0 $\pm$ -- & " in text
    assert r"\caption{50 \% \& more}" in text
