"""The figures of all trials, for printing as JSON."""

import re
import signal
import statistics
from collections import Counter
from collections.abc import Iterable
from typing import Any

from .reference import Reference
from .trials import Sent, Trial


def summary(reference: Reference, trials: dict[str, list[Trial]]) -> dict[str, Any]:
    """Everything that was counted and measured, by kind of trial, and the problems."""
    times = {name: getattr(reference, name) for name in ("life", "step", "save", "exit")}
    kinds = {kind: _of_kind(kind, some, reference) for kind, some in trials.items() if some}
    return {"seconds": times, **kinds, "problems": problems(reference, trials)}


def problems(reference: Reference, trials: dict[str, list[Trial]]) -> list[str]:
    """One line per problem, slow stops included."""
    found = [f"{trial.folder}: {problem}" for some in trials.values() for trial in some for problem in trial.problems]
    return found + [
        f"{sent.seconds:.1f} s from signal {sent.number} to the end, while {sent.doing}: over {reference.stop:.1f} s"
        for trial in trials.get("signals", [])
        for sent in trial.signals
        if sent.seconds > reference.stop
    ]


def _of_kind(kind: str, trials: list[Trial], reference: Reference) -> dict[str, Any]:
    signals = [sent for trial in trials for sent in trial.signals]
    figures: dict[str, Any] = {"trials": len(trials), "ended with equal bytes": sum(trial.equal for trial in trials)}
    if kind in ("fills", "read-only"):
        return figures | {"failed at": _counts(_failed_at(trial) for trial in trials)}
    resumed = len(signals) - sum(not trial.ended for trial in trials)
    figures |= {"sent": len(signals), "resumed, %": 100.0 * resumed / max(len(signals), 1)}
    figures["while"] = _counts(sent.doing for sent in signals)
    if kind == "signals":
        figures["exit"] = _counts(map(_exit_of, signals))
        if seconds := [sent.seconds for sent in signals if not sent.by_signal]:
            most = {"median": statistics.median(seconds), "most": max(seconds), "allowed": reference.stop}
            figures["seconds to stop"] = most
    return figures


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def _exit_of(sent: Sent) -> str:
    name = signal.Signals(sent.number).name
    if sent.by_signal:
        return f"{name} itself: before the first line, after the last, or the second of two"
    return f"{name} too late" if sent.code == 0 else f"{name} → {sent.code}"


def _failed_at(trial: Trial) -> str:
    """The part of the run that could not be written, from the error message."""
    if not trial.error:
        return "nothing: room enough"
    found = re.search(r"/disk/(prepared|run/?(checkpoints|tensorboard|eval|train\.log)?)", trial.error)
    return (found[2] or found[1].rstrip("/")) if found else "elsewhere"
