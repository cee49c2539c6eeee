from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
import torch

from nmt.composition import composed
from nmt.config import TrainSettings
from nmt.data.settings import DataSettings
from nmt.factory import constructor
from nmt.search import Beam, Greedy, Sample
from nmt.typed import to_dataclass
from tests.conftest import ROOT, assert_refused


@dataclass(frozen=True)
class Inner:
    size: int


@dataclass(frozen=True)
class Outer:
    inner: Inner
    rate: float
    name: str = "x"
    kind: Literal["gru", "lstm"] = "gru"
    limit: int | None = None
    paths: str | list[str] | None = None
    sizes: list[int] = field(default_factory=list)


def test_a_mapping_becomes_a_dataclass() -> None:
    made = to_dataclass(Outer, {"inner": {"size": 3}, "rate": 2, "limit": None, "paths": ["a", "b"]}, "")
    assert made == Outer(Inner(3), 2.0, limit=None, paths=["a", "b"])
    assert isinstance(made.rate, float)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rate": "abc"}, r"rate must be a number; it is 'abc'"),
        ({"rate": True}, r"rate must be a number"),
        ({"inner": {"size": 2.5}}, r"inner\.size must be a whole number"),
        ({"inner": {"sice": 2}}, r"no setting inner\.sice: did you mean 'size'"),
        ({"inner": 3}, r"inner must hold named settings"),
        ({"inner": {}}, r"inner\.size is not set"),
        ({"kind": "gruu"}, r"kind cannot be 'gruu': did you mean 'gru'"),
        ({"limit": "no"}, r"limit must be a whole number"),
        ({"paths": 3}, r"paths must be a text"),
        ({"sizes": [1, "two"]}, r"sizes\[1\] must be a whole number"),
        ({"nmae": "y"}, r"no setting nmae: did you mean 'name'"),
        ({"zzz": 1}, r"no setting zzz: known: inner, kind"),
        ({"rate": None}, r"rate must be a number"),
    ],
)
def test_a_mistake_is_named(changes: dict[str, Any], message: str) -> None:
    assert_refused(message, to_dataclass, Outer, {"inner": {"size": 3}, "rate": 1.0, **changes}, "")


@pytest.mark.parametrize("group", ["model", "data", "optimizer", "scheduler", "decode", "size", "experiment"])
def test_every_config_is_valid(group: str) -> None:
    options = [path.stem for path in (ROOT / "configs" / group).glob("*.yaml")]
    assert options
    for option in options:
        config = composed(f"{group}={option}")
        if group == "model":
            with torch.device("meta"):  # without the time of drawing weights
                constructor(config.model, "model")(source_vocab=8, target_vocab=8)
        constructor(config.optimizer, "optimizer")
        constructor(config.scheduler, "scheduler")(total_steps=10)
        constructor(config.decode, "decode")()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"_target_": "nmt.model.score.Aditive"}, "no class 'Aditive'; did you mean 'Additive'"),
        ({"_target_": "nmt.model.skore.Additive"}, "no module"),
        ({"_target_": "torch.optim.AdamW", "lr": "fast"}, r"part\.lr must be a number"),
        ({"_target_": "nmt.model.score.Additive", "sise": 3}, r"no setting part\.sise: did you mean 'size'"),
        ({"size": 3}, "must name a class"),
        (None, "must name a class"),
        ({"_target_": "nmt.model.seq2seq.Seq2Seq", "score": 3}, r"part\.score must be"),
        ({"_target_": "nmt.model.seq2seq.Seq2Seq", "score": {"_target_": "x"}}, r"part\.score\._target_"),
    ],
)
def test_only_our_own_parts_are_built(spec: Any, message: str) -> None:
    assert_refused(message, constructor, spec, "part")


def test_defaults_in_the_code_are_those_in_the_configs() -> None:
    """Whoever uses the classes gets what the commands give."""
    config = composed("data=parallel", "size=30k", "data.prepared_dir=/prepared")
    assert config.train == TrainSettings()
    for method in (Beam(), Greedy(), Sample()):
        assert composed(f"decode={type(method).__name__.lower()}").decode == method.record()
    assert config.decode == Beam().record()
    assert config.data == DataSettings(name="parallel", prepared_dir="/prepared")
