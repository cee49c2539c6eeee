import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.words import merge_words
from nmt.writing_systems import script_of


def words_of(*pieces: str) -> list[str]:
    return merge_words(pieces, np.full((1, len(pieces)), 1 / len(pieces)), axis=1)[0]


@pytest.mark.parametrize(
    ("character", "script"),
    [
        *(("e", "LATIN"), ("É", "LATIN"), ("я", "CYRILLIC"), ("क", "DEVANAGARI"), ("ि", "DEVANAGARI")),
        *(("中", "CJK"), ("々", "CJK"), ("ひ", "HIRAGANA"), ("ー", "KATAKANA"), ("ｶ", "KATAKANA")),
        *(("한", "HANGUL"), ("ย", "THAI"), ("ع", "ARABIC"), ("ᱚ", "OL CHIKI"), ("ሀ", "ETHIOPIC")),
        *((".", None), ("7", None), ("😀", None), ("\u0301", None), ("\u200d", None), ("\ue000", None)),
    ],
)
def test_script(character: str, script: str | None) -> None:
    assert script_of(character) == script


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (["▁They", "▁wat", "ch", "ing", ".", "</s>"], ["They", "watching.", "</s>"]),
        (["no", "▁mark", "</s>", "</s>"], ["no", "mark", "</s>", "</s>"]),
        (["▁म", "राठ", "ी"], ["मराठी"]),
        (["▁", "我们", "不", "能", "。", "</s>"], ["我们", "不", "能", "。", "</s>"]),
        (["▁我", "用", "Py", "thon"], ["我", "用", "Python"]),
        (["▁สวัส", "ดี", "\u0e48"], ["สวัส", "ดี\u0e48"]),  # a mark stays with its letter
        (["▁caf", "é", "", "s"], ["cafés"]),  # é spelt in two bytes
        (["▁", "𠮷", "", "", "", "中", "", ""], ["𠮷", "中"]),
        (["▁a", "\ufffd", "▁b"], ["a\ufffd", "b"]),  # half a character
        (["▁x", "▁"], ["x", "▁"]),
    ],
)
def test_words(pieces: list[str], words: list[str]) -> None:
    assert words_of(*pieces) == words


def test_nothing_to_merge() -> None:
    words, weights = merge_words([], np.zeros((3, 0)), axis=1)
    assert words == []
    assert weights.shape == (3, 0)


PIECES = st.lists(
    st.sampled_from(["▁", "▁the", "ing", ".", "</s>", "我", "。", "ा", "न", "▁ท", "ี", ""]) | st.text(max_size=3),
    min_size=1,
    max_size=12,
)


@given(source=PIECES, target=PIECES, seed=st.integers(0, 100))
def test_rows_still_sum_to_one(source: list[str], target: list[str], seed: int) -> None:
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(source)), size=len(target))
    columns, merged = merge_words(source, weights, axis=1)
    rows, merged = merge_words(target, merged, axis=0)
    assert merged.shape == (len(rows), len(columns))
    assert (merged >= 0).all()
    np.testing.assert_allclose(merged.sum(axis=1), 1)


@given(text=st.text(alphabet="aé我 न", min_size=1).map(str.strip).filter(bool))
def test_bytes_spell_the_same_words_as_letters(text: str) -> None:
    """A character in n bytes is n pieces, of which the first shows it."""
    letters = ["▁" if character == " " else character for character in text]
    as_bytes = [
        piece
        for letter in letters
        for piece in ([letter] if letter == "▁" else [letter] + [""] * (len(letter.encode()) - 1))
    ]
    assert words_of(*letters) == words_of(*as_bytes)
