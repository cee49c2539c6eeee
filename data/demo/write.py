"""Write the embedded English-French demo corpus, or a larger one of the same grammar, and its word alignment."""

import argparse
from pathlib import Path

from grammar import corpus

SEED = 2015  # the year of both attention papers
DEFAULT_OUTPUT = Path(__file__).resolve().with_name("eng-fra.tsv")


def main() -> None:
    """Parse the command line and write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--output",
        type=Path,
        default=DEFAULT_OUTPUT,
        help="the TSV file to write; the alignments get the same name with .align",
    )
    parser.add_argument("--pairs", type=int, default=20_000, help="how many sentence pairs (default 20000)")
    args = parser.parse_args()
    if args.pairs < 1:
        parser.error("--pairs must be at least 1")
    if args.output.suffix == ".align":
        parser.error("--output must not end in .align: that file is written beside it")
    pairs = corpus.pairs(args.pairs, SEED)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    for path, lines in (
        (args.output, (f"{pair.source}\t{pair.target}\n" for pair in pairs)),
        (args.output.with_suffix(".align"), (f"{pair.alignment}\n" for pair in pairs)),
    ):
        path.write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
