"""The tormentor of training (`make chaos`): a kill and a full disk for real, and its own judgement."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from torment.command import Place, named_command
from torment.disks import can_mount, fill_up, spoil
from torment.moments import doing, temporary
from torment.strikes import Strike, Trial, complaints, finish
from torment.undisturbed import Reference, run_undisturbed
from torment.verdict import differences, leftovers, sentence, traces

from nmt.training.events import EventFile
from tests.conftest import ROOT

SHORT = ("train.max_steps=8", "train.validate_every=6")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Reference]:
    folder = tmp_path_factory.mktemp("undisturbed")
    return folder, run_undisturbed(folder, *SHORT)


def test_a_kill_while_saving_loses_nothing(undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    place, trial = Place(tmp_path, SHORT), Trial(tmp_path)
    with place.start() as attempt:
        assert attempt.until(lambda: bool(place.steps()) and temporary(place.checkpoints)), attempt.printed()
        attempt.process.kill()
        attempt.wait()
        assert doing(attempt, 0) == "saving"
        place.follow(attempt.printed())
    for _ in range(2):  # the second command may be the one that the error of the first names
        with place.start() as attempt:
            if finish(place, attempt, trial):
                break
    assert trial.ended, trial.problems
    assert not trial.problems
    assert differences(place.run, undisturbed[1].outcome) == []
    assert leftovers(place) == []


@pytest.mark.slow
def test_a_full_disk_is_one_sentence_and_loses_nothing(undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    if not can_mount(tmp_path / "try"):
        pytest.skip("no right to mount a file system")
    trial = spoil(
        tmp_path,
        undisturbed[1],
        Random(1),
        lambda attempt, _: attempt.until(lambda: bool(attempt.place.steps())),
        lambda place: fill_up(place, room=200_000),  # enough for the log, too little for a checkpoint
    )
    assert trial.problems == []
    assert trial.ended
    assert "run/checkpoints" in trial.error
    assert "No space left on device" in trial.error


def copy_of(undisturbed: tuple[Path, Reference], tmp_path: Path) -> tuple[Place, dict]:
    folder, reference = undisturbed
    shutil.copytree(folder, tmp_path / "copy")
    place = Place(tmp_path / "copy")
    assert differences(place.run, reference.outcome) == []
    assert leftovers(place) == []
    return place, reference.outcome


@pytest.mark.parametrize("name", ["model.safetensors", "training.safetensors"])
def test_one_other_byte_is_noticed(name: str, undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    place, outcome = copy_of(undisturbed, tmp_path)
    file = place.checkpoints / f"step-{place.steps()[-1]:08d}" / name
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    assert f"{name} of the last checkpoint differs" in differences(place.run, outcome)
    assert any(name in problem for problem in leftovers(place))  # its checksum is wrong as well


def test_other_numbers_are_noticed_and_other_times_are_not(undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    place, outcome = copy_of(undisturbed, tmp_path)
    file = place.checkpoints / f"step-{place.steps()[-1]:08d}" / "training.json"
    numbers = json.loads(file.read_text())
    numbers["state"]["seconds"] += 1
    file.write_text(json.dumps(numbers))
    assert differences(place.run, outcome) == []
    numbers["state"]["tokens"] += 1
    file.write_text(json.dumps(numbers))
    assert "training.json of the last checkpoint differs" in differences(place.run, outcome)


def test_curves_with_gaps_are_noticed(undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    place, outcome = copy_of(undisturbed, tmp_path)
    EventFile(place.run / "tensorboard", first_step=7).close()  # voids what is there from update 7 on
    found = differences(place.run, outcome)
    assert "TensorBoard's train/loss differs" in found
    assert "TensorBoard's test/bleu differs" not in found


@pytest.mark.parametrize(
    "name", ["prepared/.a.lock", ".run.tmp-1a", "run/.finished.json.tmp-1a", "run/checkpoints/.step-00000002.tmp-1a"]
)
def test_a_leftover_is_noticed(name: str, undisturbed: tuple[Path, Reference], tmp_path: Path) -> None:
    place, _ = copy_of(undisturbed, tmp_path)
    (place.disk / name).touch()
    assert leftovers(place) == [f"{name} is left over"]


def test_what_a_user_should_not_see_is_noticed(tmp_path: Path) -> None:
    assert traces("step 3 · loss 5.1\nerror: /disk/run: full.") == []
    assert traces("Exception in thread Thread-1:\nTraceback (most recent call last):\n") != []
    assert traces("--- Logging error ---") != []
    assert sentence(f"step 3\nerror: {tmp_path}/run: full.\n", tmp_path) == []
    assert "name the place" in sentence("error: The system: full.\n", tmp_path)[0]
    assert sentence("", tmp_path) != []


def test_the_end_after_a_signal_is_judged() -> None:
    def verdict(number: int, code: int | None, printed: str) -> list[str]:
        return complaints(Strike(number, "training", code, 0.1), printed)

    assert verdict(signal.SIGTERM, 143, "SIGTERM: stopped and saved.") == []
    assert verdict(signal.SIGINT, 130, "") == []
    assert verdict(signal.SIGTERM, -15, "") == []  # while Python was starting
    assert verdict(signal.SIGTERM, -15, "Preparing …") != []
    assert verdict(signal.SIGINT, -2, 'File "/python/site.py"\nKeyboardInterrupt') == []
    assert verdict(signal.SIGINT, -2, 'Traceback …\nFile "train.py"\nKeyboardInterrupt') != []
    assert verdict(signal.SIGINT, 130, "Traceback …") != []
    assert verdict(signal.SIGTERM, 1, "") != []
    assert verdict(signal.SIGTERM, None, "") != []


def test_the_command_to_go_on_with_is_found() -> None:
    assert named_command("Preparing …") is None
    assert named_command("If interrupted, go on with: python train.py resume=/a/run\nstep 3") == ["resume=/a/run"]
    assert named_command("error: /a is … the run in it (python train.py resume=/a).") == ["resume=/a"]


@pytest.mark.slow
def test_a_little_chaos() -> None:
    command = [sys.executable, "scripts/chaos.py", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
