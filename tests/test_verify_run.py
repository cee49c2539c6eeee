"""verify_run.py says of every part of a run whether it is as it was written."""

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


def failures(run: Path) -> list[str]:
    """The lines of what failed; the one line of stderr names them all."""
    done = command(SCRIPT, str(run))
    assert done.returncode == 2, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("error: ")
    assert all(line.split()[1].rstrip(":") in sentence for line in lines)
    return lines


def test_an_intact_run(run: Path) -> None:
    done = command(SCRIPT, str(run))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert all(line.startswith("ok ") for line in lines)
    steps = [f"checkpoints/{path.name}" for path in sorted((run / "checkpoints").iterdir())]
    expected = ["settings", "SHA256SUMS", *steps, "portable.nmt", "finished.json", "eval/scores.json"]
    assert [line.split()[1].rstrip(":") for line in lines] == expected
    assert "scored again: BLEU" in done.stdout
    (run / "finished.json").unlink()
    assert "not finished" in succeeded(command(SCRIPT, str(run))).stdout.splitlines()[-1]


def test_every_failure_is_a_line(run: Path) -> None:
    for name in ("config.yaml", "eval/translations.tsv", "word_counts.tsv"):
        content = bytearray((run / name).read_bytes())
        content[len(content) // 2] ^= 1
        (run / name).write_bytes(content)
    lines = failures(run)
    assert [line.split()[1] for line in lines] == ["settings:", "SHA256SUMS:", "finished.json:", "eval/scores.json:"]
    assert "config.yaml is damaged" in lines[0]
    assert "translations.tsv is damaged" in lines[3]


def test_an_altered_report_is_a_failure(run: Path) -> None:
    with (run / "eval/report.html").open("ab") as file:
        file.write(b"\n")
    (line,) = failures(run)
    assert "report.html is damaged" in line


def test_scores_that_were_made_up_are_failures(run: Path) -> None:
    succeeded(evaluate(run, "--lc-tok"))
    scores, _ = read_evaluation(run / "eval")
    for name in ("bleu", "lc_tok"):
        made_up = scores[name] | {"value": scores[name]["value"] + 1}
        write_record(run / "eval/scores.json", scores | {name: made_up})
        (line,) = failures(run)
        assert f"has {name}" in line
        assert "scored again" in line


def test_no_run_at_all(tmp_path: Path) -> None:
    assert_fails(command(SCRIPT, str(tmp_path)), "not a run directory")
    assert_fails(command(SCRIPT, str(tmp_path / "none")), "does not exist")
    assert "python scripts/verify_run.py outputs/RUN" in command(SCRIPT, "--help").stdout
