"""Every part and every model against the plain loops of `naive.py`, forward and backward, in float64."""

import functools
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from nmt.composition import composed
from nmt.factory import constructor
from nmt.model import energies
from nmt.model.alignment import ForwardOnly, Hard, LocalM, LocalP
from nmt.model.attention import Attention
from nmt.model.encoder import SelfAttentiveEncoder
from nmt.model.score import Additive, Dot, FeedForward, General, KeyValue, MultiHead, Structured
from tests.conftest import CELLS, MODELS, ROOT, assert_refused, logits_of, sentences, tiny_model
from tests.model import naive

T, S, Q = 5, 6, 8
LENGTHS = [6, 4, 1]
SCORES = sorted(path.stem for path in (ROOT / "configs/model/score").glob("*.yaml"))
ALIGNMENTS = sorted(path.stem for path in (ROOT / "configs/model/alignment").glob("*.yaml"))


@functools.cache
def part_settings(kind: str, name: str) -> dict[str, Any]:
    """What a YAML file of a score or an alignment says."""
    return composed("model=bahdanau", f"model/{kind}={name}").model[kind]


def part(kind: str, name: str):
    """The constructor that a YAML file names, small where it has a size."""
    small = {"size": 8, "window": 2, "heads": 2, "temperature": 0.5}
    spec = {key: small.get(key, value) for key, value in part_settings(kind, name).items()}
    if "score" in spec:
        spec["score"] = {**spec["score"], "size": 8}
    return constructor(spec, name)


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize("one_by_one", [False, True], ids=["at once", "one by one"])
@pytest.mark.parametrize("alignment", ALIGNMENTS)
@pytest.mark.parametrize("score", SCORES)
def test_attention(score: str, alignment: str, one_by_one: bool) -> None:
    torch.manual_seed(0)
    attention = Attention(part("score", score), part("alignment", alignment), query_size=Q, state_size=Q).double()
    for parameter in attention.parameters():
        nn.init.normal_(parameter, std=0.6)
    queries = torch.randn(len(LENGTHS), T, Q, dtype=torch.float64, requires_grad=True)
    states = torch.randn(len(LENGTHS), S, Q, dtype=torch.float64, requires_grad=True)
    mask = torch.arange(S) < torch.tensor(LENGTHS).unsqueeze(1)

    memory = attention.remember(states, mask)
    state, contexts, weights = attention.initial_state(memory), [], []
    for query in queries.split(1 if one_by_one else T, dim=1):
        looked = attention(query, memory, state)
        state = looked.state
        contexts.append(looked.context)
        weights.append(looked.weights)
    fast = torch.cat([torch.cat(contexts, dim=1), torch.cat(weights, dim=1)], dim=-1)

    rows = []
    for b, length in enumerate(LENGTHS):
        past: naive.Past = []
        for t in range(T):
            c, w = naive.attend(attention, queries[b, t], list(states[b, :length]), past)
            rows.append(torch.cat([c, w, torch.zeros(S - length)]))
    assert_same_with_gradients(fast, torch.stack(rows).view_as(fast), [queries, states, *attention.parameters()])


WIRINGS = [
    *((f"model={name}",) for name in MODELS),
    ("model=bahdanau", "model.decoder.readout=tanh", "model.decoder.layers=2"),
    ("model=luong", "model.encoder.layers=2"),
    *(("model=luong_input_feeding", f"model/cell={cell}", "model.decoder.layers=2") for cell in CELLS),
    *(("model=seq2seq", f"model/cell={cell}", "model.encoder.layers=2") for cell in CELLS),
    ("model=luong", "+model/cell@model.encoder.cell=lstm"),
    ("model=luong_input_feeding", "model/alignment=local_p", "model/score=coverage"),
    ("model=seq2seq", "model.encoder.bidirectional=false", "model.decoder.layers=2"),
    ("model=seq2seq", "model/encoder=self_attentive"),
    *(("model=self_attentive", f"model/score@model.encoder.score={form}") for form in SCORES if form != "coverage"),
]


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize("overrides", WIRINGS, ids=" ".join)
def test_model(overrides: tuple[str, ...]) -> None:
    model = tiny_model(*overrides).double()
    source, lengths = sentences([5, 3]), torch.tensor([5, 3])
    target = torch.tensor([[1, 7, 9, 4], [1, 5, 5, 8]])
    fast = logits_of(model, source, lengths, target)
    slow = torch.stack([naive.logits_of_one(model, source[b, : lengths[b]], target[b]) for b in range(2)])
    assert_same_with_gradients(fast, slow, list(model.parameters()))


