"""torchrun … train.py: one run directory, the weights of one process, and what happens when a process is lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from safetensors.torch import load_file

from nmt.launch import Launch
from nmt.shell import resume_command
from tests.commands import assert_fails, command, succeeded, train_arguments
from tests.conftest import ROOT

WITHOUT_DROPOUT = [f"model.{kind}_dropout=0" for kind in ("embedding", "state", "readout")]
LAST = "checkpoints/step-00000050/model.safetensors"


def start_two(*arguments: str, restarts: int = 0) -> subprocess.Popen[str]:
    """The command on two processes that meet at a port which is free."""
    options = ["--nproc-per-node=2", f"--max-restarts={restarts}", "--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0"]
    return subprocess.Popen(
        [sys.executable, "-m", "torch.distributed.run", *options, str(ROOT / "train.py"), *arguments],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ranks_of(agent: subprocess.Popen[str]) -> dict[int, int]:
    """Process numbers of the ranks that torchrun has started."""
    found = {}
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((directory / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == agent.pid:
                variables = (directory / "environ").read_bytes().split(b"\0")
                found[next(int(entry[5:]) for entry in variables if entry.startswith(b"RANK="))] = int(directory.name)
        except (OSError, StopIteration):  # it has gone, or is not a rank
            continue
    return found


def wait_for(path: Path, agent: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < deadline
        assert agent.poll() is None, agent.communicate()[1]
        time.sleep(0.02)


@pytest.mark.slow
def test_two_processes_train_the_model_of_one(tmp_path: Path) -> None:
    steps = ["optimizer=sgd", "train.max_steps=20", *WITHOUT_DROPOUT]
    steps.append("model.decoder.readout=tanh")  # maxout has kinks, where rounding may choose the side
    succeeded(command("train.py", *train_arguments(tmp_path, *steps, f"run_dir={tmp_path / 'one'}")))
    two = start_two(*train_arguments(tmp_path, *steps, f"run_dir={tmp_path / 'two'}"))
    output, notices = two.communicate(timeout=240)
    assert two.returncode == 0, notices
    a, b = (load_file(tmp_path / run / "checkpoints/step-00000020/model.safetensors") for run in ("one", "two"))
    assert max(float((a[name] - b[name]).abs().max()) for name in a) < 1e-5
    # All ranks translated; the merged translations are in order, and one process wrote them and spoke.
    translations = [(tmp_path / run / "eval/translations.tsv").read_text() for run in ("one", "two")]
    assert [row.split("\t")[:2] for row in translations[0].splitlines()] == [
        row.split("\t")[:2] for row in translations[1].splitlines()
    ]
    assert (notices.count("step 20 · validation"), output.count("test.tsv")) == (1, 1)
    assert len(list((tmp_path / "two/tensorboard").iterdir())) == 1
    assert yaml.safe_load((tmp_path / "two/config.yaml").read_text())["provenance"]["processes"] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fra-eng.txt", "one", "prepared", "two"]


@pytest.mark.slow
def test_a_lost_process_ends_all_and_a_restart_goes_on(tmp_path: Path) -> None:
    """To the same bytes: dropout goes on with each rank's own RNG."""
    steps = ["train.max_steps=50", "train.validate_every=20", "train.save_every=5"]
    arguments = train_arguments(tmp_path, *steps, f"run_dir={tmp_path / 'run'}")
    agent = start_two(*arguments, restarts=1)
    wait_for(tmp_path / "run/checkpoints/step-00000010", agent)
    os.kill(ranks_of(agent)[1], signal.SIGKILL)
    _, notices = agent.communicate(timeout=240)
    assert agent.returncode == 0, notices
    (lost,) = (line for line in notices.splitlines() if line.startswith("error: Another process of this training was"))
    assert resume_command(tmp_path / "run") in lost
    assert "Resuming after update" in notices
    assert (tmp_path / "run" / LAST).exists()
    whole = start_two(*train_arguments(tmp_path, *steps, f"run_dir={tmp_path / 'whole'}"))
    _, notices = whole.communicate(timeout=240)
    assert whole.returncode == 0, notices
    assert (tmp_path / "run" / LAST).read_bytes() == (tmp_path / "whole" / LAST).read_bytes()


@pytest.mark.slow
def test_a_signal_to_torchrun_saves_and_fewer_processes_go_on(tmp_path: Path) -> None:
    arguments = train_arguments(tmp_path, "train.max_steps=5000", "train.validate_every=20", "train.save_every=5")
    agent = start_two(*arguments)
    wait_for(tmp_path / "run/checkpoints/step-00000010", agent)
    agent.send_signal(signal.SIGTERM)
    _, notices = agent.communicate(timeout=120)
    assert "SIGTERM: stopped and saved" in notices
    succeeded(command("train.py", f"resume={tmp_path / 'run'}", "train.max_steps=300", "train.validate_every=300"))


def test_what_torchrun_cannot_do_is_said_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert Launch.from_environment().size == 2
    sweep = command("train.py", "-m", f"hydra.sweep.dir={tmp_path}", "seed=1,2")
    assert_fails(sweep, "Not every run of the sweep")
    assert sweep.stderr.count("error: torchrun trains one model on several processes: leave out -m") == 2
    monkeypatch.setenv("TORCHELASTIC_MAX_RESTARTS", "3")
    assert_fails(command("train.py"), "--max-restarts", "add run_dir=outputs/NAME")


def test_a_restart_does_not_go_on_with_somebody_elses_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    succeeded(command("train.py", *train_arguments(tmp_path, "train.max_steps=2")))
    for name, value in (("RANK", 0), ("WORLD_SIZE", 1), ("TORCHELASTIC_RESTART_COUNT", 1)):
        monkeypatch.setenv(name, str(value))
    assert_fails(command("train.py", *train_arguments(tmp_path, "seed=7")), "other settings", "another run_dir")
    assert (tmp_path / "run/finished.json").exists()
