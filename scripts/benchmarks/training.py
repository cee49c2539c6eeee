"""Training: tokens per second, the share of the machine's arithmetic that they use, memory, and a naive twin."""

import dataclasses
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.naive import naive_loss
from benchmarks.yardstick import Arithmetic, Figures, Peak, in_turn, median_ratio, medians, timed
from nmt.config import Config
from nmt.data.batching import Batch, BatchPlan, collate
from nmt.data.prepare import PreparedCorpus
from nmt.factory import constructor
from nmt.training.checkpoint import Checkpoints
from nmt.training.monitor import Monitor, Validation
from nmt.training.trainer import Data, Trainer
from nmt.translator import build_model

BATCH, SMOOTHING, EVER = 64, 0.1, 100_000
SPEED = "tokens_per_second"


class Subject:
    """One model with the real trainer, whose parts are timed."""

    def __init__(self, config: Config, corpus: PreparedCorpus, same_batch: bool = False) -> None:
        """Make a model and its trainer; `same_batch` makes every batch the same."""
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.batches: list[Batch] = []
        torch.manual_seed(1)
        model = build_model(config, len(corpus.source_tokenizer), len(corpus.target_tokenizer))
        lengths = corpus.train.source.lengths, corpus.train.target.lengths
        plan = BatchPlan(*lengths, BATCH, "sentences", seed=1)
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        self.trainer = Trainer(
            model=model,
            data=Data(
                lambda epoch: plan.epoch(0)[:1] if same_batch else plan.epoch(epoch),
                self._timed("batching", partial(self._load, corpus)),
                corpus.train.target_tokens,
            ),
            optimizer=constructor(config.optimizer, "optimizer")(model.parameters()),
            schedule=constructor(config.scheduler, "scheduler")(total_steps=EVER),
            settings=config.train,
            checkpoints=Checkpoints(folder),
            monitor=Monitor(folder, config.train, EVER),
            validate=lambda: Validation({}, [], {}),
            device=torch.device("cpu"),
            precision=None,
        )
        self.trainer._started = time.perf_counter()
        for owner, part in ((self.trainer, "_backward"), (self.trainer, "_clip"), (self.trainer.scaler, "step")):
            setattr(owner, part, self._timed("learning", getattr(owner, part)))  # _backward is forward and backward

    def _load(self, corpus: PreparedCorpus, indices: np.ndarray) -> Batch:
        self.batches.append(collate(corpus.train, indices))
        return self.batches[-1]

    def _timed(self, part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*arguments: Any) -> Any:
            began = time.perf_counter()
            result = work(*arguments)
            self.seconds[part] += time.perf_counter() - began
            return result

        return measured

    def updates(self, count: int, peak: Peak | None = None, arithmetic: Arithmetic | None = None) -> Figures:
        """Make some updates; with `peak` and `arithmetic` the utilisation is measured too."""
        self.seconds.clear()
        self.batches.clear()
        total, peaks = 0.0, [peak.measure()] if peak else []
        for _ in range(count):
            total += timed(self.trainer._update)
            peaks += [peak.measure()] if peak else []
        figures = {
            SPEED: sum(batch.tokens for batch in self.batches) / total,
            "share outside learning": 1 - self.seconds["learning"] / total,
            "share of batching": self.seconds["batching"] / total,
        }
        if arithmetic:
            sizes = [(int(batch.source_lengths.sum()), batch.tokens, len(batch)) for batch in self.batches]
            work = sum(arithmetic.update(*size) for size in sizes)
            figures["utilisation"] = work / total / statistics.median(peaks)
        return figures

    def memory(self) -> float:
        """MiB of tensors that an update holds at its height, beside weights and optimiser."""
        activities = [torch.profiler.ProfilerActivity.CPU]
        with torch.profiler.profile(activities=activities, profile_memory=True) as profiler:
            self.trainer._update()
        results: Any = profiler.profiler  # its public events leave out what an operator allocates for itself
        events = results.kineto_results.events()
        changes = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
        return max(accumulate(size for _, size in changes)) / 2**20


def naive_trainer(config: Config, corpus: PreparedCorpus) -> Callable[[list[Batch]], Figures]:
    """The tutorial's form of Bahdanau's model: a function that makes an update with each of some batches."""
    torch.manual_seed(1)
    model = build_model(config, len(corpus.source_tokenizer), len(corpus.target_tokenizer))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)

    def updates(batches: list[Batch]) -> Figures:
        began = time.perf_counter()
        for batch in batches:
            optimizer.zero_grad()
            naive_loss(model, batch, SMOOTHING).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        return {SPEED: sum(batch.tokens for batch in batches) / (time.perf_counter() - began)}

    return updates


def measure(
    configs: dict[str, Config], corpus: PreparedCorpus, repeats: int, updates: int, peak: Peak
) -> dict[str, Figures]:
    """Medians over repeats in which the models take turns."""
    subjects = {name: Subject(config, corpus) for name, config in configs.items()}
    naive, ours = naive_trainer(configs["bahdanau"], corpus), subjects["bahdanau"]
    random = np.random.default_rng(1)

    def random_batches() -> list[Batch]:  # pairs of any length together, as the tutorial has them
        pairs = random.permutation(len(corpus.train))[: updates * BATCH]
        return [collate(corpus.train, part) for part in np.array_split(pairs, updates)]

    twins: dict[str, Callable[[], Figures]] = {
        "naive twin, same batches": lambda: naive(ours.batches),
        "naive twin, random batches": lambda: naive(random_batches()),
    }
    for subject in subjects.values():  # a warm-up
        subject.updates(1)
    turns = {name: partial(subject.updates, updates, peak, Arithmetic.of(name)) for name, subject in subjects.items()}
    rows = in_turn({**turns, **twins}, repeats)
    results = {name: medians(each) for name, each in rows.items()}
    for name in twins:
        results["bahdanau"][f"times the {name}"] = median_ratio(rows["bahdanau"], rows[name], SPEED)
    for name, subject in subjects.items():
        results[name]["peak MiB"] = subject.memory()
    return results


def compile_effect(config: Config, corpus: PreparedCorpus, repeats: int, updates: int) -> float:
    """How many times as fast Bahdanau's model trains with `train.compile=true`, compiled for the shape of one batch.

    A run compiles again for every other length of the target, which takes its time.
    """
    compiling = dataclasses.replace(config, train=dataclasses.replace(config.train, compile=True))
    plain, compiled = (Subject(each, corpus, same_batch=True) for each in (config, compiling))
    for subject in (plain, compiled):  # a warm-up
        subject.updates(3)
    turns = {"plain": partial(plain.updates, updates), "compiled": partial(compiled.updates, updates)}
    rows = in_turn(turns, repeats)
    return median_ratio(rows["compiled"], rows["plain"], SPEED)


def write_profile(config: Config, corpus: PreparedCorpus, path: Path) -> None:
    """Trace three updates of Bahdanau's model, for TensorBoard or Perfetto."""
    subject = Subject(config, corpus)
    subject.updates(2)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as profiler:
        subject.updates(3)
    path.parent.mkdir(parents=True, exist_ok=True)
    profiler.export_chrome_trace(str(path))
