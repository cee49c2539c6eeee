import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import nmt.search
from nmt.composition import composed
from nmt.portable.beam import Beam as PlainBeam
from nmt.portable.model import Stepped
from nmt.search import Alive, Beam, Choice, Greedy, Sample, Search
from nmt.search.beam import _top
from nmt.search_settings import NEVER, Guide
from nmt.special import BOS, EOS
from nmt.translator import build_search
from tests.conftest import KINDS, assert_refused, sentences, tiny_model, tiny_translator

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
@settings(max_examples=60)
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
            assert hypothesis.score == pytest.approx(expected, rel=1e-5, abs=1e-6)
    plain, prefix = PlainBeam(**asdict(search)), WORDS[1:][: longest - 1]
    guided = plain(PlainMarkov(model), [5, EOS, EOS], Guide(tuple(prefix)))
    assert [[*h.tokens] for h in guided] == [t for t in ranking if t[: len(prefix)] == prefix]


class PlainMarkov:
    """The same toy model for the plain search: one sentence, whose first token is its number."""

    def __init__(self, model: Markov) -> None:
        self.table = model.table.float().numpy()

    def encode(self, source: Sequence[int]) -> tuple[Any, list[np.ndarray]]:
        return (source[0], len(source)), [np.zeros(1, dtype=np.int64)]

    def step(
        self, tokens: Sequence[int], memory: Any, state: Sequence[np.ndarray], given: np.ndarray | None = None
    ) -> Stepped:
        (sentence, length), (step,) = memory, state
        logits, weights = self.table[sentence, step, list(tokens)], np.eye(length, dtype=np.float32)[step % length]
        return Stepped(logits, weights, [step + 1], {})


@given(
    seed=st.integers(0, 10_000),
    beam=st.integers(1, 4),
    penalty=st.sampled_from([0.0, 0.6, 1.0]),
    extra=st.integers(1, 6),
)
@settings(max_examples=60)
def test_any_beam_equals_the_plain_one(seed: int, beam: int, penalty: float, extra: int) -> None:
    """The batched search finds what the search written from the definition finds, sentence by sentence."""
    model, numbers = Markov(seed), [4, 7, 9]
    limits = {"beam_size": beam, "length_penalty": penalty, "max_length_ratio": 1.0, "max_length_extra": extra}
    plain, search = PlainBeam(**limits), Beam(**limits) if beam > 1 else Beam(**limits).converted(Greedy)
    for number, found in zip(numbers, search(model, *toy_source(numbers)), strict=True):
        expected = plain(PlainMarkov(model), [number, EOS, EOS])
        assert [h.tokens for h in found] == [list(h.tokens) for h in expected]
        assert [h.score for h in found] == pytest.approx([h.score(penalty) for h in expected], rel=1e-5)
        for one, other in zip(found, expected, strict=True):
            assert one.log_probs == pytest.approx(other.log_probs, abs=1e-5)
            assert np.array_equal(one.weights, np.stack(other.weights))


@pytest.mark.parametrize("search", [Beam(beam_size=3), Sample(samples=3, top_p=0.9)], ids=["beam", "sample"])
@pytest.mark.parametrize("name", KINDS)
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


def drawn_probability(
    model: Markov, sentence: int, tokens: list[int], limit: int, temperature: float, top_p: float
) -> float:
    """The probability that sampling gives this translation, from the definitions."""
    total, last = 1.0, BOS
    for step, token in enumerate([*tokens, EOS]):
        logits = model.table[sentence, step, last].float()
        probs = {word: math.exp(float(logits[word]) / temperature) for word in (EOS, *WORDS)}
        if step == limit - 1:
            probs = {EOS: 1.0}
        z = sum(probs.values())
        likeliest = sorted(probs, key=lambda word: -probs[word])
        kept, mass = [], 0.0
        for word in likeliest:  # the smallest set of likeliest tokens that has the mass
            kept.append(word)
            mass += probs[word] / z
            if mass >= top_p:
                break
        total *= probs[token] / sum(probs[word] for word in kept) if token in kept else 0.0
        last = token
    return total


