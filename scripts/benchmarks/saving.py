"""Saving: what a checkpoint costs at default settings."""

import dataclasses

from benchmarks.training import BATCH, Subject
from benchmarks.yardstick import Figures, in_turn, medians, timed
from nmt.composition import composed
from nmt.config import load_config
from nmt.data.prepare import prepare


def measure(prepared_dir: str, repeats: int, updates: int) -> Figures:
    """Median seconds of a save among updates of the real trainer, and its share of an epoch with one save."""
    config = load_config(composed())
    corpus = prepare(dataclasses.replace(config.data, prepared_dir=prepared_dir))
    trainer, batches = Subject(config, corpus).trainer, -(-len(corpus.train) // BATCH)

    def turn() -> Figures:
        update = sum(timed(trainer._update) for _ in range(updates)) / updates
        save = timed(trainer.save)
        return {"seconds": save, "share of an epoch": save / (save + batches * update)}

    turn()  # a warm-up
    return medians(in_turn({"saving": turn}, repeats)["saving"])
