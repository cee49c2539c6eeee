"""A trial: a run that is disturbed, resumed until it ends, and compared with the reference."""

import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from .checks import differences, leftovers, traces
from .moments import choose, doing, wait_for
from .process import TIMEOUT, Workspace
from .reference import Reference


@dataclass(frozen=True)
class Sent:
    """A signal sent to a process, and how the process ended."""

    number: int
    doing: str
    code: int | None
    seconds: float  # from the signal to the end of the process
    twice: bool = False

    @property
    def by_signal(self) -> bool:
        """Whether the signal itself ended the process, not the process's own handler."""
        return self.code == -self.number


@dataclass
class Trial:
    """What was done to one run, and the problems found."""

    folder: Path
    signals: list[Sent] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    ended: bool = False  # the run came to its end …
    equal: bool = False  # … with the bytes of the reference
    error: str = ""  # the error message of a process whose disk was full or read-only


def signal_trial(folder: Path, reference: Reference, seed: str, numbers: Sequence[int]) -> Trial:
    """Send these signals to a run, one per process, then let it end and compare it with the reference."""
    random, work = Random(seed), Workspace(folder, reference.more, life=reference.life)
    trial, left = Trial(folder), list(numbers)
    while left and not trial.problems and not trial.ended:
        with work.process():
            aimed = left[0] == signal.SIGKILL or random.random() >= 0.5
            if wait_for(choose(work, random) if aimed else "any time", work, random):
                number = left.pop(0)
                again = random.uniform(0, 0.1) if number != signal.SIGKILL and random.random() < 1 / 3 else None
                trial.signals.append(send(work, number, again))
                trial.problems += exit_problems(trial.signals[-1], work.printed())
                work.follow()
            else:
                finish(work, trial)
    complete(work, trial, reference)
    return trial


def complete(work: Workspace, trial: Trial, reference: Reference) -> None:
    """Let a run end, in as many processes as it needs, and compare it with the reference."""
    while not trial.problems and not trial.ended:
        with work.process():
            finish(work, trial)
    if trial.ended:
        differing = differences(work.run, reference.outcome)
        trial.equal = not differing
        trial.problems += differing + leftovers(work)


def finish(work: Workspace, trial: Trial) -> None:
    """Wait for the process; unless the run has ended, another command must follow."""
    code, printed = work.wait(), work.printed()
    trial.problems += traces(printed)
    trial.ended = code == 0
    # Exit code 2: started anew where a run exists; the error names the resume command.
    if code != 0 and not (code == 2 and work.follow()):
        trial.problems.append(f"exit code {code}: {printed[-500:]}")


def send(work: Workspace, number: int, again: float | None = None) -> Sent:
    """Send a signal, a second time after `again` seconds if given, and wait for the end of the process."""
    activity = "" if number == signal.SIGKILL else doing(work, time.time())
    at, began = time.time(), time.perf_counter()
    work.popen.send_signal(number)
    if again is not None and work.sleep(again):
        work.popen.send_signal(number)
    code, seconds = work.wait(), time.perf_counter() - began
    return Sent(number, activity or doing(work, at), code, seconds, twice=again is not None)


def exit_problems(sent: Sent, printed: str) -> list[str]:
    """Problems of the way in which a process ended after a signal."""
    where = f"signal {sent.number} while {sent.doing}"
    if sent.code is None:
        return [f"{where}: still running after {TIMEOUT:g} s"]
    # Until the first line of train.py runs, a signal has Python's own effect.
    python_was_starting = not printed or ("KeyboardInterrupt" in printed and "train.py" not in printed)
    if sent.number == signal.SIGKILL or (sent.by_signal and python_was_starting):
        return []
    problems = [f"{where}: {problem}" for problem in traces(printed)]
    # After its last line, or when a second signal comes while the interpreter exits, the signal may end the process.
    leaving = sent.by_signal and (sent.twice or "Translate with" in printed)
    if sent.code not in (128 + sent.number, 0) and not leaving:  # 0: the signal came too late
        problems.append(f"{where}: exit code {sent.code}")
    return problems
