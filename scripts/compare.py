"""Compare finished runs: `python scripts/compare.py outputs/SWEEP`.

Runs of one model that differ in the seed form a group. All runs must have been scored on the same sentences with the
same search. The table is printed to stdout; the page, CSV and LaTeX are written to a directory.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from nmt import cli
from nmt.commands.options import plain_parser
from nmt.console import log_to_console
from nmt.errors import UserError
from nmt.files import write_text

EXAMPLES = """examples:
  python train.py -m model=bahdanau,luong,seq2seq seed=1,2,3
  python scripts/compare.py outputs/SWEEP
  python scripts/compare.py outputs/SWEEP outputs/RUN --baseline luong
  python scripts/compare.py outputs/RUN1 outputs/RUN2 --output comparison/ --sentence "They are watching."
"""


def main() -> None:
    """Read the command line, compare, print and write the page."""
    options = parse(sys.argv[1:])
    # Imported late: --help and a mistyped option answer at once.
    from comparison import firsts, page, runs, significance, summary, tables
    from rich.console import Console

    log_to_console()
    members = runs.load_members(runs.find_runs(options.runs))
    runs.check_comparable(members)
    if options.output is None and runs.is_run(options.runs[0]):
        raise UserError("Name a directory with --output: the first path is a run, so there is no sweep to write into.")
    output = options.output or options.runs[0] / "comparison"
    baseline = summary.choose_baseline(members, options.baseline)
    groups = summary.group(members)
    tested = significance.compare_with_baseline(groups, baseline, options.trials)
    rows = summary.summarise(groups, baseline, tested)
    notes = tables.legend(members, rows, baseline, options.trials)
    title = f"{len(groups)} models, {len(members)} runs, compared with {baseline}"
    # In a pipe every row stays on one line.
    console = Console(width=None if sys.stdout.isatty() else 150)
    console.print(tables.terminal(rows, title, notes, console))
    write_text(output / "comparison.csv", tables.comma_separated(rows))
    write_text(output / "comparison.tex", tables.latex(rows, title))
    sentence = (options.sentence or "").strip() or firsts.choose_sentence(groups[baseline][0])
    analyses, translations = firsts.analyse_all(groups, sentence)
    html = page.comparison_page(groups, rows, baseline, analyses, (sentence, translations), title, notes)
    write_text(output / "comparison.html", html)
    print(f"comparison.html, .csv and .tex: {output}", file=sys.stderr)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = plain_parser(
        "compare.py",
        "Compare finished runs by model: scores over seeds, a paired test, costs, curves, attention.",
        EXAMPLES,
    )
    parser.add_argument("runs", type=Path, nargs="+", help="run directories, or directories of runs such as a sweep")
    parser.add_argument("--baseline", metavar="NAME", help="compare with this model (default: bahdanau, or the first)")
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="where it all goes (default: comparison/ in the sweep named first)"
    )
    parser.add_argument(
        "--sentence", metavar="TEXT", help="show the attention on this (default: a test sentence of about eight words)"
    )
    parser.add_argument(
        "--trials",
        type=int,
        default=1000,
        help="of the randomisation test (default: 1000; 10000 takes ten times as long)",
    )
    options = parser.parse_args(arguments)
    if options.trials < 100:
        raise UserError(f"--trials must be at least 100 for p to mean something; it is {options.trials}.")
    return options


if __name__ == "__main__":
    cli.run(main)
