"""The command that is tormented: a run of seconds that has everything a real one has, in real processes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[2]  # the command of this tree, wherever an installed nmt is from
_NAMED = re.compile(r"python train\.py (resume=[\w./-]+)")
# Dropout and scheduled sampling draw random numbers; saves fall inside log intervals and inside epochs; every
# validation follows a log line, so that the log tells when one is under way.
MAX_STEPS, VALIDATE_EVERY = 48, 6
HANGING = 180.0  # seconds: nothing that a process of this run does takes so long, even where others keep it waiting
SETTINGS = (
    "experiment=smoke",
    "data=anki",
    "device=cpu",
    "threads=1",
    "train.batch_size=16",
    "train.accumulate=2",
    f"train.max_steps={MAX_STEPS}",
    "train.log_every=3",
    "train.save_every=2",
    f"train.validate_every={VALIDATE_EVERY}",
    "train.patience=6",
    "train.teacher_forcing=0.8",
    "train.teacher_forcing_end=0.6",
)
_PEOPLE = [("I", "je"), ("you", "tu"), ("we", "nous"), ("they", "elles")]
_VERBS = [("see", "vois"), ("hear", "entends"), ("like", "aime"), ("want", "veux"), ("know", "sais")]
_THINGS = [("a cat", "un chat"), ("a dog", "un chien"), ("the sea", "la mer"), ("tea", "du thé"), ("it", "ça")]
_ENDS = [(".", "."), ("!", " !"), ("?", " ?")]


def write_corpus(path: Path) -> None:
    """Three hundred pairs, which a small model learns something of in seconds."""
    lines = [
        f"{who} {verb} {thing}{end}\t{qui} {verbe} {chose}{fin}\n"
        for who, qui in _PEOPLE
        for verb, verbe in _VERBS
        for thing, chose in _THINGS
        for end, fin in _ENDS
    ]
    path.write_text("".join(lines), encoding="utf-8")


class Place:
    """A folder of its own for one trial: corpus, prepared corpus, run, and what each attempt printed."""

    def __init__(self, folder: Path, more: Sequence[str] = (), disk: Path | None = None, life: float = 12.0) -> None:
        """Make it.

        Args:
            folder: Where it is.
            more: Settings besides the usual ones.
            disk: Where run and prepared corpus are, a folder that may become full; `folder` itself if not given.
            life: Seconds that a process which does everything is expected to live.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.disk = folder, disk or folder
        self.corpus = folder / "fra-eng.txt"
        write_corpus(self.corpus)
        self.prepared = self.disk / "prepared"
        self.run = self.disk / "run"
        self.checkpoints = self.run / "checkpoints"
        self.log = self.run / "train.log"
        self.finished = self.run / "finished.json"
        self.life = life
        self.attempts = 0
        self.arguments = [
            *SETTINGS,
            f"data.path={self.corpus}",
            f"data.prepared_dir={self.prepared}",
            f"run_dir={self.run}",
            *more,
        ]  # of the next command

    def steps(self) -> list[int]:
        """Updates that have a checkpoint, oldest first."""
        return sorted(int(path.name[5:]) for path in self.checkpoints.glob("step-*"))

    def start(self) -> Attempt:
        """Type the next command."""
        self.attempts += 1
        return Attempt(self)

    def follow(self, printed: str) -> bool:
        """Let the next command be the one that was printed, as a user would; tells whether that is another one."""
        named = named_command(printed)
        if named is None or named == self.arguments:
            return False
        self.arguments = named
        return True


def named_command(printed: str) -> list[str] | None:
    """Arguments of the last `python train.py resume=…` in what was printed."""
    found = _NAMED.findall(printed)
    return shlex.split(found[-1].rstrip(".")) if found else None


class Attempt:
    """One process of `train.py`; killed when its `with` is left."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.stderr = place.folder / f"attempt-{place.attempts:03d}.stderr"
        with self.stderr.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "train.py", *place.arguments],
                cwd=ROOT,
                env=os.environ | {"OMP_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,  # Ctrl-C is for the tormentor alone
            )
        self.began = time.perf_counter()

    def __enter__(self) -> Attempt:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()

    def printed(self) -> str:
        """What it wrote to stderr so far."""
        return self.stderr.read_text(encoding="utf-8", errors="replace")

    def wait(self) -> int | None:
        """Its exit code, after its end; None if it seems to hang."""
        self.sleep(HANGING)
        return self.process.returncode

    def sleep(self, seconds: float) -> bool:
        """Let it live on for a while; False if it ended meanwhile."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return True
        return False

    def until(self, condition: Callable[[], bool]) -> bool:
        """Watch it until something is so; False if it ended before."""
        awake = False
        while self.process.poll() is None:
            awake = awake or self.stderr.stat().st_size > 0  # before the first word there is nothing to see
            if awake and condition():
                return True
            time.sleep(0.0005 if awake else 0.02)
        return False
