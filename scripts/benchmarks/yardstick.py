"""The models that are measured, the arithmetic they need, the speed of this machine, and measuring in turn."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from nmt.composition import composed
from nmt.config import Config, load_config
from nmt.overrides import in_hydra

EMBEDDING, STATES, DECODER, ATTENTION, READOUT, VOCABULARY = 256, 512, 512, 512, 512, 8000
SIZES = [
    f"model.embedding_size={EMBEDDING}",
    f"model.readout_size={READOUT}",
    "model.tie=none",
    f"model.encoder.hidden_size={STATES // 2}",
    f"model.decoder.hidden_size={DECODER}",
    *(f"model.{kind}_dropout=0" for kind in ("embedding", "state", "readout")),
    "optimizer.weight_decay=0",
]
MODELS = {
    "seq2seq": ["model=seq2seq", "model.decoder.readout=tanh"],
    "bahdanau": ["model=bahdanau", "model.decoder.readout=tanh", f"model.score.size={ATTENTION}"],
    "luong": ["model=luong"],
    "luong, input feeding": ["model=luong", "model.decoder.input_feeding=true"],
}
Figures = dict[str, float]


def configure(name: str, corpus: tuple[Path, Path] | None, prepared: Path) -> Config:
    """The settings of one of MODELS on two parallel files, or on the embedded corpus."""
    data = [f"data.vocab_size={VOCABULARY}", f"data.prepared_dir={prepared}"]
    if corpus is not None:
        source, target = corpus
        languages = source.name.removesuffix(".gz").split(".")[-1], target.name.removesuffix(".gz").split(".")[-1]
        data += [
            "data=parallel",
            f"data.path={in_hydra([str(source), str(target)])}",
            f"data.columns=[{','.join(languages)}]",
        ]
    return load_config(composed(*MODELS[name], *SIZES, *data))


@dataclass(frozen=True)
class Arithmetic:
    """Floating-point operations of the matrix products that a model needs, 2 for each multiplication and addition.

    Forward only; a backward pass needs twice as many. Counted by the formulas of the papers, whatever the code does.
    """

    source_token: int
    target_token: int
    sentence: int

    @classmethod
    def of(cls, name: str) -> "Arithmetic":
        """What one of MODELS needs."""
        gru = 3 * DECODER
        source = 2 * 3 * (STATES // 2) * (EMBEDDING + STATES // 2)  # two directions
        target = gru * (EMBEDDING + DECODER)
        if name == "seq2seq":
            target += gru * STATES + READOUT * (DECODER + EMBEDDING + STATES)
        elif name == "bahdanau":
            source += STATES * ATTENTION
            target += DECODER * ATTENTION + gru * STATES + READOUT * (DECODER + EMBEDDING + STATES)
        else:
            source += STATES * DECODER
            target += READOUT * (DECODER + STATES) + (gru * READOUT if "feeding" in name else 0)
        return cls(2 * source, 2 * (target + READOUT * VOCABULARY), 2 * STATES * DECODER)

    def update(self, source_tokens: int, target_tokens: int, sentences: int) -> int:
        """Operations of a training step, forward and backward, over real tokens."""
        return 3 * (self.source_token * source_tokens + self.target_token * target_tokens + self.sentence * sentences)


class Peak:
    """The rate at which this machine multiplies large matrices, measured among the other measurements."""

    def __init__(self, size: int = 1536) -> None:
        self.a, self.b, self.product = torch.randn(size, size), torch.randn(size, size), torch.empty(size, size)
        self.rates: list[float] = []
        self.measure()
        self.rates.clear()  # the first was a warm-up

    def measure(self) -> float:
        """Operations per second of one sgemm, now."""
        seconds = timed(lambda: torch.mm(self.a, self.b, out=self.product))
        self.rates.append(2 * self.a.size(0) ** 3 / seconds)
        return self.rates[-1]

    @property
    def rate(self) -> float:
        """The median so far."""
        return statistics.median(self.rates)


def timed(work: Callable[[], Any]) -> float:
    """Seconds that some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turn(subjects: Mapping[str, Callable[[], Figures]], repeats: int) -> dict[str, list[Figures]]:
    """Measure each subject once, then each again, so that a busy machine slows all of them alike."""
    turns = [{name: measure() for name, measure in subjects.items()} for _ in range(repeats)]
    return {name: [turn[name] for turn in turns] for name in subjects}


def medians(rows: list[Figures]) -> Figures:
    """The median of each figure over the turns of a subject."""
    return {figure: statistics.median(row[figure] for row in rows) for figure in rows[0]}


def median_ratio(one: list[Figures], other: list[Figures], figure: str) -> float:
    """How many times as large a figure is for one subject as for another, the median over their turns."""
    return statistics.median(a[figure] / b[figure] for a, b in zip(one, other, strict=True))
