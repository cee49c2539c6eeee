"""Write the embedded English-French demo corpus, or a larger one of the same grammar."""

import argparse
from pathlib import Path

from demo_corpus import corpus

SEED = 2015  # the year of both attention papers
DEFAULT_OUTPUT = Path(__file__).resolve().parent.parent / "data" / "demo" / "eng-fra.tsv"


def main() -> None:
    """Parse the command line and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DEFAULT_OUTPUT, help="the TSV file to write")
    parser.add_argument("--pairs", type=int, default=20_000, help="how many sentence pairs (default 20000)")
    args = parser.parse_args()
    if args.pairs < 1:
        parser.error("--pairs must be at least 1")
    lines = (f"{source}\t{target}\n" for source, target in corpus.pairs(args.pairs, SEED))
    args.output.parent.mkdir(parents=True, exist_ok=True)
    with args.output.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)


if __name__ == "__main__":
    main()
