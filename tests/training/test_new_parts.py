"""A new score or cell is one class and one YAML file, nothing else: these are defined here, and learn."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from nmt.config import TrainSettings
from nmt.model import cell, score
from nmt.model.recurrence import Cell, State
from nmt.portable.beam import Beam
from nmt.portable.export import arrays, graphs
from nmt.portable.file import pack, unpack
from nmt.portable.model import PortableModel
from nmt.search import Greedy
from nmt.special import EOS
from nmt.training.schedule import Cosine
from tests.browser import in_base64
from tests.conftest import sentences, tiny_model
from tests.training.toys import make_trainer, share_right, toy_store

GREEDY = """async ([file, sources]) => {
  const { tensors, record } = await module_file.readModel(module_file.fromBase64(file));
  const model = new module_model.Model(record.graphs, tensors, false);
  return sources.map((source) => {
    let [memory, state] = model.encode(source);
    const tokens = [1]; // BOS
    while (tokens.length <= 2 * source.length && tokens.at(-1) !== 2) {
      const [logits, , next] = model.step([tokens.at(-1)], memory, state);
      tokens.push(logits.data.indexOf(Math.max(...logits.data)));
      state = next;
    }
    return tokens.slice(1);
  });
}"""


class Distance(score.Score):
    """e = −‖Ws − h‖² / √H."""

    def __init__(self, query_size: int, state_size: int) -> None:
        super().__init__(query_size, state_size)
        self.query = nn.Linear(query_size, state_size, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        placed = self.query(query)
        squares = placed.square().sum(-1, keepdim=True) + keys.square().sum(-1).unsqueeze(1)
        return (2 * placed @ keys.mT - squares) / keys.size(-1) ** 0.5


class MinimalGated(Cell):
    """f = σ(Wx + Uh), n = tanh(Wx + U(f∘h)), h' = (1 − f)∘h + f∘n (Zhou 2016)."""

    gates = 2

    def formula(self, layer: str, from_x: Tensor, state: State) -> State:
        (h,), size = state, self.hidden_size
        f = (from_x[:, :size] + self.from_state(layer, h)[:, :size]).sigmoid()
        n = (from_x[:, size:] + self.from_state(layer, f * h)[:, size:]).tanh()
        return (torch.lerp(h, n, f),)


NEW = {"score": (score, Distance), "cell": (cell, MinimalGated)}
TRAINED = ["score", pytest.param("cell", marks=pytest.mark.slow)]


@pytest.fixture(scope="module", params=NEW)
def overrides(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    """The class stands in its module, the file in a directory beside configs/."""
    kind = request.param
    module, new = NEW[kind]
    configs = tmp_path_factory.mktemp("configs")
    (file := configs / f"model/{kind}/novel.yaml").parent.mkdir(parents=True)
    file.write_text(f"_target_: {module.__name__}.{new.__name__}\n")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(module, new.__name__, new, raising=False)
        monkeypatch.setattr(new, "__module__", module.__name__)
        yield f"hydra.searchpath=[file://{configs}]", "model=bahdanau", f"model/{kind}=novel"


def is_used(model: Any) -> bool:
    return any(isinstance(module, (Distance, MinimalGated)) for module in model.modules())


class Trained(NamedTuple):
    """A model that has learnt to copy, in a portable file, and what it makes of sentences it has not seen."""

    file: bytes
    sources: list[list[int]]
    results: list[list[int]]


@pytest.fixture(scope="module")
def trained(overrides: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Trained:
    store, unseen = toy_store(3000, list), toy_store(200, list, seed=1)
    settings = TrainSettings(batch_size=50, max_epochs=None, max_steps=300, validate_every=10_000, label_smoothing=0.0)
    schedule = Cosine(total_steps=300, warmup_steps=30)
    directory = tmp_path_factory.mktemp("trained")
    trainer = make_trainer(directory, store, settings, *overrides, lr=1e-2, schedule=schedule)
    assert is_used(trainer.model)
    trainer.fit()
    assert share_right(trainer.model, unseen) > 0.95
    record, constants = graphs(trainer.model)
    sources = [[*source, EOS] for source in unseen.source]
    found = [Greedy()(trainer.model, torch.tensor([source]), torch.tensor([len(source)])) for source in sources]
    return Trained(
        pack(arrays(constants), {"graphs": record}, int8=False), sources, [each[0][0].tokens for each in found]
    )


@pytest.mark.parametrize("overrides", TRAINED, indirect=True)
def test_what_it_has_learnt_it_can_do_in_numpy(trained: Trained) -> None:
    tensors, record = unpack(trained.file)
    model, search = PortableModel(record["graphs"], tensors), Beam(beam_size=1)
    assert [list(search(model, source)[0].tokens) for source in trained.sources] == trained.results


@pytest.mark.parametrize("overrides", TRAINED, indirect=True)
def test_what_it_has_learnt_it_can_do_in_the_browser(trained: Trained, engine: Any) -> None:
    found = engine.evaluate(GREEDY, [in_base64(trained.file), trained.sources])
    assert [tokens[: tokens.index(EOS)] for tokens in found] == trained.results


def test_padding_and_steps_change_nothing(overrides: tuple[str, ...]) -> None:
    model = tiny_model(*overrides, "model.encoder.layers=2").eval()
    assert is_used(model)
    lengths, target = [5, 2], torch.tensor([[1, 7, 9], [1, 5, 8]])
    whole = model(sentences(lengths, width=7), torch.tensor(lengths), target)
    memory, state = model.encode(sentences(lengths), torch.tensor(lengths))
    for t in range(3):
        logits, weights, state = model.step(target[:, t], memory, state)
        torch.testing.assert_close(logits, model.output(whole.readout[:, t]), rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(F.pad(weights, (0, 2)), whole.weights[:, t], rtol=1e-4, atol=1e-6)
