"""How long a run took to become how good: validation BLEU against minutes of training.

    python scripts/learning_curve.py outputs/RUN --output curve.png

Runs need not be finished. Times are of training and its validations; those before it, of the test set, and
between an interruption and the resumption do not count.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nmt import cli
from nmt.errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXAMPLES = """examples:
  python scripts/learning_curve.py outputs/RUN
  python scripts/learning_curve.py outputs/A outputs/B --bleu 20 30 35 --output curve.png
"""
Curve = tuple[np.ndarray, np.ndarray]  # minutes, rising, and the BLEU of the validations then


def main() -> None:
    """Read the runs' records, print the times, draw the curves."""
    options = parse(sys.argv[1:])
    from rich.console import Console
    from rich.table import Table

    names = [path.resolve().name for path in options.runs]
    if len(set(names)) < len(names):
        names = list(map(str, options.runs))
    curves = {name: read(path) for name, path in zip(names, options.runs, strict=True)}
    goals = [f"{goal:g} BLEU" for goal in options.bleu]
    table = Table("run", *goals, "best", title="Minutes of training until validation first showed")
    for name, (minutes, values) in curves.items():
        reached = [first(minutes, values, goal) for goal in options.bleu]
        best = int(values.argmax())
        cells = ["never" if time is None else f"{time:.1f}" for time in reached]
        table.add_row(name, *cells, f"{values[best]:.1f} after {minutes[best]:.0f}")
    Console(width=None if sys.stdout.isatty() else 150).print(table)
    if options.output:
        from nmt.evaluation.heatmap import save

        save(draw(curves), options.output)
        print(f"curves: {options.output}", file=sys.stderr)


def read(run: Path) -> Curve:
    """The validations of a run."""
    from comparison.history import read_history

    history = read_history(run / "tensorboard")
    steps, values = history.by_step("bleu")
    if not len(steps):
        raise UserError(f"{run} has no validation on record: name a run directory that has trained for a while.")
    return history.time_of(steps) / 60, values


def first(minutes: np.ndarray, values: np.ndarray, goal: float) -> float | None:
    """When a validation first showed so much."""
    reached = np.flatnonzero(values >= goal)
    return float(minutes[reached[0]]) if len(reached) else None


def draw(curves: dict[str, Curve]) -> Figure:
    """All curves in one picture."""
    from comparison.style import Line, add_axes, draw_lines, looks, name_axes, new_figure

    from nmt.evaluation.heatmap import fit_figure, our_style

    lines = [Line(name, minutes, values, values, values) for name, (minutes, values) in curves.items()]
    with our_style():
        figure = new_figure()
        axes = add_axes(figure, 0, 5.6, 4.2)
        axes.set_xlim(0, max(line.x[-1] for line in lines))
        axes.set_ylim(0, 1.05 * max(1.0, *(float(line.mean.max()) for line in lines)))
        name_axes(axes, "Validation BLEU, greedy search", "minutes of training")
        draw_lines(axes, lines, looks(list(curves), next(iter(curves))), marker="o", markersize=2.4)
        fit_figure(figure)
    return figure


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        prog="learning_curve.py",
        description="Print how many minutes runs took to reach some BLEU in validation, and draw their curves.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", type=Path, nargs="+", help="run directories, finished or not")
    parser.add_argument("--bleu", type=float, nargs="+", default=[20, 30, 35], help="goals (default: 20 30 35)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="draw the curves: a .png, .svg or .pdf")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    cli.run(main)
