"""The directory of one trial, and the `python train.py` process that works in it."""

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # train.py of this checkout, wherever an installed nmt comes from
_RESUME = re.compile(r" train\.py (resume=[\w./-]+)")
MAX_STEPS, VALIDATE_EVERY = 48, 6
TIMEOUT = 180.0  # seconds after which a process counts as hanging; nothing in this run takes nearly as long
# Dropout and scheduled sampling draw random numbers; saves fall inside log intervals and inside epochs; every
# validation follows a log line, so that the log tells when one is under way.
SETTINGS = f"""experiment=smoke data=anki device=cpu threads=1 train.batch_size=16 train.accumulate=2
train.max_steps={MAX_STEPS} train.log_every=3 train.save_every=2 train.validate_every={VALIDATE_EVERY}
train.patience=6 train.teacher_forcing=0.8 train.teacher_forcing_end=0.6""".split()


class Workspace:
    """A directory with a corpus, prepared corpus, run and the stderr of each process; one process at a time.

    Args:
        folder: The directory; it is created.
        more: Settings besides the usual ones.
        disk: Where the run and the prepared corpus are; `folder` itself if not given.
        life: Seconds that an undisturbed process takes.
    """

    popen: subprocess.Popen[bytes]
    stderr: Path

    def __init__(self, folder: Path, more: Sequence[str] = (), disk: Path | None = None, life: float = 12.0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.disk, self.life = folder, disk or folder, life
        self.prepared, self.run = self.disk / "prepared", self.disk / "run"
        self.checkpoints, self.finished = self.run / "checkpoints", self.run / "finished.json"
        corpus = folder / "fra-eng.txt"
        demo = (ROOT / "data/demo/eng-fra.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
        corpus.write_text("".join(demo[:3000:10]), encoding="utf-8")
        places = f"data.path={corpus}", f"data.prepared_dir={self.prepared}", f"run_dir={self.run}"
        self.arguments = [*SETTINGS, *places, *more]  # of the next process
        self.processes = 0

    def begun(self) -> bool:
        """Whether there is a run to resume; its directory is made and locked before that."""
        return (self.run / "config.yaml").exists()

    def steps(self) -> list[int]:
        """Steps that have a checkpoint, ascending."""
        return sorted(int(path.name[5:]) for path in self.checkpoints.glob("step-*"))

    @contextmanager
    def process(self) -> Iterator[None]:
        """Start the next process; the end of the `with` block kills it."""
        self.processes += 1
        self.stderr = self.folder / f"process-{self.processes:03d}.stderr"
        with self.stderr.open("wb") as errors:
            self.popen = subprocess.Popen(
                [sys.executable, "train.py", *self.arguments],
                cwd=ROOT,
                env=os.environ | {"OMP_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,  # Ctrl-C in the terminal stops the chaos tool only
            )
        try:
            yield
        finally:
            self.popen.kill()
            self.popen.wait()

    def follow(self) -> bool:
        """Use the resume command that was printed for the next process; False if there is no new one."""
        command = resume_command(self.printed())
        if command is None or command == self.arguments:
            return False
        self.arguments = command
        return True

    def printed(self) -> str:
        """The stderr of the process so far."""
        return self.stderr.read_text(encoding="utf-8", errors="replace")

    def sleep(self, seconds: float) -> bool:
        """Wait for this long; False if the process ended meanwhile."""
        try:
            self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return True
        return False

    def wait(self) -> int | None:
        """Wait for the end of the process and return its exit code, None if it hangs."""
        self.sleep(TIMEOUT)
        return self.popen.returncode

    def until(self, condition: Callable[[], bool]) -> bool:
        """Poll until the condition holds; False if the process ended before."""
        awake = False
        while self.popen.poll() is None:
            awake = awake or self.stderr.stat().st_size > 0  # nothing to see before the first output
            if awake and condition():
                return True
            time.sleep(0.0005 if awake else 0.02)
        return False


def resume_command(printed: str) -> list[str] | None:
    """Arguments of the last `python train.py resume=…` that was printed."""
    found = _RESUME.findall(printed)
    return shlex.split(found[-1].rstrip(".")) if found else None
