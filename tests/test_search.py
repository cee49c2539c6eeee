from __future__ import annotations

from itertools import product
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from nmt.search import Beam, Greedy, Sample, Search
from nmt.search.beam import _top
from nmt.special import BOS, EOS
from tests.conftest import MODELS, sentences, tiny_model

WORDS = [4, 5]  # what the toy language can say, besides EOS
VOCAB = 6


class Markov:
    """A toy model: the next token depends on the last one, the step and the sentence; attention is one-hot."""

    def __init__(self, seed: int, steps: int = 12) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.table = 2 * torch.randn(50, steps, VOCAB, VOCAB, generator=generator, dtype=torch.float64)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Any, Any]:
        mask = torch.arange(source.size(1)) < lengths.unsqueeze(1)
        return (source[:, 0], mask), (torch.zeros(len(source), dtype=torch.long),)

    def step(self, tokens: Tensor, memory: Any, state: Any) -> tuple[Tensor, Tensor, Any]:
        (sentence, mask), (step,) = memory, state
        weights = torch.zeros(mask.shape)
        weights[torch.arange(len(tokens)), step % mask.sum(1)] = 1.0
        return self.table[sentence, step, tokens], weights, (step + 1,)

    def log_prob(self, sentence: int, tokens: list[int]) -> float:
        total, last = 0.0, BOS
        for step, token in enumerate([*tokens, EOS]):
            total += float(self.table[sentence, step, last].log_softmax(-1)[token])
            last = token
        return total


def toy_source(numbers: list[int], width: int = 3) -> tuple[Tensor, Tensor]:
    source = torch.full((len(numbers), width), EOS)
    source[:, 0] = torch.tensor(numbers)
    return source, torch.full((len(numbers),), width)


