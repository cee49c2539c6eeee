"""A comparison must be of like with like, and its numbers what its legend says they are."""

import csv
import io
import logging
import time
from dataclasses import replace
from pathlib import Path
from statistics import median, stdev
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from comparison import runs, significance, summary, tables
from comparison.runs import Member
from hypothesis import given, settings
from rich.console import Console
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest
from torch.utils.tensorboard.writer import SummaryWriter

from nmt.errors import UserError
from nmt.evaluation.history import read_history
from nmt.files import read_record, write_record
from nmt.run import newest_finished
from nmt.shell import shell_command
from tests.commands import assert_fails, command, evaluate, succeeded, train_arguments, translate
from tests.comparison_runs import DECODE, make_run, noisy, references
from tests.conftest import assert_refused
from tests.reports import content, figures


def load(folder: Path) -> list[Member]:
    return runs.load_members(runs.find_runs([folder]))


def rows_of(folder: Path, baseline: str) -> dict[str, summary.Row]:
    members = load(folder)
    runs.check_comparable(members)
    groups = summary.group(members)
    rows = summary.summarise(groups, baseline, significance.compare_with_baseline(groups, baseline, trials=200))
    return {row.name: row for row in rows}


def test_rows_are_means_over_seeds_sorted_by_bleu(tmp_path: Path) -> None:
    texts = references()
    for seed, value in ((2, 30.0), (1, 31.0), (3, 35.0)):
        make_run(tmp_path, "luong", seed, noisy(texts, 0.3, seed), bleu=value, aer=seed / 10)
    make_run(tmp_path, "seq2seq", 1, noisy(texts, 0.6, 1), bleu=40.0)
    rows = rows_of(tmp_path, "luong")
    assert list(rows) == ["seq2seq", "luong"]
    luong, seq2seq = rows["luong"], rows["seq2seq"]
    assert luong.seeds == (1, 2, 3)
    assert luong.scores["bleu"] == summary.Spread(pytest.approx(32.0), pytest.approx(stdev([30, 31, 35])))
    assert seq2seq.scores["bleu"] == summary.Spread(40.0, None)
    assert (luong.delta, seq2seq.delta) == (None, pytest.approx(8.0))
    assert luong.parameters == 3 * 4 + 5
    assert luong.minutes == pytest.approx(2.0)
    assert luong.tokens_per_second == pytest.approx((100 + 50 + 100 / 3) / 3)
    assert (luong.entropy, seq2seq.entropy) == (pytest.approx(2 + 2.0), None)  # at the best step, 20
    assert luong.aer is not None
    assert luong.aer.mean == pytest.approx(0.2)
    names, body = tables.cells(list(rows.values()))
    assert body[0][names.index("BLEU")] == "40.0 ± –"
    assert body[1][names.index("BLEU")] == "32.0 ± 2.6"
    assert [line[names.index("AER %")] for line in body] == ["–", "20.0 ± 10.0"]
    assert "AER %" not in tables.cells([replace(row, aer=None) for row in rows.values()])[0]


@pytest.mark.parametrize(("width", "parts"), [(80, 2), (150, 1)])
def test_a_narrow_terminal_cuts_no_number(tmp_path: Path, width: int, parts: int) -> None:
    for seed in (1, 2):
        make_run(tmp_path, "bahdanau-multihead", seed, references(), aer=0.25)
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(tables.terminal(list(rows_of(tmp_path, "bahdanau-multihead").values()), "title", [], console))
    text = console.export_text()
    assert text.count("bahdanau-multihead") == parts
    assert "100.0 ± 0.0" in text
    assert "…" not in text


def test_equal_systems_have_p_one_and_different_ones_a_small_p(tmp_path: Path) -> None:
    texts = references()
    good = noisy(texts, 0.2, 1)
    almost = ["zzz", *good[1:]]
    for name, hypotheses in (("bahdanau", good), ("same", good), ("almost", almost), ("bad", noisy(texts, 0.7, 2))):
        for seed in (1, 2):
            make_run(tmp_path, name, seed, hypotheses)
    rows = rows_of(tmp_path, "bahdanau")
    assert rows["bahdanau"].p is None
    assert rows["same"].p == 1.0
    assert rows["almost"].p == 1.0  # one exchange of one sentence: the difference cannot but repeat
    assert rows["bad"].p is not None
    assert rows["bad"].p <= 3 / 200  # three models were tested


