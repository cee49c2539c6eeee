"""The undisturbed run: the bytes that all others must end with, and how long its parts take."""

import re
import time
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from .checks import leftovers, outcome, traces
from .moments import temporary
from .process import Workspace

_REPORT = re.compile(r"^(\S+ \S+) INFO epoch .* step (\d+) · loss", re.M)


@dataclass(frozen=True)
class Reference:
    """A finished run and its times, in seconds."""

    more: tuple[str, ...]  # settings besides the usual ones
    outcome: dict[str, Any]
    life: float
    step: float  # the slowest, with the saves in between
    save: float  # the slowest
    exit: float  # from its last output to its end

    @property
    def stop(self) -> float:
        """Seconds allowed for stopping: a step, a save and the exit, doubled for a busy machine, and 2."""
        return 2 * (self.step + self.save + self.exit) + 2


def run_reference(folder: Path, *more: str) -> Reference:
    """Run the command once undisturbed and measure it.

    Raises:
        RuntimeError: It failed.
    """
    work, began = Workspace(folder, more), time.perf_counter()
    saves, saving_since = [0.0], 0.0
    with work.process():
        while work.popen.poll() is None:
            now = time.perf_counter()
            if temporary(work.checkpoints):
                saving_since = saving_since or now
            elif saving_since:
                saves.append(now - saving_since)
                saving_since = 0.0
            time.sleep(0.001)
        life = time.perf_counter() - began
        exit_seconds = time.time() - work.stderr.stat().st_mtime
        problems = traces(work.printed()) + leftovers(work)
        if work.popen.returncode != 0 or problems:
            raise RuntimeError(f"The undisturbed run failed: {problems} {work.printed()[-2000:]}")
    return Reference(more, outcome(work.run), life, _slowest_step(work.run / "train.log"), max(saves), exit_seconds)


def _slowest_step(log: Path) -> float:
    """Seconds of the slowest update, from the log lines that have no validation in between."""
    reports = [
        (datetime.strptime(at, "%Y-%m-%d %H:%M:%S,%f").timestamp(), int(step))
        for at, step in _REPORT.findall(log.read_text(encoding="utf-8"))
    ]
    # A validation follows every other line, which makes half of the gaps longer than those of training alone.
    gaps = sorted((later - before) / (step - former) for (before, former), (later, step) in pairwise(reports))
    return gaps[len(gaps) // 2 - 1]
