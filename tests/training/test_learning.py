"""Tiny models must learn tiny languages; these fail if anything between the data and the search is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.config import TrainSettings
from nmt.training.schedule import Cosine
from tests.conftest import MODELS
from tests.training.toys import make_trainer, share_right, toy_store


def reverse(tokens: list[int]) -> list[int]:
    return tokens[::-1]


@pytest.mark.parametrize("task", [list, reverse], ids=["copy", "reverse"])
@pytest.mark.parametrize("name", MODELS)
def test_learns(tmp_path: Path, name: str, task) -> None:
    store, unseen = toy_store(3000, task), toy_store(200, task, seed=1)
    chosen = TrainSettings(batch_size=50, max_epochs=None, max_steps=600, validate_every=10_000, label_smoothing=0.0)
    schedule = Cosine(total_steps=600, warmup_steps=30)
    trainer = make_trainer(tmp_path, store, chosen, f"model={name}", lr=1e-2, schedule=schedule)
    assert share_right(trainer.model, unseen) < 0.2
    trainer.fit()
    # One fixed vector must hold the whole sequence, so the model without attention has the harder task.
    assert share_right(trainer.model, unseen) > (0.7 if name == "seq2seq" else 0.95)