@given(seed=st.integers(0, 10_000), penalty=st.sampled_from([0.0, 0.6, 1.0, 2.0]), longest=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_a_wide_beam_equals_exhaustive_search(seed: int, penalty: float, longest: int) -> None:
    """With room for every prefix, the beam's n-best list is the ranking of all possible translations."""
    model = Markov(seed)
    beam = 2 ** (longest + 1)
    search = Beam(beam_size=beam, length_penalty=penalty, max_length_ratio=0.0, max_length_extra=longest)
    everything = [list(words) for n in range(longest) for words in product(WORDS, repeat=n)]
    for number, found in zip((4, 5), search(model, *toy_source([4, 5])), strict=True):
        ranking = sorted(everything, key=lambda t: -model.log_prob(number, t) / (len(t) + 1) ** penalty)
        assert [h.tokens for h in found] == ranking
        for hypothesis in found:
            expected = model.log_prob(number, hypothesis.tokens) / (len(hypothesis.tokens) + 1) ** penalty
            assert hypothesis.score == pytest.approx(expected, rel=1e-5)


@given(seed=st.integers(0, 10_000), beam=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_any_beam_equals_a_plain_one(seed: int, beam: int) -> None:
    model = Markov(seed)
    search = Beam(beam_size=beam, max_length_ratio=1.0, max_length_extra=3)
    source, lengths = toy_source([4, 7, 9])
    for number, found in zip((4, 7, 9), search(model, source, lengths), strict=True):
        assert [h.tokens for h in found] == plain_beam(model, number, beam, limit=6)


def plain_beam(model: Markov, sentence: int, beam: int, limit: int) -> list[list[int]]:
    """The textbook beam of one sentence: an ended hypothesis keeps its place."""
    living: list[tuple[float, list[int]]] = [(0.0, [])]
    ended: list[tuple[float, list[int]]] = []
    for step in range(limit):
        candidates = []
        for score, tokens in living:
            logits = model.table[sentence, step, tokens[-1] if tokens else BOS].float().log_softmax(-1)
            allowed = [EOS] if step == limit - 1 else [EOS, *WORDS]
            candidates += [(score + float(logits[token]), [*tokens, token]) for token in allowed]
        best = sorted(candidates, key=lambda c: -c[0])[: beam - len(ended)]
        ended += [(score / (step + 1), tokens[:-1]) for score, tokens in best if tokens[-1] == EOS]
        living = [(score, tokens) for score, tokens in best if tokens[-1] != EOS]
    return [tokens for _, tokens in sorted(ended, key=lambda e: -e[0])]


@pytest.mark.parametrize("method", [Greedy(), Beam(beam_size=1)])
@pytest.mark.parametrize("name", MODELS)
def test_greedy_search_and_a_beam_of_one_take_the_likeliest_token(name: str, method: Search) -> None:
    model = tiny_model(f"model={name}").eval()
    lengths = [6, 2, 4]
    source = sentences(lengths)
    found = method(model, source, torch.tensor(lengths))
    for i, length in enumerate(lengths):
        memory, state = model.encode(source[i : i + 1, :length], torch.tensor([length]))
        tokens = [BOS]
        for _ in range(2 * length + 10 - 1):
            logits, _, state = model.step(torch.tensor(tokens[-1:]), memory, state)
            logits[:, [0, 1, 3]] = float("-inf")
            tokens.append(int(logits.argmax()))
            if tokens[-1] == EOS:
                break
        assert found[i][0].tokens == [t for t in tokens[1:] if t != EOS]


@pytest.mark.parametrize("search", [Beam(beam_size=3), Sample(samples=3, top_p=0.9)], ids=["beam", "sample"])
@pytest.mark.parametrize("name", MODELS)
def test_batch_mates_and_batch_size_change_nothing(name: str, search: Search) -> None:
    model = tiny_model(f"model={name}").double().eval()  # an untrained model has near ties, which rounding would break
    lengths = [6, 2, 9, 1, 4]
    source = sentences(lengths)
    together = search(model, source, torch.tensor(lengths), [7, 3, 9, 1, 5])
    for i, length in enumerate(lengths):
        (alone,) = search(model, source[i : i + 1, :length], torch.tensor([length]), [[7, 3, 9, 1, 5][i]])
        assert [h.tokens for h in alone] == [h.tokens for h in together[i]]
        assert [h.score for h in alone] == pytest.approx([h.score for h in together[i]], rel=1e-4)
        for a, b in zip(alone, together[i], strict=True):
            if name != "seq2seq":
                torch.testing.assert_close(a.weights, b.weights, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("search", [Beam(beam_size=4), Sample(samples=4, seed=2)], ids=["beam", "sample"])
def test_attention_and_scores_follow_each_hypothesis(search: Search) -> None:
    """Weights of a hypothesis are those of a teacher-forced pass over its own tokens."""
    model = tiny_model("model=bahdanau").eval()
    source, lengths = sentences([7, 4]), torch.tensor([7, 4])
    for i, found in enumerate(search(model, source, lengths)):
        assert len({tuple(h.tokens) for h in found}) == len(found) == 4
        for hypothesis in found:
            target = torch.tensor([[BOS, *hypothesis.tokens]])
            length = int(lengths[i])
            with torch.no_grad():
                forced = model(source[i : i + 1, :length], lengths[i : i + 1], target)
            torch.testing.assert_close(hypothesis.weights, forced.weights[0], rtol=1e-4, atol=1e-5)
            log_probs = model.output(forced.readout)[0].log_softmax(-1)
            gold = torch.tensor([*hypothesis.tokens, EOS])
            score = log_probs.gather(-1, gold.unsqueeze(-1)).mean()
            assert hypothesis.score == pytest.approx(score.item(), rel=1e-4)


@pytest.mark.parametrize("method", [Beam(beam_size=2), Sample(samples=2), Greedy()])
def test_the_limit_follows_the_source_length(method: Search) -> None:
    search = method.changed(max_length_ratio=1.5, max_length_extra=1)
    model = Markov(seed=1)
    model.table[..., EOS] = -30.0  # never wants to end
    source, _ = toy_source([4, 5], width=4)
    found = search(model, source, torch.tensor([4, 2]))
    assert [len(h.tokens) + 1 for h in found[0]] == [7] * method.width
    assert [len(h.tokens) + 1 for h in found[1]] == [4] * method.width


@pytest.mark.parametrize("vocabulary", [5, 64, 130, 1000])
@pytest.mark.parametrize("k", [1, 5])
def test_the_best_are_found_group_by_group(vocabulary: int, k: int) -> None:
    values = torch.randn(7, vocabulary)
    values[0, :] = float("-inf")
    top, places = _top(values, k)
    assert torch.equal(top, values.topk(k, dim=1).values)
    assert torch.equal(values.gather(1, places), top)
