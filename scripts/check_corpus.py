"""Which pairs are wrong? Rank the pairs of a corpus by how unlikely they are, with reasons.

    python scripts/check_corpus.py data.path=mine.csv

Needs no trained model: words and letters of each pair are compared with what the other pairs teach. Writes
suspects.tsv, to open in a spreadsheet, and suspects.html, to open in a browser; the corpus stays as it is.
"""

import argparse
import sys
from pathlib import Path

from nmt import cli, composition
from nmt.checking.corpus import read_pairs
from nmt.checking.page import page, table
from nmt.checking.suspects import find_suspects
from nmt.commands.options import plain_parser
from nmt.config import ROOT
from nmt.console import log_to_console
from nmt.data.discovery import complete, description
from nmt.data.settings import DataSettings, as_list
from nmt.errors import UserError
from nmt.files import write_text

EXAMPLES = """examples:
  python scripts/check_corpus.py data.path=mine.csv
  python scripts/check_corpus.py 'data.path=[train.en,train.de]' --output checked
  python scripts/check_corpus.py --run outputs/RUN
"""
_SHOWN = 5  # suspects on stdout
_HIGH = 4.0  # score from which a pair should be looked at


def main() -> None:
    """Read the corpus, rank its pairs, write table and page, print the worst."""
    options = parse(sys.argv[1:])
    log_to_console()
    settings = corpus_settings(options.settings, options.run)
    print(*description(settings), sep="\n", file=sys.stderr)
    pairs, dropped = read_pairs(settings)
    suspects = find_suspects(pairs)
    files = as_list(settings.path)
    summary = [
        f"{len(pairs):,} pairs of {' and '.join(Path(file).name for file in files)} were compared with one another: "
        f"{sum(suspect.score >= _HIGH for suspect in suspects):,} score {_HIGH:.0f} or more and deserve a look, "
        f"{len(suspects):,} have something unusual. The most suspicious come first.",
        f"Rows that could not be checked: {', '.join(f'{count:,} {why}' for why, count in dropped.items()) or 'none'}.",
    ]
    output: Path = options.output or ROOT / "outputs" / f"check-{settings.name}"
    shown = suspects[: options.top]
    source, target, *_ = settings.direction()
    title = f"Which pairs of {Path(files[0]).name} are wrong?"
    write_text(output / "suspects.tsv", table(suspects))
    write_text(output / "suspects.html", page(title, summary, (source, target), shown))
    print(*summary, sep="\n")
    for suspect in suspects[:_SHOWN]:
        row, *texts = suspect.pair
        print(f"\nrow {row} (score {suspect.score:.1f})", *texts, *suspect.reasons, sep="\n    ")
    print(f"\nAll of them: {output / 'suspects.tsv'}\nThe first {len(shown):,}: {output / 'suspects.html'}")


def corpus_settings(settings: list[str], run: Path | None) -> DataSettings:
    """The data settings of a run, or those that train.py would have, with what they leave open found out."""
    with composition.explained():
        data = (composition.resumed(run, settings).config if run else composition.composed(*settings)).data
    data.require_files()
    return complete(data)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = plain_parser("check_corpus.py", "Rank the pairs of a corpus by how likely they are to be wrong.", EXAMPLES)
    parser.add_argument("settings", nargs="*", help="the corpus, as `python train.py` would be given it")
    parser.add_argument("--run", type=Path, metavar="DIR", help="check the corpus that this run was trained on")
    parser.add_argument("--output", type=Path, metavar="DIR", help="where to write (default: outputs/check-NAME)")
    parser.add_argument("--top", type=cli.positive, default=200, metavar="N", help="pairs on the page (default: 200)")
    options = parser.parse_intermixed_args(arguments)
    if not options.settings and not options.run:
        raise UserError("Which corpus? Name its file, as in data.path=mine.csv, or a run with --run.")
    return options


if __name__ == "__main__":
    cli.run(main, results_on_disk=True)