def assert_same_with_gradients(fast: Tensor, slow: Tensor, inputs: list[Tensor]) -> None:
    torch.testing.assert_close(fast, slow)
    direction = torch.randn_like(fast)
    gradients = [
        torch.autograd.grad((outputs * direction).sum(), inputs, allow_unused=True, materialize_grads=True)
        for outputs in (fast, slow)
    ]
    for a, b in zip(*gradients, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("budget", [0, 2**20], ids=["computed again", "stored"])
def test_additive_energies(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(energies, "KEEP_HIDDEN", budget)
    shapes = (2, 3, 4), (2, 5, 4), (4,)
    queries, keys, v = (torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes)
    saved: list[Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: saved.append(x) or x, lambda x: x):
        fast = energies.additive_energies(queries, keys, v)
    hidden = [x for x in saved if x.shape == keys.shape and x.data_ptr() != keys.data_ptr()]
    assert bool(hidden) == (budget > 0)
    assert_same_with_gradients(fast, (queries.unsqueeze(2) + keys.unsqueeze(1)).tanh() @ v, [queries, keys, v])


def test_hard_alignment_draws_from_the_softmax_in_training_and_takes_the_best_in_use() -> None:
    torch.manual_seed(0)
    energies = torch.tensor([1.0, 0.0, 2.0, -1.0]).expand(1, 20_000, 4)
    mask = torch.tensor([[[True, True, True, False]]])
    alignment = Hard(Q, temperature=0.3)  # which shapes the gradient, not the draws
    drawn, _ = alignment(energies, torch.zeros(1, 1, Q), mask, ())
    assert set(drawn.unique().tolist()) == {0.0, 1.0}
    expected = torch.tensor([1.0, 0.0, 2.0]).softmax(-1)
    torch.testing.assert_close(drawn[0].mean(0), torch.cat([expected, torch.zeros(1)]), atol=0.01, rtol=0)
    used, _ = alignment.eval()(energies, torch.zeros(1, 1, Q), mask, ())
    assert used[0].mean(0).tolist() == [0, 0, 1, 0]


def test_forward_only_alignment_stays_finite_over_a_thousand_steps() -> None:
    """The exponential of 100 is beyond single precision."""
    torch.manual_seed(0)
    energies = (100 * torch.randn(1, 1000, 5)).clamp(-100, 100).requires_grad_()
    mask = torch.tensor([[[True, True, True, True, False]]])
    alignment = ForwardOnly(Q)
    weights, _ = alignment(energies, torch.zeros(1, 1, Q), mask, alignment.initial_state(mask))
    torch.testing.assert_close(weights.sum(-1), torch.ones(1, 1000))
    weights[0, -1, 0].backward()
    assert energies.grad.isfinite().all()


def test_local_p_finds_its_place_far_into_a_sentence_in_half_precision() -> None:
    torch.manual_seed(0)
    alignment = LocalP(Q, window=1)
    queries, energies = 3 * torch.randn(1, 200, Q), torch.zeros(1, 200, 259)
    mask = torch.ones(1, 1, 259, dtype=torch.bool)
    exact, _ = alignment(energies, queries, mask, ())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough, _ = alignment(energies, queries, mask, ())
    assert rough.isfinite().all()
    assert (rough.sum(-1) > 0.2).all()  # at least one position is in the window
    places = torch.arange(259.0)
    centres = [(w * places).sum(-1) / w.sum(-1) for w in (exact, rough.float())]
    torch.testing.assert_close(*centres, atol=2.0, rtol=0)  # half precision has three digits for the query's part


def test_the_score_inside_a_key_value_score_can_be_exchanged() -> None:
    model = tiny_model("model=key_value", "model/score@model.score.score=general")
    assert type(model.decoder.attention.score.inner) is General


BAD = [
    (lambda: Dot(query_size=6, state_size=8), r"model\.decoder\.hidden_size=8 .*it is 6"),
    (lambda: MultiHead(Q, Q, size=10, heads=4), "4 heads do not divide"),
    (lambda: MultiHead(Q, Q, size=8, heads=0), "heads of a score must be at least 1"),
    (lambda: Structured(Q, Q, size=0, heads=2), "size of a score must be at least 1"),
    (lambda: Additive(Q, Q, size=-1), "size of a score must be at least 1"),
    (lambda: FeedForward(Q, Q, size=0), "size of a score must be at least 1"),
    (lambda: KeyValue(Q, Q, score=part("score", "multi_head")), "cannot hold MultiHead"),
    (lambda: SelfAttentiveEncoder(part("score", "coverage"), Q, Q), "no score for an encoder"),
    (lambda: Hard(Q, temperature=0.0), "temperature must be above 0"),
    (lambda: LocalM(Q, window=0), "window must be at least 1"),
    (lambda: LocalP(Q, window=-1), "window must be at least 1"),
]


@pytest.mark.parametrize(("build", "message"), BAD)
def test_a_part_that_cannot_be_says_how_it_can(build, message: str) -> None:
    assert_refused(message, build)
