import contextlib

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nmt.data.cleaning import clean
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.evaluation.links import NO_WORD, format_links, link_words, parse_links, translation_links, words_of_pieces
from nmt.translation import EMPTY, Translation

LINKS = st.frozensets(st.tuples(st.integers(0, 999_999_999), st.integers(0, 40)), max_size=12)
SENTENCES = [
    *("un chat noir\u202f!", "J'ai vu l'été.", "naïve e\u0301", "我们 喜欢 猫 。"),
    *("म पानी पिउँछु ।", "안녕 하세요", "قطة سوداء"),
]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train([clean(sentence) for sentence in SENTENCES] * 20, vocab_size=420)


@given(LINKS, LINKS)
def test_links_survive_printing(sure: frozenset[tuple[int, int]], possible: frozenset[tuple[int, int]]) -> None:
    links = parse_links(format_links(sure, possible))
    assert links.sure == sure
    assert links.possible == sure | possible
    assert links.flipped().flipped() == links


def test_all_forms_are_read() -> None:
    links = parse_links(" 0-0  1?3\t2p1 1-3\r")
    assert links.sure == {(0, 0), (1, 3)}
    assert links.possible == {(0, 0), (1, 3), (2, 1)}
    assert links.flipped().possible == {(0, 0), (3, 1), (1, 2)}
    assert parse_links("") == parse_links("   ")
    assert format_links(links.sure, links.possible) == "0-0 1-3 2?1"
    assert links.outside(3, 4) is None
    assert links.outside(2, 4) == (2, 1)
    assert links.outside(3, 3) == (1, 3)


@pytest.mark.parametrize(
    "token", ["0", "0-", "-1", "0--1", "0-1-2", "0:1", "a-b", "-1-0", "0-0,1-1", "٠-٠", "²-1", "1" * 5000 + "-0", "0−0"]
)
def test_what_is_no_link_is_named(token: str) -> None:
    with pytest.raises(UserError, match="is no link") as error:
        parse_links(f"0-0 {token} 1-1")
    assert token[:20] in str(error.value)
    assert len(str(error.value)) < 200


@given(st.text(st.sampled_from("0127-?p \t\u00a0x")))
def test_any_line_is_links_or_a_clear_error(line: str) -> None:
    with contextlib.suppress(UserError):
        links = parse_links(line)
        assert links.sure <= links.possible
        assert parse_links(format_links(links.sure, links.possible)) == links


@pytest.mark.parametrize("sentence", SENTENCES)
def test_pieces_find_their_words_in_any_script(tokenizer: Tokenizer, sentence: str) -> None:
    text = clean(sentence)
    pieces = tokenizer.pieces(tokenizer.encode(text))
    numbers = words_of_pieces(pieces, text.split())
    assert numbers is not None
    spelt = [""] * len(text.split())
    for piece, number in zip(pieces, numbers, strict=True):
        spelt[number] += piece.replace("▁", "")
    assert spelt == text.split()
    starts = [number for number, before in zip(numbers, [NO_WORD, *numbers], strict=False) if number != before]
    assert starts == list(range(len(text.split())))


@given(text=st.text(st.characters(codec="utf-8"), max_size=30))
@example(text="\u00c0\u08cf")  # two accents, of which Unicode's order would put the second first
def test_any_text_is_traced_or_refused(tokenizer: Tokenizer, text: str) -> None:
    words = clean(text).split()
    pieces = tokenizer.pieces(tokenizer.encode(" ".join(words)))
    numbers = words_of_pieces(pieces, words)
    if numbers is None:
        assert "▁" in text  # SentencePiece's own sign for a space: the only thing that it does not keep
    else:
        assert len(numbers) == len(pieces)
        assert numbers == sorted(numbers)
        assert set(numbers) - {NO_WORD} == set(range(len(words)))


