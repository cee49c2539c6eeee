import random
import re

from hypothesis import given
from hypothesis import strategies as st

from nmt.data.lexicon import Lexicon
from nmt.data.madeup import made_up, with_made_up_word

NOUNS = [("guitar", "Gitarre"), ("dog", "Hund"), ("ladder", "Leiter"), ("window", "Fenster"), ("tree", "Baum")]
COLOURS = [("red", "roten"), ("green", "grünen"), ("blue", "blauen")]
# Each noun in one of eleven sentences, so that none of them is common.
PAIRS = [
    (f"The man sees a {colour} {noun}.", f"Der Mann sieht den {farbe} {nomen}.")
    for noun, nomen in NOUNS
    for colour, farbe in COLOURS
    for _ in range(3)
] + [(f"They say number {i}.", f"Sie sagen Nummer {i}.") for i in range(600)]


def test_words_that_meet_often_are_translations() -> None:
    lexicon = Lexicon(PAIRS)
    assert dict(NOUNS).items() <= lexicon.translations.items()
    words = {"Mann", "Der", "den", "sieht", *dict(NOUNS).values(), *dict(COLOURS).values()}
    assert set(lexicon.translations.values()) <= words
    assert "They" not in lexicon.translations  # in most sentences
    assert "17" not in lexicon.translations  # in one


@given(st.integers(0, 10_000))
def test_one_word_gives_way_on_both_sides(seed: int) -> None:
    lexicon = Lexicon(PAIRS[:45] + PAIRS[-600::4])
    found = with_made_up_word(PAIRS[0], lexicon, random.Random(seed))
    assert found is not None
    source, target = found
    new = set(source.removesuffix(".").split()) - set(PAIRS[0][0].removesuffix(".").split())
    assert len(new) == 1
    assert new.pop() in target
    assert target != PAIRS[0][1]
    assert found == with_made_up_word(PAIRS[0], lexicon, random.Random(seed))


def test_a_word_that_occurs_twice_or_has_no_translation_stays() -> None:
    lexicon = Lexicon(PAIRS)
    assert with_made_up_word(("guitar guitar", "Gitarre"), lexicon, random.Random(0)) is None
    assert with_made_up_word(("guitar", "Klavier"), lexicon, random.Random(0)) is None
    assert with_made_up_word(("", ""), lexicon, random.Random(0)) is None
    chinese = ("I see.", "我看到了。")  # without spaces
    assert with_made_up_word(chinese, Lexicon([chinese] * 10), random.Random(0)) is None


def test_letters_with_vowel_signs_stay_whole() -> None:
    nouns = [("girl", "मुलगी"), ("school", "शाळेत"), ("water", "पाणी")]
    pairs = [(f"A {noun}!", f"«{word}» आहे.") for noun, word in nouns for _ in range(8)]
    lexicon = Lexicon(pairs + [("Yes.", "हो.")] * 100)
    assert dict(nouns).items() <= lexicon.translations.items()
    only_nouns = Lexicon([])
    only_nouns.translations = dict(nouns)
    for source, target in pairs:
        found = with_made_up_word((source, target), only_nouns, random.Random(1))
        assert found is not None
        string = found[0].removeprefix("A ").removesuffix("!")
        assert found[1] == f"«{string}» आहे."


def test_strings_of_every_kind() -> None:
    rng = random.Random(3)
    strings = [made_up(rng) for _ in range(500)]
    assert all(string and " " not in string and "\t" not in string for string in strings)
    for pattern in (r"\d+", r"[A-Z][a-z]+", r"www\.[a-z]+\.[a-z]+", r"[a-z]+@[a-z]+\.[a-z]+"):
        assert any(re.fullmatch(pattern, string) for string in strings)
