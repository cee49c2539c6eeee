import math

import pytest

from nmt.translation import EMPTY
from tests.conftest import tiny_translator


def test_the_words_of_a_translation_multiply_to_its_probability() -> None:
    for candidates in tiny_translator().nbest(["I see a cat .", "we see it ."]):
        for translation in candidates:
            words, end = translation.words, math.exp(translation.log_probs[-1])
            whole = math.prod(word.confidence for word in words) * end
            assert math.log(whole) == pytest.approx(translation.score * len(translation.log_probs), abs=1e-3)
            assert all(0 < word.confidence <= 1 for word in words)
    assert EMPTY.words == []
