import math
from dataclasses import replace

import numpy as np
import pytest

from nmt.special import EOS_PIECE
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


def test_attention_by_words_is_summed_over_source_pieces_and_averaged_over_target_pieces() -> None:
    pieces = replace(
        EMPTY,
        source_tokens=["▁c", "at", EOS_PIECE],
        target_tokens=["▁cha", "t", EOS_PIECE],
        attention=np.array([[0.6, 0.4, 0], [0.2, 0.2, 0.6], [0, 0, 1]]),
    )
    words = pieces.word_attention
    assert words is not None
    assert (words.source, words.target) == (["cat", EOS_PIECE], ["chat", EOS_PIECE])
    assert words.weights == pytest.approx(np.array([[0.7, 0.3], [0, 1]]))
    assert EMPTY.word_attention is None
