"""The papers' formulas as plain loops: one sentence, one target token, one source position at a time.

Written from the equations, not from the code: vectors, sums and `exp`, with no batch, no mask and no state but the
list of what has happened so far. Autograd differentiates them.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from nmt.model import score as scores
from nmt.model.alignment import Alignment, ForwardOnly, Hard, LocalM, LocalP, Soft, Static
from nmt.model.attention import Attention
from nmt.model.cell import GRU, LSTM, ChoGRU, NormalisedGRU, NormalisedLSTM
from nmt.model.decoder import BahdanauDecoder, FixedContextDecoder, LuongDecoder
from nmt.model.encoder import SelfAttentiveEncoder
from nmt.model.recurrence import Cell
from nmt.model.seq2seq import Seq2Seq
from nmt.model.stacked import StackedDecoder


class Head(NamedTuple):
    """What one head of one step did."""

    energies: Tensor  # (S,)
    weights: Tensor  # (S,)


Past = list[list[Head]]  # step by step


def energy(score: scores.Score, s: Tensor, h: Tensor, covered: Tensor) -> Tensor:
    """e(s, h) of one state, which has had so much weight before."""
    kind = type(score)
    if kind is scores.Dot:
        return s @ h
    if kind is scores.ScaledDot:
        return (s @ h) / math.sqrt(len(h))
    if kind is scores.General:
        return s @ (score.key.weight @ h)
    if kind is scores.FeedForward:
        return score.v.weight[0] @ (score.key.weight @ h + score.key.bias).tanh()
    if kind not in (scores.Additive, scores.Coverage, scores.NormalisedAdditive):
        raise AssertionError(f"write the formula of {kind.__name__} here")
    inner, v = score.key.weight @ h + score.key.bias + score.query.weight @ s, score.v.weight[0]
    if kind is scores.Coverage:
        inner = inner + score.u.weight[:, 0] * covered
    e = v @ inner.tanh()
    return score.log_gain.exp()[0] * e / (v @ v).sqrt() if kind is scores.NormalisedAdditive else e


def heads(score: scores.Score, s: Tensor, h: list[Tensor], past: Past) -> list[tuple[Tensor, list[Tensor]]]:
    """Of each head the energies and the values that its weights average."""
    if isinstance(score, scores.KeyValue):
        keys, values = [h_i[0::2] for h_i in h], [h_i[1::2] for h_i in h]
        return [(heads(score.inner, s, keys, past)[0][0], values)]
    found = []
    if isinstance(score, scores.MultiHead):
        size = score.query.weight.size(0) // score.heads
        for k in range(score.heads):
            rows = slice(k * size, (k + 1) * size)
            q = score.query.weight[rows] @ s
            e = [q @ (score.key.weight[rows] @ h_i) / math.sqrt(size) for h_i in h]
            found.append((torch.stack(e), [score.value.weight[rows] @ h_i for h_i in h]))
        return found
    if isinstance(score, scores.Structured):
        for k in range(score.heads):
            e = [score.v.weight[k] @ (score.key.weight @ h_i).tanh() for h_i in h]
            found.append((torch.stack(e), h))
        return found
    covered = [sum((step[0].weights[i] for step in past), torch.zeros(())) for i in range(len(h))]
    return [(torch.stack([energy(score, s, h_i, c) for h_i, c in zip(h, covered, strict=True)]), h)]


def weights_of(alignment: Alignment, e: Tensor, s: Tensor, past: list[Head]) -> Tensor:
    """α from the energies of one step, given those of the steps before."""
    length, t = len(e), len(past)
    if isinstance(alignment, Soft):
        return proportional(e.exp())
    if isinstance(alignment, Hard):  # the noise is taken out by the test
        soft = proportional((e / alignment.temperature).exp())
        best = max(range(length), key=e.tolist().__getitem__)
        return torch.stack([float(i == best) + soft[i] - soft[i].detach() for i in range(length)])
    if isinstance(alignment, LocalM):
        centre = min(t, length - 1)
        return proportional(torch.stack([e[i].exp() * (abs(i - centre) <= alignment.window) for i in range(length)]))
    if isinstance(alignment, LocalP):
        centre = length * (alignment.v.weight[0] @ (alignment.project.weight @ s).tanh()).sigmoid()
        near = [abs(i - centre.item()) <= alignment.window for i in range(length)]
        align = proportional(torch.stack([e[i].exp() * near[i] for i in range(length)]))
        sigma = alignment.window / 2
        return torch.stack([align[i] * (-((i - centre) ** 2) / (2 * sigma**2)).exp() for i in range(length)])
    if isinstance(alignment, Static):
        return past[0].weights if past else proportional(e.exp())
    if isinstance(alignment, ForwardOnly):
        return proportional(e.exp() / sum(step.energies.exp() for step in past) if past else e.exp())
    raise AssertionError(f"write the formula of {type(alignment).__name__} here")


def proportional(x: Tensor) -> Tensor:
    """Divided by the sum, so that it is 1."""
    return x / x.sum()


def attend(attention: Attention, s: Tensor, h: list[Tensor], past: Past) -> tuple[Tensor, Tensor]:
    """The context and the weights (mean over heads) of one step, which is added to `past`."""
    contexts, step = [], []
    for k, (e, values) in enumerate(heads(attention.score, s, h, past)):
        w = weights_of(attention.alignment, e, s, [before[k] for before in past])
        contexts.append(sum(w[i] * values[i] for i in range(len(h))))
        step.append(Head(e, w))
    past.append(step)
    merged = attention.score.output.weight @ torch.cat(contexts) if attention.score.has_heads else contexts[0]
    return merged, sum(head.weights for head in step) / len(step)


def logits_of_one(model: Seq2Seq, source: Tensor, target: Tensor) -> Tensor:
    """Logits (T, V) of a whole model for one sentence pair."""
    h, summary = encode(model, source)
    decoder = model.decoder
    state = bridge(decoder.bridge, summary)
    feed = torch.zeros(decoder.readout_size, dtype=summary.dtype)
    past: Past = []
    logits = []
    for token in target:
        y = model.embed_target.weight[token]
        if isinstance(decoder, BahdanauDecoder):  # cₜ = attend(sₜ₋₁), sₜ = f([y; c], sₜ₋₁)
            c, _ = attend(decoder.attention, state[-1][0], h, past)
            state = cells(decoder.recurrence, torch.cat([y, c]), state)
            t = readout(decoder.readout, torch.cat([state[-1][0], y, c]))
        elif isinstance(decoder, LuongDecoder):  # sₜ = f(y, sₜ₋₁), cₜ = attend(sₜ), h̃ = tanh(W[c; s])
            x = torch.cat([y, feed]) if decoder.input_feeding else y
            state = cells(decoder.recurrence, x, state)
            c, _ = attend(decoder.attention, state[-1][0], h, past)
            t = feed = (decoder.combine.weight @ torch.cat([c, state[-1][0]])).tanh()
        elif isinstance(decoder, StackedDecoder):  # qₜ = f(y, qₜ₋₁), cₜ = attend(qₜ), sₜ = g([q; c], sₜ₋₁)
            asking = cells(decoder.asking, y, state[:1])
            c, _ = attend(decoder.attention, asking[-1][0], h, past)
            state = asking + cells(decoder.reading, torch.cat([asking[-1][0], c]), state[1:])
            s = state[-1][0] if decoder.norm is None else normalised(decoder.norm, state[-1][0] + asking[-1][0])
            t = readout(decoder.readout, torch.cat([s, y, c]))
        else:
            assert isinstance(decoder, FixedContextDecoder)
            state = cells(decoder.recurrence, torch.cat([y, summary]), state)
            t = readout(decoder.readout, torch.cat([state[-1][0], y, summary]))
        logits.append(model.output.weight @ t + model.output.bias)
    return torch.stack(logits)


def normalised(norm: nn.LayerNorm, x: Tensor) -> Tensor:
    """g · (x − mean) / deviation + b (Ba 2016)."""
    centred = x - x.mean()
    return norm.weight * centred / ((centred**2).mean() + norm.eps).sqrt() + norm.bias


def encode(model: Seq2Seq, source: Tensor) -> tuple[list[Tensor], Tensor]:
    """The encoder's states and its summary."""
    encoder = model.encoder
    h, summary = recur(encoder.rnn, [model.embed_source.weight[token] for token in source])
    if encoder.norm is not None:
        h = [normalised(encoder.norm, h_i) for h_i in h]
    if not isinstance(encoder, SelfAttentiveEncoder):
        return h, summary
    looked = []  # h̃ = tanh(W[c; h])
    for q in (*h, summary):
        c, _ = attend(encoder.attention, q, h, [])
        looked.append((encoder.combine.weight @ torch.cat([c, q])).tanh())
    return looked[:-1], looked[-1]