def test_models_are_tested_seed_by_seed(tmp_path: Path) -> None:
    texts = references()
    ours = {seed: noisy(texts, 0.30, seed) for seed in (1, 2, 3)}
    theirs = {seed: noisy(texts, 0.38, 10 + seed) for seed in (4, 3, 2, 1)}
    for name, systems in (("bahdanau", ours), ("luong", theirs)):
        for seed, hypotheses in systems.items():
            make_run(tmp_path, name, seed, hypotheses)
    expected = []
    for seed in ours:
        systems = [("a", ours[seed]), ("b", theirs[seed])]
        _, results = PairedTest(systems, {"BLEU": BLEU(force=True)}, [texts], "ar", n_samples=200)()
        expected.append(results["BLEU"][1].p_value)
    assert rows_of(tmp_path, "bahdanau")["luong"].p == pytest.approx(median(expected))


@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=8, unique=True))
@settings(max_examples=50)
def test_holm_steps_down(values: list[float]) -> None:
    found = significance.holm({str(number): value for number, value in enumerate(values)})
    for level in (0.01, 0.05, 0.2):  # Holm 1979: reject in order until p exceeds level / (tests left)
        rejected: set[str] = set()
        for rank, number in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
            if values[number] > level / (len(values) - rank):
                break
            rejected.add(str(number))
        assert {number for number, p in found.items() if p <= level + 1e-12} == rejected


@pytest.mark.parametrize(
    ("bahdanau", "luong"),
    [
        ({1: 0.1}, {1: 0.5}),  # one seed
        ({1: 0.1}, {2: 0.5}),  # none in common
        ({1: 0.1, 2: 0.6}, {1: 0.6, 2: 0.1}),  # the seeds disagree
    ],
)
def test_where_two_models_cannot_be_tested_there_is_no_p(
    tmp_path: Path, bahdanau: dict[int, float], luong: dict[int, float]
) -> None:
    for name, shares in (("bahdanau", bahdanau), ("luong", luong)):
        for seed, share in shares.items():
            make_run(tmp_path, name, seed, noisy(references(), share, seed))
    names, body = tables.cells(list(rows_of(tmp_path, "bahdanau").values()))
    assert [line[names.index("p")] for line in body] == ["–", "–"]


def two_runs(folder: Path, first: dict[str, Any], second: dict[str, Any]) -> list[Path]:
    """Runs of two models, but for the changes."""
    plain = [{"name": name, "seed": 1, "hypotheses": references()} for name in ("bahdanau", "luong")]
    return [make_run(folder, **settings | change) for settings, change in zip(plain, (first, second), strict=True)]


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({}, {"expected": references(seed=9)}, "scored on different test sets, so .* name only runs of one corpus"),
        ({}, {"decode": DECODE | {"beam_size": 1}}, "different search settings"),
        ({}, {"decode": DECODE | {"max_length_extra": 11}}, "different search settings"),
        ({}, {"name": "bahdanau", "seed": 2, "batch_size": 80}, r"both named bahdanau but differ in train\.batch_size"),
        ({}, {"name": "bahdanau"}, "one model with one seed"),
    ],
)
def test_what_cannot_be_compared(tmp_path: Path, first: dict[str, Any], second: dict[str, Any], words: str) -> None:
    paths = two_runs(tmp_path, first, second)
    with pytest.raises(UserError, match=words) as caught:
        runs.check_comparable(load(tmp_path))
    assert all(str(path) in str(caught.value) for path in paths)


def test_batch_sizes_and_defaults_that_were_not_recorded_may_differ(tmp_path: Path) -> None:
    recorded = DECODE | {"batch_tokens": 1, "max_length_extra": 10}
    two_runs(tmp_path, {"batch_size": 64}, {"batch_size": 80, "decode": recorded})
    members = load(tmp_path)
    runs.check_comparable(members)
    assert "train.batch_size" in tables.legend(members, [], "luong", 100)[-1]


def test_alignment_error_rates_must_be_of_one_gold_file_and_of_the_best_checkpoint(tmp_path: Path) -> None:
    texts = references()
    first = make_run(tmp_path, "luong", 1, texts, aer=0.3)
    make_run(tmp_path, "bahdanau", 1, texts, aer=0.3, gold="other.align")
    assert_refused("against different links", rows_of, tmp_path, "luong")
    stale = read_record(first / "eval/alignment.json")
    stale["evaluated"]["checkpoint"] = "step-00000010"
    write_record(first / "eval/alignment.json", stale)
    with pytest.raises(UserError, match=r"another checkpoint than its best: run `\S+ evaluate\.py .* --alignments"):
        rows_of(tmp_path, "luong")


