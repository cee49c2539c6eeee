"""Time and memory of preparing and training on larger and larger corpora of the demo grammar."""

import tempfile
from pathlib import Path

from benchmarks import corpus_size
from rich.console import Console
from rich.table import Table

from nmt import cli
from nmt.commands.options import plain_parser

EXAMPLES = """examples:
  python scripts/bench_corpus.py
  python scripts/bench_corpus.py --sizes 30000 100000 --folder /tmp/sizes
"""
TRAINED = {"": [], ", made-up words": ["train.made_up_words=0.1"]}


def main() -> None:
    """Measure and print."""
    parser = plain_parser("bench_corpus.py", __doc__ or "", EXAMPLES)
    parser.add_argument("--sizes", type=cli.positive, nargs="+", default=[30_000, 100_000, 300_000, 1_000_000])
    parser.add_argument("--folder", type=Path, help="where corpora are kept, to measure again (default: nowhere)")
    parser.add_argument("overrides", nargs="*", help="settings for all, such as model=luong")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        files = corpus_size.write_nested(folder, options.sizes)
        show("Preparing", {f"{n:,}": prepare(file, options.overrides) for n, file in files.items()})
        for name, more in TRAINED.items():
            rows = {f"{n:,}": train(file, [*more, *options.overrides]) for n, file in files.items()}
            show(f"Training after {corpus_size.UPDATES} updates{name}", rows)


def prepare(corpus: Path, overrides: list[str]) -> dict[str, float]:
    """Prepare a corpus, and keep the result for `train`."""
    return corpus_size.preparing([*corpus_size.settings(corpus), *overrides])


def train(corpus: Path, overrides: list[str]) -> dict[str, float]:
    """Train on a prepared corpus."""
    with tempfile.TemporaryDirectory() as run:
        return corpus_size.training(Path(run) / "run", [*corpus_size.settings(corpus), *overrides])


def show(title: str, rows: dict[str, dict[str, float]]) -> None:
    """Print one line per size."""
    figures = list(next(iter(rows.values())))
    table = Table("pairs", *(figure.replace("_", " ") for figure in figures), title=title)
    for pairs, row in rows.items():
        table.add_row(pairs, *(f"{row[figure]:,.1f}" for figure in figures))
    Console().print(table)


if __name__ == "__main__":
    cli.run(main)
