"""Training speed of every named model, at its default size on the embedded corpus, in turn in one process."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence

import torch
from rich.console import Console
from rich.table import Table

from nmt import cli
from nmt.composition import composed
from nmt.config import ROOT, load_config
from nmt.data.batching import Batch, BatchPlan, collate
from nmt.data.prepare import prepare
from nmt.factory import constructor
from nmt.training.loss import token_loss
from nmt.translator import build_model

BATCH = 64
MODELS = sorted(path.stem for path in (ROOT / "configs/model").glob("*.yaml"))


class Subject:
    """One model and its optimiser."""

    def __init__(self, name: str, vocabularies: tuple[int, int]) -> None:
        config = load_config(composed(f"model={name}"))
        torch.manual_seed(1)
        self.model = build_model(config, *vocabularies).train()
        self.optimizer = constructor(config.optimizer, "optimizer")(self.model.parameters())

    def tokens_per_second(self, batches: Sequence[Batch]) -> float:
        """Make an update with each batch."""
        began = time.perf_counter()
        for batch in batches:
            readout = self.model(batch.source, batch.source_lengths, batch.target_in).readout
            sums = token_loss(readout, batch.target_out, batch.real, self.model.output, 0.1)
            self.optimizer.zero_grad()
            (sums.objective / batch.tokens).backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
        return sum(batch.tokens for batch in batches) / (time.perf_counter() - began)


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
        plan = BatchPlan(corpus.train.source.lengths, corpus.train.target.lengths, BATCH, "sentences", seed=1)
        batches = [collate(corpus.train, indices) for indices in plan.epoch(0)[: options.updates]]
        vocabularies = len(corpus.source_tokenizer), len(corpus.target_tokenizer)
        subjects = {name: Subject(name, vocabularies) for name in options.models}
        for subject in subjects.values():  # a warm-up
            subject.tokens_per_second(batches[:1])
        turns = [{name: s.tokens_per_second(batches) for name, s in subjects.items()} for _ in range(options.repeats)]
    speeds = {name: statistics.median(turn[name] for turn in turns) for name in subjects}
    table = Table(
        "model", "tokens/s", "of the fastest", title=f"Training, {options.threads} thread(s), batches of {BATCH}"
    )
    for name, speed in sorted(speeds.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{speed:,.0f}", f"{speed / max(speeds.values()):.2f}")
    Console().print(table)


if __name__ == "__main__":
    cli.run(main)
