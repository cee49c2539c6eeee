"""Trials: a run that is struck by a signal again and again, and gone on with until it ends."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from torment.command import HANGING, Attempt, Place
from torment.moments import Moment, any_time, choose, doing
from torment.undisturbed import Reference
from torment.verdict import differences, leftovers, traces


@dataclass(frozen=True)
class Strike:
    """One signal to one process, and what came of it."""

    number: int
    doing: str
    code: int | None
    seconds: float  # from the signal to the end of the process
    twice: bool = False

    @property
    def by_signal(self) -> bool:
        """Whether the signal itself ended it, rather than the process by its own decision."""
        return self.code == -self.number


@dataclass
class Trial:
    """What one run went through, and what is wrong with the end of it."""

    folder: Path
    strikes: list[Strike] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    ended: bool = False  # the run came to its end …
    equal: bool = False  # … with the bytes of the undisturbed one
    error: str = ""  # the sentence in which a process told that its disk was full

    @property
    def resumed(self) -> int:
        """Strikes after which the next command could go on."""
        return len(self.strikes) - (not self.ended)

    def judge(self, place: Place, reference: Reference) -> None:
        """Compare the run, which has ended, with the one that nobody disturbed."""
        differing = differences(place.run, reference.outcome)
        self.equal = not differing
        self.problems += differing + leftovers(place)


def strike_out(folder: Path, reference: Reference, signals: list[int], seed: str) -> Trial:
    """Send these signals to a run, one to a process, then let it end and compare it with the reference."""
    random, place = Random(seed), Place(folder, reference.more, life=reference.life)
    trial = Trial(folder)
    left = list(signals)
    while not trial.problems:
        with place.start() as attempt:
            if left and _moment(place, random, left[0])(attempt, random):
                number = left.pop(0)
                impatient = number != signal.SIGKILL and random.random() < 1 / 3
                struck = strike(attempt, number, again=random.uniform(0, 0.1) if impatient else None)
                trial.strikes.append(struck)
                trial.problems += complaints(struck, attempt.printed())
                place.follow(attempt.printed())
            elif finish(place, attempt, trial):
                trial.judge(place, reference)
                break
    return trial


def finish(place: Place, attempt: Attempt, trial: Trial) -> bool:
    """Let a process end by itself; True if that was the end of the run, False if another command must follow."""
    code, printed = attempt.wait(), attempt.printed()
    trial.problems += traces(printed)
    if code == 2 and place.follow(printed):
        return False  # begun anew where a run is: the error names the command that goes on
    if code != 0:
        trial.problems.append(f"exit code {code}: {printed[-500:]}")
    trial.ended = code == 0
    return trial.ended


def strike(attempt: Attempt, number: int, again: float | None = None) -> Strike:
    """Send a signal, once more after some seconds if so wished, and wait for the end."""
    activity = "" if number == signal.SIGKILL else doing(attempt, time.time())
    at, began = time.time(), time.perf_counter()
    attempt.process.send_signal(number)
    if again is not None and attempt.sleep(again):
        attempt.process.send_signal(number)
    while attempt.process.poll() is None and time.perf_counter() - began < HANGING:
        time.sleep(0.002)
    seconds = time.perf_counter() - began
    code = attempt.process.returncode
    return Strike(number, activity or doing(attempt, at), code, seconds, twice=again is not None)


def complaints(struck: Strike, printed: str) -> list[str]:
    """What is wrong with the way in which a process ended after a signal."""
    if struck.code is None:
        return [f"still there {HANGING:g} s after signal {struck.number}, while {struck.doing}"]
    if struck.number == signal.SIGKILL or (struck.by_signal and _python_was_starting(printed)):
        return []
    where = f"signal {struck.number} while {struck.doing}"
    problems = [f"{where}: {problem}" for problem in traces(printed)]
    # All is done, or the interpreter is on its way out when the second of two signals comes.
    leaving = struck.by_signal and (struck.twice or "Translate with" in printed)
    if struck.code not in (128 + struck.number, 0) and not leaving:  # 0: it came too late
        problems.append(f"{where}: exit code {struck.code}")
    return problems


def _python_was_starting(printed: str) -> bool:
    """Whether no line of train.py had run yet: until then a signal acts in Python's own way."""
    return not printed or ("KeyboardInterrupt" in printed and "train.py" not in printed)


def _moment(place: Place, random: Random, number: int) -> Moment:
    """Signals come whenever they come; kills are aimed, most of them."""
    return any_time if number != signal.SIGKILL and random.random() < 0.5 else choose(place, random)
