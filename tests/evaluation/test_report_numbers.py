"""The numbers of a report against formulas written out, on small cases."""

import base64
import math
from collections import Counter
from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from nmt.evaluation.report.calibration import calibration_error, reliability, words_right
from nmt.evaluation.report.copying import copied, names, numbers
from nmt.evaluation.report.matching import Missed, WordScore, bags_of, by_frequency, missed_words, nearest_reference
from nmt.evaluation.report.sentences import as_bytes
from nmt.evaluation.report.signs import repeats, trouble
from nmt.evaluation.report.words import WordCounts, render_counts
from nmt.special import EOS_PIECE
from nmt.translation import EMPTY, Translation

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=8)


def translation(text: str, log_probs: list[float]) -> Translation:
    """A translation whose words are single pieces."""
    pieces = [f"▁{word}" for word in text.split()]
    return replace(EMPTY, text=text, target_tokens=[*pieces, EOS_PIECE], log_probs=[*log_probs, 0.0])


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4))
@settings(max_examples=40)
def test_f1_by_frequency_is_that_of_counted_matches(pairs: list[tuple[list[str], list[str]]]) -> None:
    counts = {"a": 0, "b": 1, "c": 3, "d": 5, "e": 5000}
    groups = {"never": "a", "once": "b", "2–5": "cd", "over 1,000": "e"}
    found = by_frequency([(Counter(ours), Counter(theirs)) for ours, theirs in pairs], counts)
    for name, words in groups.items():
        translated = sum(word in words for ours, _ in pairs for word in ours)
        expected = sum(word in words for _, theirs in pairs for word in theirs)
        matched = sum(min(ours.count(word), theirs.count(word)) for ours, theirs in pairs for word in words)
        assert found.get(name, WordScore(0, 0, 0)) == (translated, expected, matched)
        if matched:
            precision, recall = matched / translated, matched / expected
            assert found[name].f1 == pytest.approx(2 * precision * recall / (precision + recall))
    assert list(found) == [name for name in groups if name in found]  # rarest first


def test_the_nearest_reference_shares_the_most_words() -> None:
    references = bags_of(str.split, ["un chien", "le chat noir", "le chat noir et blanc"])
    assert nearest_reference(Counter(["le", "chat"]), references) == 1
    assert nearest_reference(Counter(), references) == 0


def test_missed_words_are_counted_against_the_nearest_reference() -> None:
    bags = [(Counter(["a", "b", "."]), Counter(["a", "c", "!"])), (Counter(["b"]), Counter(["c", "c"]))]
    assert missed_words(bags) == [Missed("c", 3, 3, 0)]
    assert missed_words([(Counter(["c"]), Counter(["b"])), *bags]) == [Missed("c", 3, 3, 1), Missed("b", 1, 1, 2)]


def test_word_counts_are_read_as_they_were_written() -> None:
    counted = WordCounts.parse(render_counts(["le chat, le chien.", "un chat!"]))
    assert counted.tokenizer == "13a"
    assert counted.counts == Counter({"le": 2, "chat": 2, ",": 1, "chien": 1, ".": 1, "un": 1, "!": 1})
    chinese = WordCounts.parse(render_counts(["我看见一只猫。"]))
    assert chinese.tokenizer == "zh"
    assert chinese.counts["猫"] == 1


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30))
@settings(max_examples=40)
def test_calibration_error_is_the_weighted_gap(pairs: list[tuple[float, bool]]) -> None:
    bins = reliability([sure for sure, _ in pairs], [float(right) for _, right in pairs])
    expected = 0.0
    for place in range(10):
        own = [(sure, right) for sure, right in pairs if min(int(sure * 10), 9) == place]
        if own:
            gap = sum(right for _, right in own) / len(own) - sum(sure for sure, _ in own) / len(own)
            expected += len(own) / len(pairs) * abs(gap)
    assert calibration_error(bins) == pytest.approx(expected)
    assert sum(each.count for each in bins) == len(pairs)


def test_a_word_is_right_as_often_as_the_reference_has_it() -> None:
    found = words_right(translation("un chat un", [math.log(0.5), 0.0, -1.0]), "un chat noir", spaced=True)
    assert [right for _, right in found] == [True, True, False]
    assert [sure for sure, _ in found] == pytest.approx([0.5, 1.0, math.exp(-1)])
    chinese = words_right(translation("黑 猫", [0.0, 0.0]), "一只猫", spaced=False)
    assert [right for _, right in chinese] == [False, True]


def test_numbers_are_compared_by_their_digits() -> None:
    assert numbers("1,000.50 or 1\u202f000,50 of १२ on 3.") == ["100050", "100050", "12", "3"]
    sources = ["I have 3 cats and 12 dogs.", "At 7.", "No number."]
    references = [["J'ai 3 chats et douze chiens.", "J'ai trois chats et 12 chiens"], ["À sept."], ["Rien."]]
    found = copied(numbers, sources, references, ["J'ai 4 chats.", "À 7.", "3"])
    assert (found.expected, found.kept, found.sentences, found.lost) == (1, 0, 1, [("3", 0)])


def test_names_are_capitalised_words_that_a_reference_keeps() -> None:
    assert names("Tom's dog saw Zoë in NYC.") == ["Tom", "Zoë", "NYC"]
    assert names("我是Tom。") == ["Tom"]
    found = copied(names, ["The Tom and Tom.", "Ann ran."], [["Tom et Tom."], ["Anne courut."]], ["Tom et lui.", "Ann"])
    assert (found.expected, found.kept, found.lost) == (2, 1, [("Tom", 0)])


def test_signs_of_trouble() -> None:
    assert repeats("le chat le chat noir", ["le chat noir"]) == ["le chat"]
    assert repeats("très très grand", ["grand"]) == ["très très"]
    assert repeats("très très grand", ["très très petit"]) == []
    assert trouble("the cat", "", ["le chat"], "le chat") == ["short", "empty"]
    assert trouble("the cat", "the cat", ["le chat"], "le chat") == ["copy"]
    assert trouble("ok", "ok", ["ok"], "ok") == []
    assert trouble("the cat", "le chat noir et blanc", ["le chat"], "le chat") == ["long"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_weights_lose_little_as_bytes(weights: list[float]) -> None:
    read = np.frombuffer(base64.b64decode(as_bytes(np.array(weights))), np.uint8) / 255
    assert np.abs(read - weights).max() <= 0.5 / 255 + 1e-9
