"""The models behind the checker against plain loops over dictionaries."""

import math
import random
from collections import defaultdict

import numpy as np
import pytest

from nmt.checking.letters import _Letters
from nmt.checking.lexical import DOUBT, ITERATIONS, Model1, explained_by_others
from nmt.checking.standard import standardised
from nmt.checking.tokens import Tokens, ranges, spelling_of, words_of

Words = list[str]


def some_pairs(count: int = 40, seed: int = 1) -> list[tuple[Words, Words]]:
    rng = random.Random(seed)
    translations = {word: word.upper() for word in "abcdefgh"}
    pairs = []
    for _ in range(count):
        source = rng.choices(list(translations), k=rng.randint(1, 5))
        target = [translations[word] for word in source if rng.random() < 0.9]
        rng.shuffle(target)
        pairs.append((source, target or ["Z"]))
    return pairs


def naive_model1(pairs: list[tuple[Words, Words]]) -> dict[tuple[str, str], float]:
    """p(t|s) / p(t) for words that occurred together, as the docstring of Model1.learn says."""
    words = {word for pair in pairs for side in pair for word in side}
    counts: dict[str, float] = defaultdict(lambda: 0.5)
    for _, target in pairs:
        for word in target:
            counts[word] += 1
    total = sum(counts[word] for word in words)
    frequency = {word: counts[word] / total for word in words}
    together = {(s, t) for source, target in pairs for s in source for t in target}
    probability = {(s, t): frequency[t] for s, t in together}
    for _ in range(ITERATIONS):
        shares: dict[tuple[str, str], float] = defaultdict(float)
        for source, target in pairs:
            for t in target:
                norm = frequency[t] + sum(probability[s, t] for s in source)
                for s in source:
                    shares[s, t] += probability[s, t] / norm
        of_source: dict[str, float] = defaultdict(float)
        for (s, _), share in shares.items():
            of_source[s] += share
        probability = {(s, t): (shares[s, t] + DOUBT * frequency[t]) / (of_source[s] + DOUBT) for s, t in together}
    return {(s, t): p / frequency[t] for (s, t), p in probability.items()}


def test_model_1_equals_a_naive_twin_and_finds_the_translations() -> None:
    pairs = some_pairs()
    known: dict[str, int] = {}
    source, target = (Tokens.of([pair[side] for pair in pairs], known) for side in (0, 1))
    source = Tokens(source.ids, source.lengths, len(known))
    model, spelt = Model1.learn(source, target), list(known)
    found = {
        (spelt[key // len(known)], spelt[key % len(known)]): lift
        for key, lift in zip(model.keys, model.lifts, strict=True)
    }
    twin = naive_model1(pairs)
    assert found == {key: pytest.approx(lift) for key, lift in twin.items()}
    for word in "abcdefgh":
        assert max((lift, t) for (s, t), lift in found.items() if s == word)[1] == word.upper()


def test_of_a_large_corpus_it_learns_from_pairs_of_any_place(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [([f"s{place}"], [f"t{place}"]) for place in range(100)]
    known: dict[str, int] = {}
    source, target = (Tokens.of([pair[side] for pair in pairs], known) for side in (0, 1))
    monkeypatch.setattr("nmt.checking.lexical._MOST_CELLS", 20)
    learnt = Model1.learn(source, target).keys // len(known)
    assert len(learnt) == 20
    assert learnt.min() < 30
    assert learnt.max() > 70


def test_each_fold_is_explained_by_the_others() -> None:
    pairs = [(["a"], ["A"])] * 5 + [(["b"], ["B"])] * 5
    known: dict[str, int] = {}
    source, target = (Tokens.of([pair[side] for pair in pairs], known) for side in (0, 1))
    apart = explained_by_others(source, target, np.array([0] * 5 + [1] * 5))
    mixed = explained_by_others(source, target, np.array([0, 1] * 5))
    assert (apart <= 0).all()  # nobody else has seen these words
    assert (mixed > 0.3).all()


def test_letters_equal_a_naive_twin() -> None:
    texts = ["Anna sees a cat.", "A cat sees Anna!", "anna can see", "Ana ve un gato.", "Un gato ve", "ve a Ana"]
    folds = np.array([0, 1, 0, 0, 1, 0])
    letters = _Letters.of(texts, folds)
    teaching = letters.sentences < 3
    found = letters._log_probability(teaching)

    def grams(text: str, order: int) -> list[str]:
        padded = "\n\n\n" + "".join(f"{word} " for word in spelling_of(text))
        return [padded[i - order + 1 : i + 1] for i in range(3, len(padded))]

    def probability(i: int, at: int, order: int) -> float:
        if order == 0:
            return 1 / letters.characters
        others = [gram for j in range(3) if folds[j] != folds[i] for gram in grams(texts[j], order)]
        here = grams(texts[i], order)[at]
        count, context = others.count(here), sum(gram[:-1] == here[:-1] for gram in others)
        return (count + 2 * probability(i, at, order - 1)) / (context + 2)

    twin = [math.log(probability(i, at, 4)) for i, text in enumerate(texts) for at in range(len(grams(text, 1)))]
    np.testing.assert_allclose(found, twin)


def test_words_in_any_script() -> None:
    assert words_of("Don't go, IT'S 12:45!") == ["don", "t", "go", "it", "s", "12", "45"]
    assert words_of("१९९२ साली हिंदी.") == ["1992", "साली", "हिंदी"]  # vowel signs are no letters to `\w`
    assert words_of("我们走。OK") == ["我", "们", "走", "ok"]
    assert spelling_of("我们走。OK 12") == ["我们走", "ok", "00"]
    assert words_of("?!…") == spelling_of("?!…") == []


def test_deviations_ignore_outliers() -> None:
    values = np.append(np.random.default_rng(1).normal(5, 2, 1000), [500.0] * 50)
    deviations = standardised(values)
    assert np.std(deviations[:1000]) == pytest.approx(1, abs=0.15)
    assert (deviations[1000:] > 100).all()
    assert (standardised(np.ones(10)) == 0).all()
    assert list(ranges(np.array([2, 0, 3]))) == [0, 1, 0, 1, 2]