@pytest.mark.parametrize(
    ("pieces", "text", "numbers"),
    [
        (["▁I", "▁see", "ing", "."], "I seeing.", [0, 1, 1, 1]),
        (["▁", "🎉", "", "", "", "▁", "x"], "🎉 x", [0, 0, 0, 0, 0, 1, 1]),
        (["▁a", "▁", "▁", "b", "▁"], "a b", [0, 1, 1, 1, NO_WORD]),  # as a model may write it
        (["▁a", "\x1b", "b", "\xa0", "c"], "ab c", [0, 0, 0, 1, 1]),
        (["▁e", "\u0301", "t"], "\xe9t", [0, 0, 0]),
        (["▁a▁b"], "a▁b", [0]),
        (["▁a▁b"], "a b", None),  # across two words
        (["▁a", "▁b"], "a", None),
        (["▁a"], "a b", None),
        (["▁a", "▁c"], "a b", None),
        ([], "", []),
    ],
)
def test_words_of_pieces(pieces: list[str], text: str, numbers: list[int] | None) -> None:
    assert words_of_pieces(pieces, text.split()) == numbers


def test_pieces_may_be_cut() -> None:
    assert words_of_pieces(["▁a", "▁b"], ["a", "bc", "d"], cut=True) == [0, 1]
    assert words_of_pieces(["▁a", "▁x"], ["a", "bc", "d"], cut=True) is None


def twin(attention: np.ndarray, source: list[int], target: list[int]) -> list[tuple[int, int]]:
    """Loops straight from the definition: sum over the columns of a word, mean over its rows, take the maximum."""
    links = []
    for t in range(max(target) + 1):
        rows = [row for row, word in enumerate(target) if word == t]
        means = []
        for s in range(max(source) + 1):
            columns = [column for column, word in enumerate(source) if word == s]
            means.append(sum(sum(float(attention[row, column]) for column in columns) for row in rows) / len(rows))
        if max(means) > 0:
            links.append((means.index(max(means)), t))
    return links


@given(st.integers(0, 2**32 - 1))
def test_links_are_those_of_plain_loops(seed: int) -> None:
    random = np.random.default_rng(seed)
    source, target = ([*np.repeat(np.arange(n), random.integers(1, 4, n)).tolist()] for n in random.integers(1, 6, 2))
    attention = random.dirichlet(np.ones(len(source) + 1), len(target) + 1)
    attention[:, -1] += 5  # the end of the sentence draws everything, and still gets no link
    attention[random.random(len(target) + 1) < 0.2, :-1] = 0  # or really everything
    assert link_words(attention, source, target) == twin(attention, source, target)


def test_pieces_of_no_word_are_left_out() -> None:
    attention = np.array([[0.2, 0.7, 0.1], [0.9, 0.0, 0.1], [0.0, 0.6, 0.4]])
    assert link_words(attention, [0, 1], [0, NO_WORD]) == [(1, 0)]
    assert link_words(attention, [0, NO_WORD], [0, 1]) == [(0, 0), (0, 1)]
    assert link_words(attention, [], [0]) == link_words(attention, [0], []) == link_words(attention, [-1], [0]) == []


def test_links_of_a_translation(caplog: pytest.LogCaptureFixture) -> None:
    attention = np.array([[0.1, 0.2, 0.7, 0.0], [0.3, 0.4, 0.3, 0.0], [0.0, 0.0, 0.0, 1.0]])
    made = Translation("b c", 0.0, ["▁x", "y", "▁z", "</s>"], ["▁b", "▁c", "</s>"], attention, [], [], [])
    assert translation_links(" xy\u2003z ", made) == [(1, 0), (0, 1)]
    assert translation_links("", EMPTY) == []
    odd = Translation("other", 0.0, made.source_tokens, made.target_tokens, attention, [], [], [])
    assert translation_links("xy z", odd) == []
    assert "do not spell" in caplog.text
    with pytest.raises(UserError, match="no attention"):
        translation_links("xy z", Translation("b c", 0.0, made.source_tokens, made.target_tokens, None, [], [], []))
