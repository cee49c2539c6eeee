import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from nmt.evaluation.score_report import Row, table, write_evaluation
from nmt.evaluation.scores import Scores, score
from nmt.files import write_listed

SOURCES = ["Das Haus", "Sie beobachten uns jetzt", "Komm"]
HYPOTHESES = ["The house", "They are watching us now", "Come"]
REFERENCES = [("The house", "A house"), ("They are watching us right now",), ("Come",)]


@pytest.fixture(scope="module")
def scores() -> Scores:
    return score(HYPOTHESES, REFERENCES, SOURCES, bootstrap=50)


def printed(scores: Scores, width: int) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(table(scores, title="Test set"))
    return stream.getvalue()


def test_files_can_be_read_back_and_no_older_report_stays(tmp_path: Path, scores: Scores) -> None:
    rows = [
        Row(source, hypothesis, -0.5, references)
        for source, hypothesis, references in zip(SOURCES, HYPOTHESES, REFERENCES, strict=True)
    ]
    write_listed(tmp_path / "report.html", b"of the evaluation before")
    write_evaluation(tmp_path, scores, {"examples": "x"}, rows)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SHA256SUMS", "scores.json", "translations.tsv"]
    read = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert read["bleu"]["value"] == scores["bleu"].value
    header, first, *others = (tmp_path / "translations.tsv").read_text(encoding="utf-8").splitlines()
    assert header.split("\t") == ["source", "hypothesis", "score", "references"]
    assert first.split("\t") == ["Das Haus", "The house", "-0.5000", "The house", "A house"]
    assert len(others) == 2


def test_no_text_can_break_the_table_file(tmp_path: Path, scores: Scores) -> None:
    nasty = "a\tb\nc\r\nd\u2028e\x85f\x1cg"
    write_evaluation(tmp_path, scores, {}, [Row(nasty, nasty, 0.0, (nasty,))])
    lines = (tmp_path / "translations.tsv").read_bytes().decode().splitlines()
    tame = "a b c d e f g"
    assert [line.split("\t") for line in lines[1:]] == [[tame, tame, "0.0000", tame]]


def test_table_shows_every_score(scores: Scores) -> None:
    text = printed(scores, width=120)
    bleu = scores["bleu"]
    assert f"BLEU  {bleu.value:.1f}  [{bleu.low:.1f}–{bleu.high:.1f}]" in text
    assert f"chrF  {scores['chrf'].value:.1f}" in text
    assert "lower is better" in next(line for line in text.splitlines() if line.startswith("TER"))
    assert set(scores.metrics) == {"bleu", "chrf", "ter"}
    for metric in scores.metrics.values():
        assert metric.signature in text
    plain = printed(score(["x"], [("a b c d",)], ["e"], metrics=["bleu"], bootstrap=0), width=80)
    assert "interval" not in plain
    narrow = printed(scores, width=40)
    assert max(map(len, narrow.splitlines())) <= 40
    assert bleu.signature in "".join(line.strip() for line in narrow.splitlines())
