"""Runs of released versions (tests/fixtures) are used as they were then, and those of newer ones are refused."""

import dataclasses
import json
import platform
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest
import verify_run
from comparison.runs import check_comparable, load_members

from nmt import composition, pipeline
from nmt.config import Config, TrainSettings
from nmt.data.heldout import HeldOut
from nmt.data.settings import DataSettings
from nmt.errors import UserError
from nmt.evaluation.evaluate import evaluate
from nmt.evaluation.score_report import read_evaluation, write_evaluation
from nmt.files import sha256, write_json, write_sums
from nmt.metrics import METRICS, Metric, Score
from nmt.run import Run
from nmt.search import Beam
from nmt.translator import Translator
from tests.commands import command, succeeded
from tests.conftest import ROOT

FIXTURES = sorted((ROOT / "tests/fixtures").glob("run-*"))


@pytest.fixture(params=FIXTURES, ids=lambda path: path.name)
def fixture(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    shutil.copytree(request.param, tmp_path / "old")
    return tmp_path / "old"


def verify(run: Path) -> list[str]:
    return [check() for _, check in verify_run.checks(Run(run))]


def resume(fixture: Path, updates: int) -> None:
    """Train for some more updates, with the corpus that lies beside the run."""
    old = Run.open(fixture / "run")
    now = {"python": platform.python_version(), "sentencepiece": version("sentencepiece")}
    for name, known in old.provenance["versions"].items():  # they shape the corpus; another Python has other Unicode
        if name in now and known.split(".")[:2] != now[name].split(".")[:2]:
            pytest.skip(f"the run was trained with {name} {known}")
    steps = old.finished()["steps"] + updates
    places = [f"data.path={fixture / 'eng-fra.tsv'}", f"data.prepared_dir={fixture / 'prepared'}"]
    pipeline.resume(*composition.resumed(old, [*places, f"train.max_steps={steps}", "train.validate_every=3"]))
    assert old.finished()["steps"] == steps


def test_a_run_of_a_released_version_is_used_as_it_was_then(fixture: Path) -> None:
    run = fixture / "run"
    scores, rows = read_evaluation(run / "eval")
    translations = Translator.load(str(run), "cpu").translate([row.source for row in rows])
    assert [each.text for each in translations] == [row.hypothesis for row in rows]
    assert [each.score for each in translations] == pytest.approx([row.score for row in rows], abs=1e-4)
    succeeded(command("evaluate.py", "--run", str(run)))
    again, _ = read_evaluation(run / "eval")
    assert scores.keys() <= again.keys()
    assert all(again[name]["value"] == scores[name]["value"] for name in METRICS if scores.get(name))
    changes = Run.open(run).changes
    resume(fixture, updates=6)
    assert set(changes) & set(Run.open(run).changes)
    verify(run)


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version of this project that has one more setting everywhere, and one more metric."""

    def widened(settings: type, **options: bool) -> type:
        new = dataclasses.make_dataclass(
            settings.__name__, [("future", float, 0.5)], bases=(settings,), frozen=True, **options
        )
        new.__module__ = settings.__module__
        return new

    parts = [("data", widened(DataSettings)), ("train", widened(TrainSettings)), ("future", float, 0.5)]
    config = dataclasses.make_dataclass("Config", parts, bases=(Config,), frozen=True)
    monkeypatch.setattr("nmt.config.Config", config)
    monkeypatch.setattr("nmt.search.Beam", widened(Beam, kw_only=True))
    monkeypatch.setitem(METRICS, "future", Metric("future", "Future", lambda texts: Score(0.5, "future"), "test"))


@pytest.mark.usefixtures("newer")
def test_one_more_setting_or_metric_changes_nothing_for_old_runs(fixture: Path) -> None:
    old, new = fixture / "run", fixture / "new"
    verify(old)
    shutil.copytree(old, new)
    opened, rows = Run.open(new), read_evaluation(new / "eval")[1]
    assert opened.config.future == opened.config.data.future == 0.5  # type: ignore[attr-defined]
    translator = Translator.load(new, "cpu")
    evaluation = evaluate(translator, [HeldOut(row.source, row.references) for row in rows])
    details = opened.evaluated("test.tsv", translator.search.record())
    assert details["decode"]["future"] == 0.5
    write_evaluation(opened.evaluation, evaluation.scores, details, rows)
    assert json.loads((new / "eval/scores.json").read_text())["future"]["value"] == 0.5
    verify(new)
    members = load_members([Run(old), Run(new)])
    members[1] = dataclasses.replace(members[1], seed=2)
    check_comparable(members)  # the new one has a search setting that the old one lacks
    resume(fixture, updates=3)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("future", "seed: 1", "seed: 1\nfuture: 2"),
        ("train.future", "train:\n", "train:\n  future: 2\n"),
        ("model.encoder.future", "  encoder:\n", "  encoder:\n    future: 2\n"),
        ("nmt.model.score.Future", "score.Dot", "score.Future"),
        ("optimizer.future", "optimizer:\n", "optimizer:\n  future: 2\n"),
        ("state.future", "seed: 1", "seed: 1"),
    ],
)
def test_what_a_newer_version_wrote_is_one_sentence(tmp_path: Path, name: str, old: str, new: str) -> None:
    run, uses = tmp_path / "run", [Translator.load, lambda run: resume(tmp_path, 1), verify]
    shutil.copytree(FIXTURES[0], tmp_path, dirs_exist_ok=True)
    file, before = run / "config.yaml", sha256(run / "config.yaml")
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    (run / "SHA256SUMS").write_text((run / "SHA256SUMS").read_text().replace(before, sha256(file)))
    for file in run.glob("checkpoints/*/training.json"):
        numbers = json.loads(file.read_text()) | {"run": Run(run).read_identity()}
        numbers["state"] |= {"future": 1} if name == "state.future" else {}
        write_json(file, numbers)
        write_sums(file.parent)
    for use in uses[1:2] if name == "optimizer.future" else uses:  # which has no part in translating
        with pytest.raises(UserError) as error:
            use(run)
        assert f"written by a newer version, with {name}, which this one does not know: update" in str(error.value)
