"""Toy translation tasks and a trainer for them, made of the real parts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nmt.config import TrainSettings
from nmt.data.batching import BatchPlan, collate
from nmt.data.store import Sequences, TokenStore
from nmt.factory import constructor
from nmt.model.seq2seq import Seq2Seq
from nmt.ranks import ALONE, Ranks
from nmt.search import Greedy
from nmt.training.checkpoint import MODEL, TENSORS, Checkpoints
from nmt.training.monitor import Monitor, Validation
from nmt.training.schedule import Constant, Schedule
from nmt.training.trainer import Data, Trainer
from tests.conftest import tiny_model

VOCAB = 14
COPY = list
PARTS = {"dropout", "lr", "seed", "precision", "schedule", "validate", "ranks", "optimizer"}


def settings(**changes: object) -> TrainSettings:
    defaults = {"batch_size": 8, "max_epochs": None, "max_steps": 12, "validate_every": 100, "log_every": 5}
    defaults |= {"average_decay": 0.0}  # unless it is what a test is about
    return TrainSettings(**{**defaults, **changes})  # type: ignore[arg-type]


def sequences(rows: list[list[int]]) -> Sequences:
    lengths = np.array([len(row) for row in rows])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Sequences(np.concatenate([np.array(row) for row in rows]), offsets, lengths)


def toy_store(
    pairs: int, task: Callable[[list[int]], list[int]], longest: int = 6, *, shortest: int = 1, seed: int = 0
) -> TokenStore:
    random = np.random.default_rng(seed)
    source = [random.integers(4, VOCAB, random.integers(shortest, longest + 1)).tolist() for _ in range(pairs)]
    return TokenStore(sequences(source), sequences([task(row) for row in source]))


def make_trainer(
    directory: Path,
    store: TokenStore,
    settings: TrainSettings,
    *overrides: str,
    lr: float = 3e-3,
    seed: int = 1,
    precision: torch.dtype | None = None,
    schedule: Schedule | None = None,
    validate: Callable[[Seq2Seq], Validation] | None = None,
    dropout: float = 0.0,
    ranks: Ranks = ALONE,
    optimizer: dict[str, Any] | None = None,
) -> Trainer:
    torch.manual_seed(seed)
    model = tiny_model(*overrides, vocab=VOCAB, seed=seed, dropout=dropout)
    plan = BatchPlan(store.source.lengths, store.target.lengths, settings.batch_size, settings.batch_unit, seed)
    checkpoints = Checkpoints(directory / "checkpoints")
    spec = optimizer or {"_target_": "torch.optim.AdamW", "lr": lr, "fused": True}
    return Trainer(
        model=model,
        data=Data(plan.epoch, lambda indices: collate(store, indices), store.target_tokens),
        optimizer=constructor(spec, "optimizer")(model.parameters()),
        schedule=schedule or Constant(total_steps=1000, warmup_steps=5),
        settings=settings,
        checkpoints=checkpoints,
        monitor=Monitor(directory / "tensorboard", settings, 1000),
        validate=lambda: validate(model) if validate else Validation({"bleu": 0.0, "loss": 0.0}, [], {}),
        device=torch.device("cpu"),
        precision=precision,
        ranks=ranks,
    )


def toy_trainer(directory: Path, *overrides: str, pairs: int = 60, **options: Any) -> Trainer:
    """A trainer that has a few pairs to copy; options are those of `make_trainer`, all others are settings."""
    parts = {name: options.pop(name) for name in PARTS & options.keys()}
    return make_trainer(directory, toy_store(pairs, COPY), settings(**options), *overrides, **parts)


def trained(directory: Path, *overrides: str, **options: Any) -> Trainer:
    """The same after training to its end."""
    trainer = toy_trainer(directory, *overrides, **options)
    trainer.fit()
    return trainer


def resumed(directory: Path, *overrides: str, **options: Any) -> Trainer:
    """A new trainer that has read the last checkpoint of a directory, whatever the RNG did in between."""
    torch.manual_seed(999)
    trainer = toy_trainer(directory, *overrides, **options)
    torch.manual_seed(998)
    trainer.restore()
    return trainer


def bytes_of(trainer: Trainer) -> list[bytes]:
    """The tensors of the checkpoint that a trainer wrote last."""
    return [(trainer.checkpoints.path(trainer.state.step) / name).read_bytes() for name in (MODEL, TENSORS)]


def share_right(model: Seq2Seq, store: TokenStore) -> float:
    """How many sequences greedy search gets exactly right."""
    batch = collate(store, np.arange(len(store)))
    model.eval()
    found = Greedy()(model, batch.source, batch.source_lengths)
    return float(np.mean([found[i][0].tokens == store.target[i] for i in range(len(store))]))
