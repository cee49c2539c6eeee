"""eval/report.html says what scores.json says, is listed like it, and never stands in the way of an evaluation."""

import logging
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nmt.commands import evaluate
from nmt.data.prepare import PreparedCorpus
from nmt.evaluation.evaluate import Evaluation
from nmt.evaluation.history import read_history
from nmt.evaluation.report import build, quality
from nmt.evaluation.report.build import report_data, write_report
from nmt.evaluation.report.curves import thinned, training_figures
from nmt.evaluation.report.sentences import recorded_rows
from nmt.evaluation.report.training_set import prepared_corpus
from nmt.evaluation.report.words import WordCounts, render_counts
from nmt.evaluation.score_report import read_evaluation
from nmt.evaluation.verdict import judge
from nmt.files import check_sums, read_listed
from nmt.run import Run
from nmt.special import EOS_PIECE
from tests.conftest import ROOT
from tests.reports import DETAILS, SMALL, content, evaluation, figures


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A run of an earlier version, whose prepared corpus is gone."""
    shutil.copytree(ROOT / "tests/fixtures/run-2/run", tmp_path / "run")
    return tmp_path / "run"


def report_of(run: Path, found: Evaluation | None = None, **details: Any) -> dict[str, Any]:
    """The data of the report of an evaluation (default: of a small one) of a run."""
    found = found or evaluation(SMALL)
    verdict = judge(found, bleu=1.0, pairs=None, guessing=None)
    return report_data(found, ("eng", "fra"), DETAILS | details, verdict, Run.open(run))


def test_numbers_are_those_of_scores_json(run: Path) -> None:
    data = content(run / "eval/report.html")
    scores, rows = read_evaluation(run / "eval")
    assert data["scores"] == {name: value for name, value in scores.items() if name != "evaluated"}
    shown = figures(data)
    for label, value, low, high, signature in shown["scores"]["rows"]:
        recorded = scores[label.lower()]
        assert (value, signature) == (pytest.approx(recorded["value"], rel=1e-6), recorded["signature"])
        assert [low, high] == pytest.approx([recorded["low"], recorded["high"]], rel=1e-6)
    assert [row[1:3] for row in shown["by-length"]["rows"]] == [
        [bucket["sentences"], pytest.approx(bucket["bleu"], rel=1e-6)] for bucket in scores["by_length"]
    ]
    assert sum(row[1] for row in shown["by-chrf"]["rows"]) == scores["sentences"]
    assert [(each["source"], each["translation"], each["references"]) for each in data["sentences"]] == [
        (row.source, row.hypothesis, list(row.references)) for row in rows
    ]


def test_a_training_leaves_a_whole_report(run: Path) -> None:
    data, opened = content(run / "eval/report.html"), Run.open(run)
    shown = figures(data)
    assert set(shown) >= {"by-frequency", "missed", "copying", "trouble", "mistakes", "calibration", "data", "settings"}
    curves = {"scores", "loss", "entropy", "learning-rate", "gradient-norm", "tokens-per-second"}
    assert set(shown) >= {f"curve-{name}" for name in curves}
    history = read_history(opened.tensorboard)
    column = [each["name"] for each in shown["curve-scores"]["columns"]].index("BLEU")
    assert {row[0]: row[column] for row in shown["curve-scores"]["rows"]} == pytest.approx(history.metrics["bleu"])
    assert data["facts"]["Training command"].startswith("python train.py experiment=smoke size=30k data=anki")
    assert "run_dir" not in data["facts"]["Training command"]
    assert data["facts"]["Evaluation command"].endswith(f"evaluate.py --run {run}")
    assert "Leak: none. No sentence of the held-out sets" in shown["data"]["note"]
    check_sums(run / "eval", ["report.html"])
    weights = data["sentences"][0]["attention"]
    assert weights["source"][-1] == weights["target"][-1] == EOS_PIECE


def test_rows_of_an_evaluation_on_disk_are_those_of_its_report(run: Path) -> None:
    expected = content(run / "eval/report.html")["sentences"]
    found = recorded_rows(run / "eval")
    assert [row.pop("confidence") for row in found] == pytest.approx([row["confidence"] for row in expected], abs=2e-3)
    assert any("signs" in row for row in expected)
    for row in expected:
        del row["confidence"], row["attention"]  # which translations.tsv does not have
    assert found == expected


def test_word_counts_are_those_of_the_training_set(run: Path) -> None:
    opened = Run.open(run)
    (directory,) = Path(opened.config.data.prepared_dir).glob(f"*-{opened.provenance['data_key'][:12]}")
    corpus = PreparedCorpus.open(directory)
    texts = [corpus.target_tokenizer.decode(corpus.train.target[i]) for i in range(len(corpus.train))]
    counts = Counter(word for text in texts for word in re.findall(r"[\w']+|[.!?]", text))
    read = WordCounts.of(opened)
    assert read is not None
    assert {word: read.counts[word] for word in counts} == counts
    assert render_counts(texts).encode() == read_listed(opened.word_counts_file)


def test_runs_of_earlier_versions_have_what_they_recorded(old: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = report_of(old, command="python evaluate.py --beam 3")
    shown = figures(data)
    assert "by-frequency" not in shown
    assert "in training" not in [column["name"] for column in shown["missed"]["columns"]]
    assert data["facts"]["Training command"] == "not recorded; every setting is in config.yaml"
    assert "python evaluate.py --beam 3 --faithfulness" in data["facts"]["Does it matter where it looks?"]
    assert "curve-scores" in shown
    assert not caplog.records  # nothing is wrong with it


def test_figures_of_a_small_test_set(old: Path) -> None:
    data = report_of(old)
    shown = figures(data)
    assert shown["copying"]["rows"] == [["numbers", 0.0, 0, 1, "12 (1)"], ["names", 1.0, 1, 1, ""]]
    assert shown["copying"]["queries"] == ["#2", None]
    signs = {query: row[2] for row, query in zip(shown["trouble"]["rows"], shown["trouble"]["queries"], strict=True)}
    assert signs["is:repeats"] == 1
    assert [row["nearest"] for row in data["sentences"]] == [0, 0, 0]
    assert data["sentences"][2]["signs"] == ["repeats", "short"]
    assert shown["mistakes"]["rows"][0][2:] == ["we hear a dog", "nous nous nous", "nous entendons un chien"]
    copied = next(each["text"] for each in data["findings"] if each["figure"] == "copying")
    assert copied == "Copying: 0 of 1 numbers arrive (0%), 1 of 1 names arrive (100%)."


def test_a_test_set_of_the_user_is_checked_against_the_training_set(run: Path, old: Path) -> None:
    opened = Run.open(run)
    corpus = prepared_corpus(opened)
    assert corpus is not None
    (source, target), (other, _) = corpus.samples(2)
    triples = [
        (source, "x", ["nothing like it zzz"]),
        ("nothing like it zzz", "x", ["zzz zzz", target.upper()]),
        (f"{other} zzz", "x", [f"{target} zzz"]),
    ]
    details = {"examples": "mine.en", "references": ["mine.fr"]}

    def note_of(path: Path, some: list[tuple[str, str, list[str]]]) -> str:
        return str(figures(report_of(path, evaluation(some), **details))["data"]["note"])

    assert "2 of the 3 sentences of mine.en have their source or a reference in training" in note_of(run, triples)
    assert "Leak: none of the 1 sentences of mine.en" in note_of(run, triples[2:])
    assert "Leak: not checked for mine.en" in note_of(old, triples)


def test_an_evaluation_records_its_command(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("mine.en", "I see a cat.\n"), ("mine.fr", "Je vois un chat.\n")):
        Path(name).write_text(text)
    evaluate.main(
        ["--run", str(run), *["--beam", "1", "--source", "mine.en", "--reference", "mine.fr", "--output", "found"]]
    )
    data = content(tmp_path / "found/report.html")
    expected = f"evaluate.py --run {run} --beam 1 --source mine.en --reference mine.fr --output found"
    assert data["facts"]["Evaluation command"].endswith(expected)
    assert "of mine.en" in figures(data)["data"]["note"]
    assert read_evaluation(tmp_path / "found")[0]["evaluated"]["references"] == ["mine.fr"]


def test_empty_lines_and_models_without_attention(old: Path, caplog: pytest.LogCaptureFixture) -> None:
    found = evaluation([*SMALL, ("", "", [""]), ("a", "", ["b"])])
    bare = Evaluation(found.scores, [replace(each, attention=None) for each in found.translations], found.examples)
    for each in (found, bare):
        data = report_of(old, each)
        assert len(data["sentences"]) == 5
        assert data["sentences"][4]["signs"][-1] == "empty"
        first, *_ = figures(data)["by-length"]["queries"]
        assert "length>=" not in first  # an empty source counts in the first bucket
    assert not any("attention" in row for row in data["sentences"])
    assert not caplog.records


def test_a_part_that_fails_is_left_out(
    old: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("of a test")

    shutil.rmtree(old / "tensorboard")
    monkeypatch.setattr(quality, "copying_figure", broken)
    found = evaluation(SMALL)
    run = Run.open(ROOT / "tests/fixtures/run-2/run")
    run.directory, run.tensorboard = old, old / "tensorboard"
    verdict = judge(found, bleu=1.0, pairs=None, guessing=None)
    with caplog.at_level(logging.WARNING):
        write_report(old / "eval", found, ("eng", "fra"), DETAILS, verdict, run)
    shown = figures(content(old / "eval/report.html"))
    assert {"scores", "data"} <= set(shown)
    assert not set(shown) & {"copying", "curve-scores"}
    assert "(quality), as it cannot be made: ZeroDivisionError('of a test')" in caplog.text
    monkeypatch.setattr(build, "report_data", broken)
    (old / "eval/report.html").unlink()
    write_report(old / "eval", found, ("eng", "fra"), DETAILS, verdict, run)
    assert not (old / "eval/report.html").exists()
    assert "(all)" in caplog.text


def test_long_curves_are_thinned(run: Path) -> None:
    curve = {step: float(step) for step in range(1, 5001)}
    assert len(thinned(curve)) == 400
    assert {1, 5000} < set(thinned(curve))
    history = read_history(Run(run).tensorboard)
    history.training["loss"][3] = float("nan")
    assert None in [row[2] for row in training_figures(history, None)[1].plain()["rows"]]
