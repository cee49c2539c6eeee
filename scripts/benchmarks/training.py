"""Training: tokens a second, the share of the machine's arithmetic that they use, memory, and a naive twin."""

from __future__ import annotations

import dataclasses
import statistics
import tempfile
import time
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.naive import naive_loss
from benchmarks.yardstick import Arithmetic, Peak
from nmt.config import Config
from nmt.data.batching import Batch, BatchPlan, collate
from nmt.data.prepare import PreparedCorpus
from nmt.factory import constructor
from nmt.training.checkpoint import Checkpoints
from nmt.training.monitor import Monitor, Validation
from nmt.training.trainer import Data, Trainer
from nmt.translator import build_model

BATCH, SMOOTHING, EVER = 64, 0.1, 100_000


class Subject:
    """One model with the real trainer, made to say where its time goes."""

    def __init__(self, name: str, config: Config, corpus: PreparedCorpus, same_batch: bool = False) -> None:
        """Train one of MODELS; `same_batch` makes every batch the same."""
        self.arithmetic, self.corpus = Arithmetic.of(name), corpus
        self.seconds: dict[str, float] = {}
        self.batches: list[Batch] = []
        torch.manual_seed(1)
        model = build_model(config, len(corpus.source_tokenizer), len(corpus.target_tokenizer))
        lengths = corpus.train.source.lengths, corpus.train.target.lengths
        plan = BatchPlan(*lengths, BATCH, "sentences", seed=1)
        settings = config.train
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        self.trainer = Trainer(
            model=model,
            data=Data(
                lambda epoch: plan.epoch(0)[:1] if same_batch else plan.epoch(epoch),
                self._load,
                corpus.train.target_tokens,
            ),
            optimizer=constructor(config.optimizer, "optimizer")(model.parameters()),
            schedule=constructor(config.scheduler, "scheduler")(total_steps=EVER),
            settings=settings,
            checkpoints=Checkpoints(folder),
            monitor=Monitor(folder, settings, EVER),
            validate=lambda: Validation({}, [], {}),
            device=torch.device("cpu"),
            precision=None,
        )
        self.trainer._started = time.perf_counter()
        for part in ("_backward", "_clip"):  # _backward is forward and backward
            setattr(self.trainer, part, self._timed(getattr(self.trainer, part)))
        self.trainer.scaler.step = self._timed(self.trainer.scaler.step)  # type: ignore[method-assign]

    def _load(self, indices: np.ndarray) -> Batch:
        began = time.perf_counter()
        self.batches.append(collate(self.corpus.train, indices))
        self._add("batching", began)
        return self.batches[-1]

    def _timed(self, work: Any) -> Any:
        def measured(*arguments: Any) -> Any:
            began = time.perf_counter()
            result = work(*arguments)
            self._add("learning", began)
            return result

        return measured

    def _add(self, part: str, began: float) -> None:
        self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - began

    def updates(self, count: int, peak: Peak) -> dict[str, float]:
        """Make some updates, of the same batches for every model."""
        self.seconds.clear()
        self.batches.clear()
        total, peaks = 0.0, [peak.measure()]
        for _ in range(count):
            began = time.perf_counter()
            self.trainer._update()
            total += time.perf_counter() - began
            peaks.append(peak.measure())
        tokens = sum(batch.tokens for batch in self.batches)
        work = sum(
            self.arithmetic.update(int(batch.source_lengths.sum()), batch.tokens, len(batch)) for batch in self.batches
        )
        return {
            "tokens_per_second": tokens / total,
            "utilisation": work / total / statistics.median(peaks),
            "share outside learning": 1 - self.seconds["learning"] / total,
            "share of batching": self.seconds["batching"] / total,
        }

    def memory(self) -> float:
        """MiB of tensors that an update holds at its height, beside weights and optimiser."""
        activities = [torch.profiler.ProfilerActivity.CPU]
        with torch.profiler.profile(activities=activities, profile_memory=True) as profiler:
            self.trainer._update()
        results: Any = profiler.profiler  # its public events leave out what an operator allocates for itself
        events = results.kineto_results.events()
        changes = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
        return max(accumulate(size for _, size in changes)) / 2**20


class Naive:
    """The tutorial's form."""

    def __init__(self, config: Config, corpus: PreparedCorpus) -> None:
        torch.manual_seed(1)
        self.model = build_model(config, len(corpus.source_tokenizer), len(corpus.target_tokenizer))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-4)
        self.corpus, self.random = corpus, np.random.default_rng(1)

    def random_batches(self, count: int) -> list[Batch]:
        """Pairs of any length together, as the tutorial has them."""
        pairs = self.random.permutation(len(self.corpus.train))[: count * BATCH]
        return [collate(self.corpus.train, part) for part in np.array_split(pairs, count)]

    def updates(self, batches: list[Batch]) -> float:
        """Target tokens a second."""
        began = time.perf_counter()
        for batch in batches:
            self.optimizer.zero_grad()
            naive_loss(self.model, batch, SMOOTHING).backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
        return sum(batch.tokens for batch in batches) / (time.perf_counter() - began)


def measure(
    configs: dict[str, Config], corpus: PreparedCorpus, repeats: int, updates: int, peak: Peak
) -> dict[str, dict[str, float]]:
    """Medians over repeats in which the models take turns."""
    subjects = {name: Subject(name, config, corpus) for name, config in configs.items()}
    naive = Naive(configs["bahdanau"], corpus)
    slow = ("naive twin, same batches", "naive twin, random batches")
    results: dict[str, list[dict[str, float]]] = {name: [] for name in [*subjects, *slow]}
    for subject in subjects.values():  # a warm-up
        subject.updates(1, peak)
    for _ in range(repeats):
        for name, subject in subjects.items():
            results[name].append(subject.updates(updates, peak))
        for name, batches in zip(slow, (subjects["bahdanau"].batches, naive.random_batches(updates)), strict=True):
            results[name].append({"tokens_per_second": naive.updates(batches)})
    medians = {
        name: {key: statistics.median(row[key] for row in rows) for key in rows[0]} for name, rows in results.items()
    }
    for name in slow:
        pairs = zip(results["bahdanau"], results[name], strict=True)
        ratios = [fast["tokens_per_second"] / twin["tokens_per_second"] for fast, twin in pairs]
        medians["bahdanau"][f"times the {name}"] = statistics.median(ratios)
    for name, subject in subjects.items():
        medians[name]["peak MiB"] = subject.memory()
    return medians


def compile_effect(config: Config, corpus: PreparedCorpus, repeats: int, updates: int, peak: Peak) -> float:
    """How many times as fast Bahdanau's model trains with `train.compile=true`, compiled for the shape of one batch.

    A run compiles again for every other length of the target, which takes its time.
    """
    compiling = dataclasses.replace(config, train=dataclasses.replace(config.train, compile=True))
    plain, compiled = (Subject("bahdanau", each, corpus, same_batch=True) for each in (config, compiling))
    for subject in (plain, compiled):
        subject.updates(3, peak)
    ratios = [
        compiled.updates(updates, peak)["tokens_per_second"] / plain.updates(updates, peak)["tokens_per_second"]
        for _ in range(repeats)
    ]
    return statistics.median(ratios)


def write_profile(config: Config, corpus: PreparedCorpus, path: Path) -> None:
    """Trace three updates of Bahdanau's model, for TensorBoard or Perfetto."""
    subject, peak = Subject("bahdanau", config, corpus), Peak()
    subject.updates(2, peak)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as profiler:
        for _ in range(3):
            subject.trainer._update()
    path.parent.mkdir(parents=True, exist_ok=True)
    profiler.export_chrome_trace(str(path))
