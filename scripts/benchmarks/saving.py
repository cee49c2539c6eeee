"""Saving: what a checkpoint costs at default settings, and what of it is for safety."""

from __future__ import annotations

import dataclasses
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.training import BATCH, Subject
from nmt import files
from nmt.composition import composed
from nmt.config import load_config
from nmt.data.prepare import prepare
from nmt.training import checkpoint

PARTS = {"serialising": (checkpoint, "save_file"), "hashing": (files, "sha256"), "flushing": (os, "fsync")}


def measure(prepared_dir: str, repeats: int, updates: int) -> dict[str, float]:
    """Median seconds of a save and of its parts, among updates of the real trainer, and their share of an epoch."""
    config = load_config(composed())
    corpus = prepare(dataclasses.replace(config.data, prepared_dir=prepared_dir))
    subject = Subject("bahdanau", config, corpus)
    trainer, epoch = subject.trainer, -(-len(corpus.train) // BATCH)
    rows: list[dict[str, float]] = []
    for turn in range(repeats + 1):
        began = time.perf_counter()
        for _ in range(updates):
            trainer._update()
        update = (time.perf_counter() - began) / updates
        with timed_parts() as seconds:
            began = time.perf_counter()
            trainer.save()
            save = time.perf_counter() - began
        share = save / (save + epoch * update)
        if turn:  # the first was a warm-up
            rows.append({"seconds": save, **seconds, "update, seconds": update, "share of an epoch": share})
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}


@contextmanager
def timed_parts() -> Iterator[dict[str, float]]:
    """Seconds spent in each of PARTS while this lasts."""
    seconds = dict.fromkeys(PARTS, 0.0)
    originals = {part: getattr(*place) for part, place in PARTS.items()}

    def timed(part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*arguments: Any) -> Any:
            began = time.perf_counter()
            try:
                return work(*arguments)
            finally:
                seconds[part] += time.perf_counter() - began

        return measured

    for part, (place, name) in PARTS.items():
        setattr(place, name, timed(part, originals[part]))
    try:
        yield seconds
    finally:
        for part, (place, name) in PARTS.items():
            setattr(place, name, originals[part])
