import math

import pytest
import torch

from nmt.evaluation import confidence
from nmt.evaluation.confidence import sampled_confidence
from nmt.translation import EMPTY
from tests.conftest import tiny_translator


def test_the_words_of_a_translation_multiply_to_its_probability() -> None:
    translator = tiny_translator()
    for candidates in translator.nbest(["I see a cat .", "we see it ."]):
        for translation in candidates:
            words = translation.words
            end = math.exp(translation.log_probs[-1])
            whole = math.prod(word.confidence for word in words) * end
            score = translation.score * len(translation.log_probs)
            assert math.log(whole) == pytest.approx(score, abs=1e-3)
            assert all(0 < word.confidence <= 1 for word in words)
            assert all(word.spread is None for word in words)


@pytest.mark.parametrize("largest", [confidence._LARGEST, 1])  # all samples at once, or one by one
@pytest.mark.parametrize("model", ["bahdanau", "hard"])  # of which one draws its alignment in training
def test_samples_without_dropout_agree_with_the_search(
    model: str, largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confidence, "_LARGEST", largest)
    translator = tiny_translator(model)
    (translation,) = translator.translate("I see a cat .")
    plain, sampled = translation.words, sampled_confidence(translator, translation, 3)
    assert [word.text for word in plain] == [word.text for word in sampled]
    assert [word.confidence for word in plain] == pytest.approx([word.confidence for word in sampled], abs=1e-4)
    assert [word.spread for word in sampled] == pytest.approx([0.0] * len(sampled), abs=1e-6)


def test_dropout_spreads_and_leaves_nothing_behind() -> None:
    translator = tiny_translator(dropout=0.3)
    (translation,) = translator.translate("I see a cat .")
    before = torch.get_rng_state()
    sampled = sampled_confidence(translator, translation, 8)
    assert torch.equal(before, torch.get_rng_state())
    assert not translator.model.training
    assert any(word.spread and word.spread > 0 for word in sampled)
    assert sampled == sampled_confidence(translator, translation, 8)


def test_nothing_has_no_words() -> None:
    assert EMPTY.words == []
    assert sampled_confidence(tiny_translator(dropout=0.1), EMPTY, 2) == []
