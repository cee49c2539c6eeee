"""What was done to the runs and what became of them, as numbers and as a table."""

from __future__ import annotations

import re
import signal
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from torment.strikes import Strike, Trial
from torment.undisturbed import Reference

Trials = dict[str, list[Trial]]  # by what was done to them: kills, signals, fills, read-only


def summary(reference: Reference, trials: Trials) -> dict[str, Any]:
    """Everything that was counted and measured."""
    return {
        "seconds": {"life": reference.life, "step": reference.step, "save": reference.save, "exit": reference.exit},
        **{kind: _of_kind(kind, some, reference) for kind, some in trials.items() if some},
    }


def problems(reference: Reference, trials: Trials) -> list[str]:
    """One line for each thing that should not be."""
    found = [f"{trial.folder}: {problem}" for some in trials.values() for trial in some for problem in trial.problems]
    asked = [struck for trial in trials.get("signals", []) for struck in trial.strikes]
    return found + [
        f"{struck.seconds:.1f} s from signal {struck.number} to the end, while {struck.doing}: "
        f"more than {reference.stop:.1f} s"
        for struck in asked
        if struck.seconds > reference.stop
    ]


def table(results: dict[str, Any]) -> Table:
    """The summary for a reader."""
    shown = Table(title="Kill it anywhere")
    for column in ("what", "figure", "value"):
        shown.add_column(column, justify="right" if column == "value" else "left")
    for what, figures in results.items():
        for name, value in figures.items():
            rows = {name: value} if not isinstance(value, dict) else {f"{name}: {k}": v for k, v in value.items()}
            for figure, number in rows.items():
                shown.add_row(what, figure, f"{number:.2f}" if isinstance(number, float) else str(number))
        shown.add_section()
    return shown


def _of_kind(kind: str, trials: Sequence[Trial], reference: Reference) -> dict[str, Any]:
    strikes = [struck for trial in trials for struck in trial.strikes]
    figures: dict[str, Any] = {"trials": len(trials), "ended with equal bytes": sum(t.equal for t in trials)}
    if kind in ("kills", "signals"):
        figures["sent"] = len(strikes)
        figures["gone on, %"] = 100.0 * sum(t.resumed for t in trials) / max(len(strikes), 1)
        figures["while"] = dict(Counter(struck.doing for struck in strikes).most_common())
    if kind == "signals" and strikes:
        figures["exit"] = dict(Counter(_way_out(struck) for struck in strikes).most_common())
        asked = [struck.seconds for struck in strikes if not struck.by_signal]
        if asked:
            figures["seconds to stop"] = {
                "median": statistics.median(asked),
                "most": max(asked),
                "allowed": reference.stop,
            }
    if kind in ("fills", "read-only"):
        figures["failed at"] = dict(Counter(_failed_at(trial) for trial in trials).most_common())
    return figures


def _way_out(struck: Strike) -> str:
    name = signal.Signals(struck.number).name
    if struck.by_signal:
        return f"{name} itself: before the first line, after the last, or the second of two"
    return f"{name} too late" if struck.code == 0 else f"{name} → {struck.code}"


def _failed_at(trial: Trial) -> str:
    """The part of a run whose writing failed, from the error's sentence."""
    if not trial.error:
        return "nothing: room enough"
    found = re.search(r"/disk/(prepared|run/?(checkpoints|tensorboard|eval|train\.log)?)", trial.error)
    return (found[2] or found[1].rstrip("/")) if found else "elsewhere"