def readout(layer: nn.Module, x: Tensor) -> Tensor:
    """Maxout of neighbours, or tanh."""
    projected = layer.project.weight @ x + layer.project.bias
    if not layer.maxout:
        return projected.tanh()
    return torch.stack([torch.maximum(projected[i], projected[i + 1]) for i in range(0, len(projected), 2)])


def bridge(layer: nn.Module, summary: Tensor) -> list[tuple[Tensor, ...]]:
    """Per layer (h,) or (h, c)."""
    flat = (layer.project.weight @ summary + layer.project.bias).tanh()
    size = len(flat) // (layer.parts * layer.layers)
    blocks = [flat[i : i + size] for i in range(0, len(flat), size)]
    return [tuple(blocks[part * layer.layers + i] for part in range(layer.parts)) for i in range(layer.layers)]


def recur(rnn: Cell, inputs: list[Tensor]) -> tuple[list[Tensor], Tensor]:
    """All layers and directions over one sentence: the top states, and the last one of each direction."""
    for layer in range(rnn.num_layers):
        directions = []
        for suffix in ("", "_reverse") if rnn.bidirectional else ("",):
            state = tuple(inputs[0].new_zeros(rnn.hidden_size) for _ in range(rnn.parts))
            outputs = []
            for x in inputs[::-1] if suffix else inputs:
                state = cell(rnn, f"l{layer}{suffix}", x, state)
                outputs.append(state[0])
            directions.append(outputs[::-1] if suffix else outputs)
        inputs = [torch.cat(states) for states in zip(*directions, strict=True)]
    last = [directions[0][-1]] + ([directions[1][0]] if rnn.bidirectional else [])
    return inputs, torch.cat(last)


