"""A new score is one class and one YAML file, nothing else: this one is defined here, and learns."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from nmt.config import TrainSettings
from nmt.model import score
from nmt.training.schedule import Cosine
from tests.conftest import ROOT, tiny_model
from tests.training.toys import make_trainer, share_right, toy_store


class Distance(score.Score):
    """e = −‖Ws − h‖² / √H."""

    def __init__(self, query_size: int, state_size: int) -> None:
        super().__init__(query_size, state_size)
        self.query = nn.Linear(query_size, state_size, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        placed = self.query(query)
        squares = placed.square().sum(-1, keepdim=True) + keys.square().sum(-1).unsqueeze(1)
        return (2 * placed @ keys.mT - squares) / keys.size(-1) ** 0.5


@pytest.fixture
def overrides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The class stands in score.py, the file in a directory beside configs/."""
    monkeypatch.setattr(score, "Distance", Distance, raising=False)
    monkeypatch.setattr(Distance, "__module__", score.__name__)
    file = tmp_path / "configs/model/score/distance.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("_target_: nmt.model.score.Distance\n")
    return f"hydra.searchpath=[file://{tmp_path}/configs]", "model=bahdanau", "model/score=distance"


def test_it_learns_to_copy(tmp_path: Path, overrides: tuple[str, ...]) -> None:
    store, unseen = toy_store(3000, list), toy_store(200, list, seed=1)
    settings = TrainSettings(batch_size=50, max_epochs=None, max_steps=300, validate_every=10_000, label_smoothing=0.0)
    schedule = Cosine(total_steps=300, warmup_steps=30)
    trainer = make_trainer(tmp_path, store, settings, *overrides, lr=1e-2, schedule=schedule)
    assert isinstance(trainer.model.decoder.attention.score, Distance)
    trainer.fit()
    assert share_right(trainer.model, unseen) > 0.95


def test_its_energies_are_those_of_the_formula(overrides: tuple[str, ...]) -> None:
    new = tiny_model(*overrides).decoder.attention.score
    query, states = torch.randn(1, 1, 32), torch.randn(1, 3, 32)
    expected = [-((new.query.weight @ query[0, 0] - h).norm() ** 2) / 32**0.5 for h in states[0]]
    torch.testing.assert_close(new(query, new.keys(states))[0, 0], torch.stack(expected))


def test_the_project_itself_does_not_know_it() -> None:
    assert not (ROOT / "configs/model/score/distance.yaml").exists()
    assert not hasattr(score, "Distance")
