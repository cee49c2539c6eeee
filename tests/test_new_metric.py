"""A new metric is one line in METRICS, nothing else: training, files, tables and comparisons find this one."""

import io
import json
import logging
from dataclasses import asdict
from pathlib import Path

import pytest
from comparison import runs, summary, tables
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from nmt.composition import composed
from nmt.errors import UserError
from nmt.evaluation.score_report import table
from nmt.metrics import METRICS, Metric, Score, Texts, is_improvement
from nmt.pipeline import train
from tests.commands import train_arguments


def letters(texts: Texts) -> Score:
    return Score(sum(map(len, texts.hypotheses)) / len(texts.hypotheses), "letters|version:1")


def test_it_is_found_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    metric = Metric("letters", "Letters", letters, "validation", higher_is_better=False)
    with pytest.raises(UserError, match=r"train\.monitor cannot be 'letters': known: bleu, chrf, loss"):
        train(composed(*train_arguments(tmp_path, "train.monitor=letters")))
    monkeypatch.setitem(METRICS, "letters", metric)
    with caplog.at_level(logging.INFO):
        scores = train(composed(*train_arguments(tmp_path, "train.monitor=letters", "name=seq2seq"))).scores
    assert " · letters " in caplog.text

    stream = io.StringIO()
    Console(file=stream, width=120).print(table(scores))
    shown = [line.split() for line in stream.getvalue().splitlines()]
    assert ["Letters", f"{scores['letters'].value:.1f}", "lower", "is", "better"] in shown
    assert ["Letters", "letters|version:1"] in shown

    run = tmp_path / "run"
    read = json.loads((run / "eval/scores.json").read_text())
    assert read["letters"] == asdict(scores["letters"])
    events = EventAccumulator(str(run / "tensorboard"))
    events.Reload()
    values = [event.value for event in events.Scalars("validation/letters")]
    assert json.loads((run / "finished.json").read_text())["best"]["letters"] == pytest.approx(min(values))
    assert events.Scalars("test/letters")[0].value == pytest.approx(scores["letters"].value)

    groups = summary.group(runs.load_members(runs.find_runs([tmp_path])))
    (row,) = rows = summary.summarise(groups, row_name := next(iter(groups)), {})
    names, ((*cells,),) = tables.cells(rows)
    assert cells[names.index("Letters")] == f"{scores['letters'].value:.1f} ± –"
    assert row.scores["letters"].mean == pytest.approx(scores["letters"].value)
    assert "letters_mean" in tables.comma_separated(rows)
    assert "Letters letters|version:1" in tables.legend(groups[row_name], rows, row_name, 100)[0]


@pytest.mark.parametrize(("name", "better"), [("loss", 1.0), ("ter", 1.0), ("bleu", 3.0)])
def test_the_direction_says_what_is_better(name: str, better: float) -> None:
    assert is_improvement(name, better, 2.0)
    assert not is_improvement(name, 4.0 - better, 2.0)
    assert not is_improvement(name, 2.0, 2.0)
    assert is_improvement(name, 2.0, None)