def test_unfinished_runs_are_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    make_run(tmp_path, "luong", 1, references())
    unfinished = make_run(tmp_path, "bahdanau", 1, references())
    (unfinished / "finished.json").unlink()
    unscored = make_run(tmp_path, "seq2seq", 1, references())
    (unscored / "eval/scores.json").unlink()
    with caplog.at_level(logging.WARNING):
        assert [member.name for member in load(tmp_path)] == ["luong"]
    assert f"{unfinished} is not finished" in caplog.text
    assert f"{unscored} has no scores" in caplog.text


def test_runs_are_found_once_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in range(11):
        (tmp_path / f"{number}_luong_seed1/eval").mkdir(parents=True)
        (tmp_path / f"{number}_luong_seed1/config.yaml").touch()
    numbers = [run.directory.name.partition("_")[0] for run in runs.find_runs([tmp_path, tmp_path / "3_luong_seed1"])]
    assert numbers == [str(number) for number in range(11)]
    assert_refused("No run in", runs.find_runs, [tmp_path / "3_luong_seed1/eval"])


def test_the_baseline(tmp_path: Path) -> None:
    make_run(tmp_path, "luong", 1, references())
    make_run(tmp_path, "seq2seq", 1, references())
    assert summary.choose_baseline(load(tmp_path), None) == "luong"
    make_run(tmp_path, "bahdanau", 1, references())
    assert summary.choose_baseline(load(tmp_path), None) == "bahdanau"
    assert summary.choose_baseline(load(tmp_path), "seq2seq") == "seq2seq"
    assert_refused("luong, seq2seq, bahdanau", summary.choose_baseline, load(tmp_path), "transformer")


def test_the_clock_stands_still_between_an_interruption_and_the_resumption(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path), purge_step=1) as writer:
        for step in (10, 20, 30):  # the run will go on from 20: what it did after that is lost
            writer.add_scalar("validation/bleu", step, step, walltime=time.time() + 10 * step)
    with SummaryWriter(str(tmp_path), purge_step=21) as writer:
        writer.add_scalar("validation/bleu", 99, 40, walltime=time.time() + 50)
    history = read_history(tmp_path)
    assert history.metrics["bleu"] == {10: 10.0, 20: 20.0, 40: 99.0}
    assert history.time_of(np.array([10, 20, 40])) == pytest.approx([100, 200, 250], abs=5)


@pytest.mark.slow
def test_real_runs_from_a_sweep(tmp_path: Path) -> None:
    sweep = tmp_path / "sweep"
    arguments = train_arguments(tmp_path, "model=luong,seq2seq", f"hydra.sweep.dir={sweep}")
    trained = succeeded(
        command("train.py", "-m", *(argument for argument in arguments if not argument.startswith("run_dir")))
    )
    found = sorted(path.parent for path in sweep.glob("*/finished.json"))
    assert [run.name for run in found] == ["0_anki_luong_seed1", "1_anki_seq2seq_seed1"]
    assert newest_finished(tmp_path).directory == found[1]
    assert not list(found[1].rglob("eval/heatmaps/*"))  # no attention, no picture
    drawing = translate(found[1], "--heatmap", str(tmp_path / "a.png"), "I see a cat.")
    assert_fails(drawing, "no attention to draw")
    assert trained.stderr.splitlines()[-1] == f"Compare the runs: {shell_command('scripts/compare.py', sweep)}"
    succeeded(evaluate(found[0], "--faithfulness"))
    done = succeeded(command("scripts/compare.py", str(sweep)))
    assert all(name in done.stdout for name in ("luong", "seq2seq", "not of seeds"))
    output = sweep / "comparison"
    assert {path.name for path in output.iterdir()} == {f"comparison.{kind}" for kind in ("html", "csv", "tex")}
    (measured,) = figures(content(output / "comparison.html"))["faithfulness"]["rows"]
    assert (measured[0], len(measured)) == ("luong", 5)
    with (output / "comparison.csv").open(encoding="utf-8", newline="") as file:
        table = {row["model"]: row for row in csv.DictReader(file)}
    assert set(table) == {"luong", "seq2seq"}
    assert float(table["luong"]["attention_entropy"]) > 0
    assert table["seq2seq"]["attention_entropy"] == ""
    assert_fails(command("scripts/compare.py", str(found[0])), "--output")
