"""The run that nobody disturbs: what the others must equal, and how long its parts take."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from torment.command import Place
from torment.moments import temporary
from torment.verdict import leftovers, outcome, traces

_REPORT = re.compile(r"^(\S+ \S+) INFO epoch .* step (\d+) · loss", re.M)


@dataclass(frozen=True)
class Reference:
    """A finished run and its times, in seconds."""

    more: tuple[str, ...]  # settings besides the usual ones
    outcome: dict[str, Any]
    life: float
    step: float  # the slowest, with what is saved in between
    save: float  # the slowest
    exit: float  # from its last word to its end

    @property
    def stop(self) -> float:
        """The most that a stop should take: a step, a save and the exit, twice over for a machine that is busy."""
        return 2 * (self.step + self.save + self.exit) + 2


def run_undisturbed(folder: Path, *more: str) -> Reference:
    """Run the command once, and look on.

    Raises:
        RuntimeError: It does not even end well when nothing is done to it.
    """
    place = Place(folder, more)
    saves, saving_since = [0.0], 0.0
    with place.start() as attempt:
        while attempt.process.poll() is None:
            now = time.perf_counter()
            if temporary(place.checkpoints):
                saving_since = saving_since or now
            elif saving_since:
                saves.append(now - saving_since)
                saving_since = 0.0
            time.sleep(0.001)
        life = time.perf_counter() - attempt.began
        last_word = time.time() - attempt.stderr.stat().st_mtime
        problems = traces(attempt.printed()) + leftovers(place)
        if attempt.process.returncode != 0 or problems:
            raise RuntimeError(f"The undisturbed run failed: {problems} {attempt.printed()[-2000:]}")
    return Reference(more, outcome(place.run), life, _slowest_step(place.log), max(saves), last_word)


def _slowest_step(log: Path) -> float:
    """The slowest update, from the log lines that have no validation in between."""
    reports = [
        (datetime.strptime(at, "%Y-%m-%d %H:%M:%S,%f").timestamp(), int(step))
        for at, step in _REPORT.findall(log.read_text(encoding="utf-8"))
    ]
    pairs = pairwise(reports)
    # A validation follows every other line, which makes half of the gaps longer than those of training alone.
    gaps = sorted((later - before) / (step - former) for (before, former), (later, step) in pairs)
    return gaps[len(gaps) // 2 - 1]
