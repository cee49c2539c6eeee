"""One process at a time trains in a run directory, and it notices when the directory is taken away."""

import errno
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nmt.lock import LOCK, RunLock, being_trained
from nmt.training.trainer import Trainer
from tests.commands import Finished, assert_fails, command, train_arguments, translate
from tests.conftest import ROOT, assert_refused

HOLDER = (
    "import sys, nmt.lock, pathlib\nwith nmt.lock.RunLock(pathlib.Path(sys.argv[1])):\n print(flush=True)\n input()"
)


@contextmanager
def trained_elsewhere(run: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that has the lock of this run."""
    arguments = [sys.executable, "-c", HOLDER, str(run)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"\n"
        yield holder
        holder.kill()


def content(folder: Path) -> dict[str, Any]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_a_kill_releases_a_run_and_until_then_nothing_touches_it(finished: Finished, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished[0], run)
    (run / "finished.json").unlink()
    assert_fails(translate(run, "hi"), "is not finished: go on with `", "train.py resume=")
    with trained_elsewhere(run) as holder:
        before = content(tmp_path)
        words = f"{run} is being trained by process {holder.pid}: "
        assert_fails(command("train.py", f"resume={run}", "train.max_steps=21"), words)
        assert_fails(command("train.py", *train_arguments(tmp_path)), words + "choose another run_dir")
        assert_fails(translate(run, "hi"), words + "wait until it ends")
        (tmp_path / "fra-eng.txt").unlink()  # which train_arguments wrote
        assert content(tmp_path) == before
        holder.send_signal(signal.SIGKILL)
    assert_fails(translate(run, "hi"), "is not finished: go on with")
    with RunLock(run):
        pass


def test_a_failed_start_leaves_no_directory(tmp_path: Path) -> None:
    arguments = train_arguments(tmp_path, "data.on_error=stop", f"run_dir={tmp_path / 'a/b/c'}")
    (tmp_path / "fra-eng.txt").write_text("one column\n")
    assert command("train.py", *arguments).returncode == 2
    assert not (tmp_path / "a").exists()


def test_where_there_are_no_locks_training_goes_on_with_a_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_locks(handle: int, kind: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with RunLock(tmp_path) as lock:
        lock.check()
        assert being_trained(tmp_path) is None
    assert f"{tmp_path} has no locks: nothing keeps a second process" in caplog.text


def test_a_process_of_another_machine_is_named_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunLock(tmp_path):
        assert being_trained(tmp_path) == f"{tmp_path} is being trained by process {os.getpid()}"
        monkeypatch.setattr(socket, "gethostname", lambda: "elsewhere")
        assert str(being_trained(tmp_path)).startswith(f"{tmp_path} is being trained by process {os.getpid()} on ")
        (tmp_path / LOCK).write_bytes(b"\xff")
        assert being_trained(tmp_path) == f"{tmp_path} is being trained by another process"


def test_the_lock_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / LOCK).symlink_to(tmp_path / "created")
    assert_refused("cannot be written", RunLock(tmp_path / "run").__enter__)
    assert not (tmp_path / "created").exists()


def test_a_place_that_cannot_be_written_is_named_before_any_work(tmp_path: Path) -> None:
    arguments = train_arguments(tmp_path)
    (tmp_path / "file").touch()
    done = command("train.py", *arguments, f"run_dir={tmp_path / 'file/run'}")
    assert_fails(done, f"{tmp_path / 'file/run'} cannot be written (Not a directory)", "run_dir=DIR")
    assert sorted(os.listdir(tmp_path)) == ["file", "fra-eng.txt"]  # nothing was prepared


def without_privileges(name: str, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a user whom file modes restrain, root included."""
    lost = "-dac_override,-dac_read_search,-fowner"
    prefix = ["setpriv", f"--inh-caps={lost}", f"--bounding-set={lost}"] if os.geteuid() == 0 else []
    return subprocess.run(
        [*prefix, sys.executable, str(ROOT / name), *arguments],
        env=os.environ | {"HOME": str(home), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may write everywhere")
def test_a_run_of_somebody_else_can_be_read_but_not_trained(finished: Finished, tmp_path: Path) -> None:
    theirs, run = tmp_path / "theirs", tmp_path / "theirs/run"
    shutil.copytree(finished[0], run)
    (run / "eval/scores.json").unlink()
    for path in (theirs, *theirs.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        before = content(theirs)
        picture = tmp_path / "mine.png"
        done = without_privileges("translate.py", "--run", str(run), "--heatmap", str(picture), "I see it.", home=run)
        assert (done.returncode, len(done.stdout.splitlines())) == (0, 1), done.stderr
        assert picture.exists()
        assert "atplotlib" not in done.stderr
        done = without_privileges("evaluate.py", "--run", str(run), home=run)
        assert (done.returncode, "BLEU" in done.stdout) == (0, True), done.stderr
        assert "Name a directory with --output" in done.stderr
        done = without_privileges("train.py", f"resume={run}", home=run)
        assert_fails(done, f"{run} cannot be written (Permission denied)")
        done = without_privileges("train.py", *train_arguments(tmp_path, f"run_dir={theirs / 'mine'}"), home=run)
        assert_fails(done, f"{theirs / 'mine'} cannot be written (Permission denied)", "run_dir=DIR")
        assert content(theirs) == before
    finally:
        for path in (theirs, *theirs.rglob("*")):
            path.chmod(path.stat().st_mode | 0o200)


def replaced(run: Path) -> None:
    shutil.rmtree(run)
    run.mkdir()
    (run / "mine").write_text("mine")


@pytest.mark.parametrize("take_away", [shutil.rmtree, replaced, lambda run: run.rename(run.with_name("moved"))])
def test_a_run_directory_that_is_taken_away_is_missed_at_the_next_save(
    finished: Finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, take_away: Callable[[Path], None]
) -> None:
    run, updates = tmp_path / "run", []
    update = Trainer._update

    def update_and_take_away(trainer: Trainer) -> None:
        update(trainer)
        updates.append(trainer.state.step)
        if trainer.state.step == 3:
            take_away(run)

    monkeypatch.setattr(Trainer, "_update", update_and_take_away)
    arguments = train_arguments(finished[0].parent, f"run_dir={run}", "model=seq2seq", "train.save_every=2")
    assert_fails(command("train.py", *arguments), f"{run} was deleted, moved or replaced during training: ")
    assert updates == [1, 2, 3, 4]
    assert not run.exists() or os.listdir(run) == ["mine"]
