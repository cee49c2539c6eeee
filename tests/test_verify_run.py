"""verify_run.py says of every part of a run whether it is as it was written."""

import re
import shutil
from pathlib import Path

import pytest

from nmt.evaluation.score_report import read_evaluation
from nmt.files import write_record
from tests.commands import Finished, assert_fails, command, evaluate, succeeded

SCRIPT = "scripts/verify_run.py"


@pytest.fixture
def run(finished: Finished, tmp_path: Path) -> Path:
    shutil.copytree(finished[0], tmp_path / "run")
    return tmp_path / "run"


def failures(run: Path, *words: str) -> list[str]:
    """The lines of what failed; the last line of stderr names them all."""
    done = command(SCRIPT, str(run))
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("error: ")
    for word in words:
        assert word in sentence
    return lines


def test_an_intact_run(run: Path) -> None:
    done = command(SCRIPT, str(run))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert all(line.startswith("ok ") for line in lines)
    names = [line.split()[1].rstrip(":") for line in lines]
    steps = [f"checkpoints/{path.name}" for path in sorted((run / "checkpoints").iterdir())]
    records = ["finished.json", "guessing.json", "word_counts.tsv", "portable.nmt", "eval/scores.json"]
    assert names[:-1] == ["settings", *steps, *records]
    assert names[-1].startswith("tensorboard/events.out")
    assert "scored again: BLEU" in done.stdout


def test_every_failure_is_a_line(run: Path) -> None:
    events = next((run / "tensorboard").iterdir())
    for name in ("config.yaml", f"tensorboard/{events.name}", "eval/translations.tsv"):
        content = bytearray((run / name).read_bytes())
        content[len(content) // 2] ^= 1
        (run / name).write_bytes(content)
    lines = failures(run, "settings", "eval/scores.json", "tensorboard/")
    assert len(lines) == 3  # the checkpoints are as they were
    assert "config.yaml is damaged" in lines[0]
    assert "translations.tsv is damaged" in lines[1]


@pytest.mark.parametrize(
    ("name", "check"), [("eval/report.html", "eval/scores.json"), ("word_counts.tsv", "word_counts.tsv")]
)
def test_an_altered_report_or_its_counts_are_found(run: Path, name: str, check: str) -> None:
    with (run / name).open("ab") as file:
        file.write(b"\n")
    (line,) = failures(run, check)
    assert f"{name} is damaged" in line


def test_scores_that_were_made_up_are_found(run: Path) -> None:
    scores, _ = read_evaluation(run / "eval")
    scores["bleu"]["signature"] = re.sub(r"version:.*", "version:2.0.0", scores["bleu"]["signature"])
    write_record(run / "eval/scores.json", scores)
    succeeded(command(SCRIPT, str(run)))  # another version of sacreBLEU found the same
    for change in ({"signature": "case:lc"}, {"value": scores["bleu"]["value"] + 1}):
        write_record(run / "eval/scores.json", scores | {"bleu": scores["bleu"] | change})
        (line,) = failures(run, "eval/scores.json")
        assert "scored again" in line


def test_scores_on_request_are_compared_where_there_are_some(run: Path) -> None:
    succeeded(evaluate(run, "--lc-tok"))
    done = command(SCRIPT, str(run))
    assert done.returncode == 0, done.stdout
    scores, _ = read_evaluation(run / "eval")
    scores["lc_tok"]["value"] += 1
    write_record(run / "eval/scores.json", scores)
    (line,) = failures(run, "eval/scores.json")
    assert "has lc_tok" in line


def test_an_unfinished_run_with_a_torn_last_event(run: Path) -> None:
    (run / "finished.json").unlink()
    events = next((run / "tensorboard").iterdir())
    events.write_bytes(events.read_bytes()[:-3])
    done = succeeded(command(SCRIPT, str(run)))
    assert "cut short" in done.stdout
    assert "not finished" in done.stdout.splitlines()[-1]


def test_no_run_at_all(tmp_path: Path) -> None:
    assert_fails(command(SCRIPT, str(tmp_path)), "not a run directory")
    assert_fails(command(SCRIPT, str(tmp_path / "none")), "does not exist")
    assert "python scripts/verify_run.py outputs/RUN" in command(SCRIPT, "--help").stdout
