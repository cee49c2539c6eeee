"""The chaos tool (`make chaos`): one real kill, one real full disk, and tests of its own checks."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.training.events import EventFile
from tests.chaos.checks import differences, error_problems, leftovers, traces
from tests.chaos.disks import can_mount, disk_trial, fill_disk
from tests.chaos.moments import temporary
from tests.chaos.process import Workspace, resume_command
from tests.chaos.reference import Reference, run_reference
from tests.chaos.trials import Sent, Trial, complete, exit_problems, send
from tests.conftest import ROOT

SHORT = ("train.max_steps=8", "train.validate_every=6")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Reference]:
    folder = tmp_path_factory.mktemp("undisturbed")
    return folder, run_reference(folder, *SHORT)


def test_a_kill_while_saving_loses_nothing(undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    work, trial = Workspace(tmp_path, SHORT), Trial(tmp_path)
    with work.process():
        assert work.until(lambda: bool(work.steps()) and temporary(work.checkpoints)), work.printed()
        assert send(work, signal.SIGKILL).doing == "saving"
        work.follow()
    complete(work, trial, undisturbed[1])
    assert trial.ended, trial.problems
    assert not trial.problems
    assert trial.equal


@pytest.mark.slow
def test_a_full_disk_is_one_sentence_and_loses_nothing(undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    if not can_mount(tmp_path / "try"):
        pytest.skip("no right to mount a file system")
    trial = disk_trial(
        tmp_path,
        undisturbed[1],
        lambda work: work.until(lambda: bool(work.steps())),
        lambda work: fill_disk(work, room=200_000),  # enough for the log, too little for a checkpoint
    )
    assert trial.problems == []
    assert trial.ended
    assert "run/checkpoints" in trial.error
    assert "No space left on device" in trial.error


def copy_of(undisturbed: tuple[Path, Reference], tmp_path: Path) -> tuple[Workspace, dict]:
    folder, reference = undisturbed
    shutil.copytree(folder, tmp_path / "copy")
    work = Workspace(tmp_path / "copy")
    assert differences(work.run, reference.outcome) == []
    assert leftovers(work) == []
    return work, reference.outcome


@pytest.mark.parametrize("name", ["model.safetensors", "training.safetensors"])
def test_one_other_byte_is_noticed(name: str, undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    work, outcome = copy_of(undisturbed, tmp_path)
    file = work.checkpoints / f"step-{work.steps()[-1]:08d}" / name
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    assert f"{name} of the last checkpoint differs" in differences(work.run, outcome)
    assert any(name in problem for problem in leftovers(work))  # its checksum is wrong as well


def test_other_numbers_are_noticed_and_other_times_are_not(undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    work, outcome = copy_of(undisturbed, tmp_path)
    file = work.checkpoints / f"step-{work.steps()[-1]:08d}" / "training.json"
    numbers = json.loads(file.read_text())
    numbers["state"]["seconds"] += 1
    file.write_text(json.dumps(numbers))
    assert differences(work.run, outcome) == []
    numbers["state"]["tokens"] += 1
    file.write_text(json.dumps(numbers))
    assert "training.json of the last checkpoint differs" in differences(work.run, outcome)


def test_curves_with_gaps_are_noticed(undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    work, outcome = copy_of(undisturbed, tmp_path)
    EventFile(work.run / "tensorboard", first_step=7).close()  # voids what is there from update 7 on
    found = differences(work.run, outcome)
    assert "TensorBoard's train/loss differs" in found
    assert "TensorBoard's test/bleu differs" not in found


@pytest.mark.parametrize(
    "name", ["prepared/.a.lock", ".run.tmp-1a", "run/.finished.json.tmp-1a", "run/checkpoints/.step-00000002.tmp-1a"]
)
def test_a_leftover_is_noticed(name: str, undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    work, _ = copy_of(undisturbed, tmp_path)
    (work.disk / name).touch()
    assert leftovers(work) == [f"{name} is left over"]


def test_what_a_user_should_not_see_is_noticed(tmp_path: Path) -> None:
    assert traces("step 3 · loss 5.1\nerror: /disk/run: full.") == []
    assert traces("Exception in thread Thread-1:\nTraceback (most recent call last):\n") != []
    assert traces("--- Logging error ---") != []
    assert error_problems(f"step 3\nerror: {tmp_path}/run: full.\n", tmp_path) == []
    assert "name the file" in error_problems("error: The system: full.\n", tmp_path)[0]
    assert error_problems("", tmp_path) != []


def test_the_end_after_a_signal_is_judged() -> None:
    def problems(number: int, code: int | None, printed: str) -> list[str]:
        return exit_problems(Sent(number, "training", code, 0.1), printed)

    assert problems(signal.SIGTERM, 143, "SIGTERM: stopped and saved.") == []
    assert problems(signal.SIGINT, 130, "") == []
    assert problems(signal.SIGTERM, -15, "") == []  # while Python was starting
    assert problems(signal.SIGTERM, -15, "Preparing …") != []
    assert problems(signal.SIGINT, -2, 'File "/python/site.py"\nKeyboardInterrupt') == []
    assert problems(signal.SIGINT, -2, 'Traceback …\nFile "train.py"\nKeyboardInterrupt') != []
    assert problems(signal.SIGINT, 130, "Traceback …") != []
    assert problems(signal.SIGTERM, 1, "") != []
    assert problems(signal.SIGTERM, None, "") != []


def test_the_command_to_go_on_with_is_found() -> None:
    assert resume_command("Preparing …") is None
    assert resume_command("If interrupted, go on with: python train.py resume=/a/run\nstep 3") == ["resume=/a/run"]
    assert resume_command("error: /a is … the run in it: `python train.py resume=/a`.") == ["resume=/a"]


@pytest.mark.slow
def test_a_little_chaos() -> None:
    command = [sys.executable, "-m", "tests.chaos", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
