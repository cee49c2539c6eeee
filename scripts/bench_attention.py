"""Training speed of every named model, at its default size on the embedded corpus, in turn in one process."""

import argparse
import tempfile
from functools import partial

import torch
from benchmarks.training import BATCH, SPEED, Subject
from benchmarks.yardstick import in_turn, medians
from rich.console import Console
from rich.table import Table

from nmt import cli
from nmt.composition import composed
from nmt.config import ROOT, load_config
from nmt.data.prepare import prepare

MODELS = sorted(path.stem for path in (ROOT / "configs/model").glob("*.yaml"))


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS, metavar="NAME", help="(default: all)")
    parser.add_argument("--repeats", type=cli.positive, default=7, help="turns of each model (default 7)")
    parser.add_argument("--updates", type=cli.positive, default=6, help="updates in a turn (default 6)")
    parser.add_argument("--threads", type=cli.positive, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as prepared:
        corpus = prepare(load_config(composed(f"data.prepared_dir={prepared}")).data)
        subjects = {name: Subject(load_config(composed(f"model={name}")), corpus) for name in options.models}
        for subject in subjects.values():  # a warm-up
            subject.updates(1)
        turns = {name: partial(subject.updates, options.updates) for name, subject in subjects.items()}
        speeds = {name: medians(rows)[SPEED] for name, rows in in_turn(turns, options.repeats).items()}
    title = f"Training, {options.threads} thread(s), batches of {BATCH}"
    table = Table("model", "tokens/s", "of the fastest", title=title)
    for name, speed in sorted(speeds.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{speed:,.0f}", f"{speed / max(speeds.values()):.2f}")
    Console().print(table)


if __name__ == "__main__":
    cli.run(main)