def cells(rnn: Cell, x: Tensor, states: list[tuple[Tensor, ...]]) -> list[tuple[Tensor, ...]]:
    """One step of all layers."""
    after = []
    for layer, state in enumerate(states):
        after.append(cell(rnn, f"l{layer}", x, state))
        x = after[-1][0]
    return after


def cell(rnn: Cell, layer: str, x: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """One step of one layer, gate by gate."""
    kind, h = type(rnn), state[0]

    def gates(name: str, of: Tensor) -> list[Tensor]:
        """The products of `of` with the matrix of each gate, its bias added if it has one."""
        products = getattr(rnn, f"weight_{name}_{layer}") @ of
        if rnn.bias:
            products = products + getattr(rnn, f"bias_{name}_{layer}")
        return [products[i : i + rnn.hidden_size] for i in range(0, len(products), rnn.hidden_size)]

    def norm(name: str, *parts: Tensor) -> list[Tensor]:
        """Several gates, normalised as one vector."""
        return list(normalised(getattr(rnn, f"norm_{name}_{layer}"), torch.cat(parts)).split(rnn.hidden_size))

    from_x, from_h = gates("ih", x), gates("hh", h)
    if kind in (LSTM, NormalisedLSTM):
        if kind is NormalisedLSTM:
            from_x, from_h = norm("x", *from_x), norm("h", *from_h)
        i, f, g, o = (a + b for a, b in zip(from_x, from_h, strict=True))
        c = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
        shown = norm("c", c)[0] if kind is NormalisedLSTM else c
        return o.sigmoid() * shown.tanh(), c
    if kind is NormalisedGRU:
        from_x = norm("x_gates", *from_x[:2]) + norm("x_candidate", from_x[2])
        from_h = norm("h_gates", *from_h[:2]) + norm("h_candidate", from_h[2])
    r, z = (from_x[0] + from_h[0]).sigmoid(), (from_x[1] + from_h[1]).sigmoid()
    if kind is ChoGRU:
        n = (from_x[2] + gates("hh", r * h)[2]).tanh()
        return ((1 - z) * h + z * n,)
    if kind not in (GRU, NormalisedGRU):
        raise AssertionError(f"write the formula of {kind.__name__} here")
    return ((1 - z) * (from_x[2] + r * from_h[2]).tanh() + z * h,)
