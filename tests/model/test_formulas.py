"""Each part against a plain loop written from its paper's formula, forward and backward, in float64."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.model.alignment import Soft
from nmt.model.decoder import BahdanauDecoder, FixedContextDecoder, LuongDecoder
from nmt.model.score import Additive, Dot, General, Score
from nmt.model.seq2seq import Seq2Seq
from tests.conftest import logits_of, sentences, tiny_model

B, T, S, Q, H, A = 3, 4, 5, 6, 6, 7


def additive(score: Additive, s: Tensor, h: Tensor) -> Tensor:
    inner = score.key.weight @ h + score.key.bias + score.query.weight @ s
    return (score.v.weight[0] * inner.tanh()).sum()


def general(score: General, s: Tensor, h: Tensor) -> Tensor:
    return s @ (score.key.weight @ h)


def dot(score: Dot, s: Tensor, h: Tensor) -> Tensor:
    return s @ h


FORMULAS = [(Additive(Q, H, A), additive), (General(Q, H), general), (Dot(Q, H), dot)]


@pytest.mark.parametrize(("score", "formula"), FORMULAS, ids=lambda x: type(x).__name__)
def test_score(score: Score, formula) -> None:
    score.double()
    torch.manual_seed(0)
    query = torch.randn(B, T, Q, dtype=torch.float64, requires_grad=True)
    states = torch.randn(B, S, H, dtype=torch.float64, requires_grad=True)
    fast = score(query, score.keys(states))
    naive = torch.stack(
        [
            torch.stack([torch.stack([formula(score, query[b, t], states[b, i]) for i in range(S)]) for t in range(T)])
            for b in range(B)
        ]
    )
    assert_same_with_gradients(fast, naive, [query, states, *score.parameters()])


def test_concat_is_additive_with_one_matrix() -> None:
    """v'tanh(W[s; h]), as Luong writes it."""
    score = Additive(Q, H, A).double()
    nn.init.zeros_(score.key.bias)
    query = torch.randn(1, 1, Q, dtype=torch.float64)
    states = torch.randn(1, 1, H, dtype=torch.float64)
    joined = torch.cat([score.query.weight, score.key.weight], dim=1)
    expected = score.v.weight[0] @ (joined @ torch.cat([query[0, 0], states[0, 0]])).tanh()
    torch.testing.assert_close(score(query, score.keys(states))[0, 0, 0], expected)


def test_dot_says_how_to_make_the_sizes_agree() -> None:
    with pytest.raises(UserError, match=r"model\.decoder\.hidden_size=8 .*it is 6"):
        Dot(query_size=6, state_size=8)


def test_soft_alignment_is_a_softmax_over_real_tokens() -> None:
    energies = torch.randn(1, 2, 4, dtype=torch.float64)
    mask = torch.tensor([[True, True, False, True]])
    weights, _ = Soft(Q)(energies, torch.zeros(1, 2, Q), mask, ())
    for t in range(2):
        exps = [float(energies[0, t, i].exp()) for i in (0, 1, 3)]
        expected = [exps[0] / sum(exps), exps[1] / sum(exps), 0.0, exps[2] / sum(exps)]
        assert weights[0, t].tolist() == pytest.approx(expected)


# Whole models, one sentence and one token at a time.

WIRINGS = [
    ("model=bahdanau",),
    ("model=bahdanau", "model.decoder.readout=tanh", "model.decoder.layers=2"),
    ("model=bahdanau", "model.encoder.cell=lstm", "model.decoder.cell=lstm"),
    ("model=luong", "model.encoder.layers=2"),
    ("model=luong", "model.decoder.input_feeding=true"),
    ("model=luong", "model.decoder.input_feeding=true", "model.decoder.cell=lstm", "model.decoder.layers=2"),
    ("model=luong", "model/score=concat"),
    ("model=seq2seq",),
    ("model=seq2seq", "model.encoder.bidirectional=false", "model.decoder.layers=2"),
]


@pytest.mark.parametrize("overrides", WIRINGS, ids=" ".join)
def test_model(overrides: tuple[str, ...]) -> None:
    model = tiny_model(*overrides).double()
    source, lengths = sentences([5, 3]), torch.tensor([5, 3])
    target = torch.tensor([[1, 7, 9, 4], [1, 5, 5, 8]])
    fast = logits_of(model, source, lengths, target)
    naive = torch.stack([naive_logits(model, source[b, : lengths[b]], target[b]) for b in range(2)])
    assert_same_with_gradients(fast, naive, list(model.parameters()))


