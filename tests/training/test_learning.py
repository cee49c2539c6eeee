"""Tiny models must learn tiny languages; these fail if anything between the data and the search is broken."""

from pathlib import Path

import pytest

from nmt.config import TrainSettings
from nmt.training.schedule import Cosine
from tests.conftest import MODELS
from tests.training.toys import make_trainer, share_right, toy_store

LONGEST = 8  # too long for these small states to learn to hold in this time, so that it takes attention
STEPS = {"scaled_dot": 900}  # bounded states divided by √H are a gentle slope to begin on


def reverse(tokens: list[int]) -> list[int]:
    return tokens[::-1]


# What a mechanism is not made for, and why.
ONE_VECTOR = "one vector, the same at every step, has to hold the whole sequence"
FAILS = {
    ("seq2seq", list): ONE_VECTOR,
    ("seq2seq", reverse): ONE_VECTOR,
    ("static", list): ONE_VECTOR,
    ("static", reverse): ONE_VECTOR,
    ("feed_forward", list): ONE_VECTOR,
    ("feed_forward", reverse): ONE_VECTOR,
    ("local_m", reverse): "what is written first stands at the other end, outside of the window",
}


# One of each kind in the fast tests; those that do much the same as another one, in the slow tests.
FAST = {list: ["bahdanau", "luong", "hard", "seq2seq"], reverse: ["bahdanau"]}
CASES = [
    pytest.param(name, task, id=f"{name}-{label}", marks=() if name in FAST[task] else pytest.mark.slow)
    for task, label in ((list, "copy"), (reverse, "reverse"))
    for name in MODELS
]


@pytest.mark.parametrize(("name", "task"), CASES)
def test_learns(tmp_path: Path, name: str, task) -> None:
    store = toy_store(4000, task, LONGEST)
    unseen = toy_store(100, task, LONGEST, shortest=LONGEST, seed=1)
    steps = STEPS.get(name, 300)
    settings = TrainSettings(batch_size=100, max_epochs=None, max_steps=steps, validate_every=9999, label_smoothing=0.0)
    schedule = Cosine(total_steps=steps, warmup_steps=30)
    trainer = make_trainer(tmp_path, store, settings, f"model={name}", lr=1.5e-2, schedule=schedule)
    assert share_right(trainer.model, unseen) < 0.05
    trainer.fit()
    if reason := FAILS.get((name, task)):
        assert share_right(trainer.model, unseen) < 0.3, f"it should fail: {reason}"
    else:
        assert share_right(trainer.model, unseen) > 0.5
