"""A trial: a run that gets several signals, one per process, and is resumed until it ends."""

import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from .checks import differences, leftovers, traces
from .moments import any_time, choose, doing
from .process import TIMEOUT, TrainProcess, Workspace
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

    @property
    def resumed(self) -> int:
        """Signals after which the next command could resume."""
        return len(self.signals) - (not self.ended)

    def compare(self, work: Workspace, reference: Reference) -> None:
        """Compare the run, which has ended, with the reference."""
        differing = differences(work.run, reference.outcome)
        self.equal = not differing
        self.problems += differing + leftovers(work)


def signal_trial(folder: Path, reference: Reference, seed: str, numbers: Sequence[int]) -> Trial:
    """Send these signals to a run, one per process, then let it end and compare it with the reference."""
    random, work = Random(seed), Workspace(folder, reference.more, life=reference.life)
    trial, left = Trial(folder), list(numbers)
    while not trial.problems and not trial.ended:
        with work.start() as process:
            aimed = bool(left) and (left[0] == signal.SIGKILL or random.random() >= 0.5)
            moment = choose(work, random) if aimed else any_time
            if left and moment(process, random):
                number = left.pop(0)
                again = random.uniform(0, 0.1) if number != signal.SIGKILL and random.random() < 1 / 3 else None
                sent = send(process, number, again)
                trial.signals.append(sent)
                trial.problems += exit_problems(sent, process.printed())
                work.follow(process.printed())
            else:
                finish(work, process, trial)
    if trial.ended:
        trial.compare(work, reference)
    return trial


def finish(work: Workspace, process: TrainProcess, trial: Trial) -> bool:
    """Wait for a process; True if the run has ended, False if another command must follow."""
    code, printed = process.wait(), process.printed()
    trial.problems += traces(printed)
    if code == 2 and work.follow(printed):
        return False  # started anew where a run exists: the error names the resume command
    if code != 0:
        trial.problems.append(f"exit code {code}: {printed[-500:]}")
    trial.ended = code == 0
    return trial.ended


def send(process: TrainProcess, number: int, again: float | None = None) -> Sent:
    """Send a signal, a second time after `again` seconds if given, and wait for the end of the process."""
    activity = "" if number == signal.SIGKILL else doing(process, time.time())
    at, began = time.time(), time.perf_counter()
    process.popen.send_signal(number)
    if again is not None and process.sleep(again):
        process.popen.send_signal(number)
    while process.popen.poll() is None and time.perf_counter() - began < TIMEOUT:
        time.sleep(0.002)
    seconds = time.perf_counter() - began
    return Sent(number, activity or doing(process, at), process.popen.returncode, seconds, twice=again is not None)


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
