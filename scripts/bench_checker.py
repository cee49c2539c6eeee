"""Precision of scripts/check_corpus.py: mistakes are planted into a corpus, and looked for among its first suspects."""

import argparse
import random
import sys
from pathlib import Path
from statistics import fmean

from benchmarks.planting import FIVE, PLANTERS, precision
from check_corpus import corpus_settings
from rich.console import Console
from rich.table import Table

from nmt import cli
from nmt.checking.corpus import read_pairs
from nmt.commands.options import plain_parser
from nmt.data.lines import read_lines

EXAMPLES = """examples:
  python scripts/bench_checker.py data.path=data/raw/mar-eng.zip --other french.txt
  python scripts/bench_checker.py data.path=mine.csv --pairs 3000 --seeds 1
"""


def main() -> None:
    """Plant mistakes of each kind alone, then of all kinds at once, and print how many are found."""
    options = parse(sys.argv[1:])
    settings = corpus_settings(options.settings, None)
    pairs = [(pair.source, pair.target) for pair in read_pairs(settings)[0]]
    lines = read_lines(str(options.other), settings.max_megabytes) if options.other else []
    other = [line for line in lines if isinstance(line, str) and line.strip()]
    kinds = [kind for kind in PLANTERS if other or kind != "other language"]
    together = [kind for kind in FIVE if kind in kinds]
    rows: dict[str, list[float]] = {}
    for seed in options.seeds:
        chosen = random.Random(seed).sample(pairs, min(options.pairs, len(pairs)))
        for kind in kinds:
            rows.setdefault(kind, []).append(precision(chosen, [kind], 0.05, other, seed)["all"])
        for kind, share in precision(chosen, together, 0.01, other, seed).items():
            rows.setdefault("all at once, 1 % each" if kind == "all" else f"… {kind} found", []).append(share)
    table = Table("planted, 5 %", "precision", "of each seed", title=f"{options.pairs:,} pairs of {settings.path}")
    for name, values in rows.items():
        table.add_row(name, f"{fmean(values):.2f}", " ".join(f"{value:.2f}" for value in values))
    Console().print(table)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = plain_parser("bench_checker.py", __doc__ or "", EXAMPLES)
    parser.add_argument("settings", nargs="+", help="a corpus, as `python train.py` would be given it")
    parser.add_argument("--other", type=Path, help="text in a third language, a sentence a line")
    parser.add_argument("--pairs", type=cli.positive, default=10_000, help="random pairs to use (default: 10,000)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    return parser.parse_intermixed_args(arguments)


if __name__ == "__main__":
    cli.run(main)
