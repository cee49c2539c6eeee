"""A table over runs: how much worse each model gets with other attention than its own, on its test set."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from nmt import cli
from nmt.commands.options import plain_parser
from nmt.console import log_to_console
from nmt.data.heldout import read_held_out
from nmt.evaluation.faithfulness import Faithfulness, NoAttention, measure, read_faithfulness, write_faithfulness
from nmt.run import OpenRun, Run

EXAMPLES = """examples:
  python scripts/faithfulness.py outputs/A outputs/B
  python scripts/faithfulness.py outputs/SWEEP/* > faithfulness.md
"""


def main() -> None:
    """Measure each run, unless that has been done, and print a Markdown table; models without attention are named."""
    options = parse(sys.argv[1:])
    log_to_console()
    runs = [Run.open(directory) for directory in options.run]
    print("| model | log p | uniform | shuffled | permuted | BLEU | uniform | shuffled | permuted |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for run in runs:
        try:
            print(row(run.config.name, figures(run, options.device)), flush=True)
        except NoAttention:
            print(f"{run.directory} is left out: it has no attention.", file=sys.stderr)


def figures(run: OpenRun, device: str) -> Faithfulness:
    """The figures of a run: those in its eval/, or new ones, which are written there if the run can be written to."""
    from nmt.translator import Translator

    details = run.evaluated("test.tsv", {})
    if known := read_faithfulness(run.evaluation, details):
        return known
    found = measure(Translator.load(run, device), list(read_held_out(run.test_set)))
    if os.access(run.directory, os.W_OK):
        write_faithfulness(run.evaluation, found, details)
    return found


def row(name: str, found: Faithfulness) -> str:
    """A line of the table: what the model has with its own attention, and the differences with others."""
    own, others = found.own, found.others.values()
    drops = (f"{other.log_prob - own.log_prob:+.2f}" for other in others)
    falls = (f"{other.bleu - own.bleu:+.1f}" for other in others)
    cells = (name, f"{own.log_prob:.2f}", *drops, f"{own.bleu:.1f}", *falls)
    return f"| {' | '.join(cells)} |".replace("-", "−")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the options."""
    description = (
        "How much worse models get with uniform, shuffled and permuted attention: log p of the references, BLEU."
    )
    parser = plain_parser("faithfulness.py", description, EXAMPLES)
    parser.add_argument("run", type=Path, nargs="+", help="run directories")
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    cli.run(main)