def naive_logits(model: Seq2Seq, source: Tensor, target: Tensor) -> Tensor:
    embedded = [model.embed_source.weight[token] for token in source]
    h, summary = naive_encoder(model.encoder.rnn, embedded)
    decoder = model.decoder
    state = naive_bridge(decoder.bridge, summary)
    feed = torch.zeros(decoder.readout_size, dtype=summary.dtype)
    logits = []
    for token in target:
        y = model.embed_target.weight[token]
        if isinstance(decoder, BahdanauDecoder):  # cₜ = attend(sₜ₋₁), sₜ = f([y; c], sₜ₋₁)
            c = naive_attention(decoder.attention, state[-1][0], h)
            state = naive_cells(decoder.recurrence.rnn, torch.cat([y, c]), state)
            t = naive_readout(decoder.readout, torch.cat([state[-1][0], y, c]))
        elif isinstance(decoder, LuongDecoder):  # sₜ = f(y, sₜ₋₁), cₜ = attend(sₜ), h̃ = tanh(W[c; s])
            x = torch.cat([y, feed]) if decoder.input_feeding else y
            state = naive_cells(decoder.recurrence.rnn, x, state)
            c = naive_attention(decoder.attention, state[-1][0], h)
            t = feed = (decoder.combine.weight @ torch.cat([c, state[-1][0]])).tanh()
        else:
            assert isinstance(decoder, FixedContextDecoder)
            state = naive_cells(decoder.recurrence.rnn, torch.cat([y, summary]), state)
            t = naive_readout(decoder.readout, torch.cat([state[-1][0], y, summary]))
        logits.append(model.output.weight @ t + model.output.bias)
    return torch.stack(logits)


def naive_attention(attention: nn.Module, s: Tensor, h: list[Tensor]) -> Tensor:
    formula = {Additive: additive, General: general, Dot: dot}[type(attention.score)]
    weights = torch.stack([formula(attention.score, s, h_i) for h_i in h]).exp()
    return sum(w * h_i for w, h_i in zip(weights / weights.sum(), h, strict=True))


def naive_readout(readout: nn.Module, x: Tensor) -> Tensor:
    projected = readout.project.weight @ x + readout.project.bias
    if not readout.maxout:
        return projected.tanh()
    return torch.stack([torch.maximum(projected[i], projected[i + 1]) for i in range(0, len(projected), 2)])


def naive_bridge(bridge: nn.Module, summary: Tensor) -> list[tuple[Tensor, ...]]:
    """Per layer (h,) or (h, c)."""
    flat = (bridge.project.weight @ summary + bridge.project.bias).tanh()
    size = len(flat) // (bridge.parts * bridge.layers)
    blocks = [flat[i : i + size] for i in range(0, len(flat), size)]
    return [
        tuple(blocks[part * bridge.layers + layer] for part in range(bridge.parts)) for layer in range(bridge.layers)
    ]


def naive_encoder(rnn: nn.GRU | nn.LSTM, inputs: list[Tensor]) -> tuple[list[Tensor], Tensor]:
    parts = 2 if isinstance(rnn, nn.LSTM) else 1
    for layer in range(rnn.num_layers):
        directions = []
        for suffix in ("", "_reverse") if rnn.bidirectional else ("",):
            state = tuple(inputs[0].new_zeros(rnn.hidden_size) for _ in range(parts))
            outputs = []
            for x in inputs[::-1] if suffix else inputs:
                state = naive_cell(rnn, f"l{layer}{suffix}", x, state)
                outputs.append(state[0])
            directions.append(outputs[::-1] if suffix else outputs)
        inputs = [torch.cat(states) for states in zip(*directions, strict=True)]
    last = [directions[0][-1]] + ([directions[1][0]] if rnn.bidirectional else [])
    return inputs, torch.cat(last)


def naive_cells(rnn: nn.Module, x: Tensor, states: list[tuple[Tensor, ...]]) -> list[tuple[Tensor, ...]]:
    after = []
    for layer, state in enumerate(states):
        after.append(naive_cell(rnn, f"l{layer}", x, state))
        x = after[-1][0]
    return after


def naive_cell(rnn: nn.Module, name: str, x: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """One GRU or LSTM cell, from the equations in PyTorch's documentation."""
    size = rnn.hidden_size
    w_x, w_h = getattr(rnn, f"weight_ih_{name}"), getattr(rnn, f"weight_hh_{name}")
    b_x, b_h = getattr(rnn, f"bias_ih_{name}"), getattr(rnn, f"bias_hh_{name}")
    h = state[0]
    gates = [slice(a, b) for a, b in pairwise(range(0, w_x.size(0) + 1, size))]
    from_x = [w_x[g] @ x + b_x[g] for g in gates]
    from_h = [w_h[g] @ h + b_h[g] for g in gates]
    if isinstance(rnn, nn.GRU):
        r, z = (from_x[0] + from_h[0]).sigmoid(), (from_x[1] + from_h[1]).sigmoid()
        n = (from_x[2] + r * from_h[2]).tanh()
        return ((1 - z) * n + z * h,)
    i, f, g, o = (a + b for a, b in zip(from_x, from_h, strict=True))
    c = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def assert_same_with_gradients(fast: Tensor, naive: Tensor, inputs: list[Tensor]) -> None:
    torch.testing.assert_close(fast, naive)
    inputs = [x for x in inputs if x.requires_grad]
    direction = torch.randn_like(fast)
    for a, b in zip(
        torch.autograd.grad((fast * direction).sum(), inputs, retain_graph=True),
        torch.autograd.grad((naive * direction).sum(), inputs),
        strict=True,
    ):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-9)