@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, 1.0), (0.7, 1.0), (1.5, 0.8), (1.0, 0.5)])
def test_samples_have_the_distribution_of_the_definition(temperature: float, top_p: float) -> None:
    model, limit, count = Markov(seed=11), 3, 20_000
    model.table[..., [0, 1, 3]] = -50.0  # what is never said has no share, so that p and the drawn p agree
    search = Sample(temperature=temperature, top_p=top_p, samples=count, seed=5)
    search = search.changed(max_length_ratio=0.0, max_length_extra=limit)
    (found,) = search(model, *toy_source([4]))
    counts = Counter(tuple(hypothesis.tokens) for hypothesis in found)
    everything = [words for n in range(limit) for words in product(WORDS, repeat=n)]
    expected = {words: drawn_probability(model, 4, list(words), limit, temperature, top_p) for words in everything}
    assert sum(expected.values()) == pytest.approx(1)
    for words, p in expected.items():
        assert abs(counts[words] - count * p) <= 4.5 * math.sqrt(count * p * (1 - p)), (words, p)
    for hypothesis in found[:50]:  # scores are the model's, whatever the temperature
        assert sum(hypothesis.log_probs) == pytest.approx(model.log_prob(4, hypothesis.tokens), rel=1e-4)


def test_samples_depend_on_seed_and_number_alone() -> None:
    model = Markov(seed=2)

    def texts(numbers: list[int], **settings: Any) -> list[list[list[int]]]:
        found = Sample(max_length_extra=12, max_length_ratio=0.0, **settings)(model, *toy_source([4, 4]), numbers)
        return [sorted(hypothesis.tokens for hypothesis in each) for each in found]

    assert texts([1, 2], samples=6) == texts([1, 2], samples=6) == texts([2, 1], samples=6)[::-1]
    same, other = texts([1, 2], samples=6)
    assert same != other  # one sentence twice in an input is drawn twice
    assert texts([1, 2], samples=6, seed=2) != [same, other]
    first = texts([1, 2], samples=1)[0]
    assert first[0] in same  # more samples are further ones


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 0.0}, r"decode\.temperature must be between"),
        ({"temperature": math.nan}, r"decode\.temperature must be between"),
        ({"top_p": 0.0}, r"decode\.top_p must be above 0"),
        ({"samples": 0}, r"decode\.samples must be at least 1"),
        ({"beam_size": 4}, r"Sample has no setting beam_size: known: batch_tokens, .*temperature"),
    ],
)
def test_settings_that_cannot_be_are_named(settings: dict[str, Any], message: str) -> None:
    assert_refused(message, Sample().changed, **settings)


def test_one_method_becomes_another_with_the_limits_of_the_first() -> None:
    beam = Beam(beam_size=7, length_penalty=0.6, max_length_extra=3)
    assert beam.converted(Sample, top_p=0.9) == Sample(top_p=0.9, length_penalty=0.6, max_length_extra=3)
    assert beam.converted(Greedy).changed(beam_size=4) == Beam(beam_size=4, length_penalty=0.6, max_length_extra=3)
    assert Sample().for_nbest(4) == Sample(samples=4)
    assert_refused("2 translations of a sentence need a beam as wide: add --beam 2", Greedy().for_nbest, 2)


@dataclass(frozen=True, kw_only=True)
class SecondFirst(Search):
    """The likeliest tokens, except for the first: a search method that only this test knows."""

    rank: int = 1

    def choose(self, alive: Alive) -> Choice:
        log_probs = alive.log_probs()
        place = self.rank if alive.step == 0 else 0
        return alive.extend(log_probs.topk(self.rank + 1, dim=1).indices[:, place], log_probs)


def test_a_new_method_is_one_class_and_one_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nmt.search, "SecondFirst", SecondFirst, raising=False)
    monkeypatch.setattr(SecondFirst, "__module__", "nmt.search.second_first")
    file = tmp_path / "configs/decode/second_first.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("_target_: nmt.search.SecondFirst\nrank: 2\nmax_length_extra: 4\n")
    config = composed(f"hydra.searchpath=[file://{tmp_path}/configs]", "decode=second_first")
    search = build_search(config)
    assert search == SecondFirst(rank=2, max_length_extra=4)
    assert search.record() == config.decode | {"length_penalty": 1.0, "max_length_ratio": 2.0, "batch_tokens": 4096}

    translator = tiny_translator()
    translator.search = search
    (found,) = translator.translate("I see a cat .")
    first, second, *_ = (step.log_probs for step in translator.inspect(found.source_ids, found.target_ids).steps)
    first[NEVER] = second[NEVER] = -np.inf
    assert [first.argsort()[-3], second.argmax()] == found.target_ids[:2]
