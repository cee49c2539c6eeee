"""Compare finished runs: `python scripts/compare.py outputs/SWEEP`.

Runs of one model that differ in the seed form a group. All runs must have been scored on the same sentences with the
same search. The table is printed to stdout; tables and pictures are written to a directory.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nmt import cli
from nmt.commands.options import plain_parser
from nmt.console import log_to_console
from nmt.errors import UserError
from nmt.files import write_text

if TYPE_CHECKING:
    from comparison.summary import Groups

    from nmt.translation import Translation

EXAMPLES = """examples:
  python train.py -m model=bahdanau,luong,seq2seq seed=1,2,3
  python scripts/compare.py outputs/SWEEP
  python scripts/compare.py outputs/SWEEP outputs/RUN --baseline luong
  python scripts/compare.py outputs/RUN1 outputs/RUN2 --output comparison/ --sentence "They are watching."
"""
CAPTIONS = {
    "bleu.png": "BLEU on the test set: a dot for each run, a stroke for the mean",
    "curves.png": "Validation BLEU, as far as all seeds of a model go; bands from the lowest seed to the highest",
    "lengths.png": "BLEU by source length; bands from the lowest seed to the highest",
    "attention.png": "Attention of the first seed on “{sentence}”",
}


def main() -> None:
    """Read the command line, compare, print and draw."""
    options = parse(sys.argv[1:])
    # Imported late: --help and a mistyped option answer at once.
    from comparison import export, firsts, page, panel, runs, significance, summary, tables
    from rich.console import Console

    log_to_console()
    members = runs.load_members(runs.find_runs(options.runs))
    runs.check_comparable(members)
    if options.output is None and runs.is_run(options.runs[0]):
        raise UserError("Name a directory with --output: the first path is a run, so there is no sweep to write into.")
    output = options.output or options.runs[0] / "comparison"
    baseline = summary.choose_baseline(members, options.baseline)
    groups = summary.group(members)
    tested = significance.compare_all(groups, options.trials)
    rows = summary.summarise(groups, baseline, tested)
    notes = tables.legend(members, rows, baseline, options.trials)
    title = f"{len(groups)} models, {len(members)} runs, compared with {baseline}"
    # In a pipe every row stays on one line.
    console = Console(width=None if sys.stdout.isatty() else 150)
    console.print(tables.terminal(rows, title, notes, console))
    sentence = (options.sentence or "").strip() or panel.choose_sentence(groups[baseline][0])
    translations = panel.translate(groups, sentence)
    pictures = draw(groups, baseline, sentence, translations, output)
    write_text(output / "comparison.csv", tables.comma_separated(rows))
    write_text(output / "comparison.tex", tables.latex(rows, title))
    write_text(output / "comparison.md", tables.markdown(rows, title, notes, pictures))
    corrected, analyses = significance.holm(tested), firsts.analyse_all(groups)
    sections = page.comparison_sections(groups, rows, baseline, corrected, analyses, (sentence, translations))
    export.write_tables(output / "tables", sections)
    html = page.comparison_page(groups, rows, corrected, analyses, sections, title, notes)
    write_text(output / "comparison.html", html)
    print(f"comparison.html, tables and pictures: {output}", file=sys.stderr)


def draw(
    groups: Groups, baseline: str, sentence: str, translations: dict[str, Translation], output: Path
) -> dict[str, str]:
    """Write the pictures as PNG, SVG and PDF; return the names of the first with captions."""
    from comparison import panel, plots
    from comparison.style import looks

    from nmt.evaluation.heatmap import save

    styles = looks(list(groups), baseline)
    figures = {
        "bleu.png": plots.draw_scores(groups, styles, baseline),
        "curves.png": plots.draw_curves(groups, styles),
        "lengths.png": plots.draw_lengths(groups, styles),
        "attention.png": panel.draw_panel(translations) if translations else None,
    }
    drawn = {name: figure for name, figure in figures.items() if figure is not None}
    for name, figure in drawn.items():
        for kind in (".png", ".svg", ".pdf"):
            save(figure, (output / name).with_suffix(kind))
    return {name: CAPTIONS[name].format(sentence=sentence) for name in drawn}


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
        "--sentence", metavar="TEXT", help="draw the attention on this (default: a test sentence of about eight words)"
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
