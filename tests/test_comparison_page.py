"""The page of a comparison: tests between all pairs, n-grams and sentences, against formulas written out."""

from collections import Counter
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from comparison import ngrams, page, runs, significance, summary, tables
from hypothesis import given, settings
from sacrebleu.metrics.bleu import BLEU

from nmt.metrics import sentence_chrf
from tests.evaluation.test_report import content, figures
from tests.test_compare import make_run, noisy, references


@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=8, unique=True))
@settings(max_examples=50)
def test_holm_steps_down(values: list[float]) -> None:
    found = significance.holm(dict(enumerate(values)))
    for level in (0.01, 0.05, 0.2):  # Holm 1979: reject in order until p exceeds level / (tests left)
        rejected: set[int] = set()
        for rank, number in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
            if values[number] > level / (len(values) - rank):
                break
            rejected.add(number)
        assert {number for number, p in found.items() if p <= level + 1e-12} == rejected


def test_bleu_of_summed_statistics_is_that_of_sacrebleu() -> None:
    metric, rng = BLEU(), np.random.default_rng(0)
    totals = [[0] * 10, [3, 5, 2, 1, 0, 0, 3, 2, 1, 0], [9, 5, 9, 8, 7, 6, 9, 8, 7, 6]]
    for length in rng.integers(4, 50, 50):
        counts = np.maximum(length - np.arange(4), 0)
        totals.append([length, rng.integers(1, 60), *(rng.integers(0, counts + 1)), *counts])
    expected = [metric._compute_score_from_stats(list(map(int, row))).score for row in totals]
    assert significance.corpus_bleu(np.array(totals, dtype=float)) == pytest.approx(expected)


def test_ngrams_are_matched_as_often_as_a_reference_has_them() -> None:
    found = ngrams.matches(["a a b", "c"], [["a b", "a c a"], ["d"]], str.split)
    assert found == Counter({("a",): 2, ("b",): 1, ("a", "b"): 1})
    ours = Counter({("the", "cat"): 5, ("the",): 5, ("dog",): 3, ("cat",): 9})
    assert ngrams.won(ours, Counter({("cat",): 2, ("dog",): 4}), 2) == [("cat", 9, 2), ("the cat", 5, 0)]


def test_the_page_of_a_comparison(tmp_path: Path) -> None:
    texts = references()
    hypotheses = {"bahdanau": 0.2, "luong": 0.6, "seq2seq": 0.7}
    for name, share in hypotheses.items():
        for seed in (1, 2) if name != "seq2seq" else (1,):
            make_run(tmp_path, name, seed, noisy(texts, share, seed))
    members = runs.load_members(runs.find_runs([tmp_path]))
    groups = summary.group(members)
    tested = significance.compare_all(groups, trials=200)
    rows = summary.summarise(groups, "bahdanau", tested)
    assert set(tested) == {("bahdanau", "luong")}  # one seed is not enough
    html = page.comparison_page(groups, rows, "bahdanau", tested, "title", ["Note: text."], ("a sentence", {}))
    (file := tmp_path / "comparison.html").write_text(html, encoding="utf-8")
    data = content(file)
    shown = figures(data)
    matrix = shown["tests"]["rows"]
    assert [row[0] for row in matrix] == ["bahdanau", "luong", "seq2seq"]
    assert matrix[0][2] == matrix[1][1] == pytest.approx(rows[1].p)
    assert {matrix[i][j + 1] for i in range(3) for j in range(3)} == {None, matrix[0][2]}
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
    assert {row[0] for row in shown["curves"]["rows"]} == set(groups)
    assert shown["won-0"]["title"] == "luong against bahdanau"
    assert sum(row[3] < 0 for row in shown["won-0"]["rows"]) == 10  # and the baseline wins more


def test_latex_has_every_row(tmp_path: Path) -> None:
    make_run(tmp_path, "a_b", 1, references())
    groups = summary.group(runs.load_members(runs.find_runs([tmp_path])))
    text = tables.latex(summary.summarise(groups, "a_b", {}), "50 % & more")
    assert r"a\_b & 1 & 100.0 $\pm$ -- & " in text
    assert r"\caption{50 \% \& more}" in text
