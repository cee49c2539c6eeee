"""Text in the page is cleaned and cut as in Python."""

import functools
import json
import random
import unicodedata
from typing import Any

import numpy as np
import pytest

from nmt.data.cleaning import clean
from nmt.data.tokenizer import Tokenizer
from nmt.words import merge_words
from nmt.writing_systems import script_of
from tests.browser import in_base64

SENTENCES = [
    "The quick brown fox jumps over the lazy dog, doesn't it?",
    "Ce n'est pas un chat noir, c'est l'été à Paris : où êtes-vous ?",
    "मैं घर जा रहा हूँ। तुम्ही कुठे आहात?",
    "אני הולך הביתה. السلام عليكم ورحمة الله",
    "我今天去学校。私は学校へ行きます。ฉันไปโรงเรียน",
    "Я иду домой, а ты? Ich gehe nach Hause. Größe!",
    "Hahahaha, zooooom, aaaaa! 哈哈哈哈哈",  # where equal pairs overlap, the left one is merged first
]
ODD = "▁ \t\u00a0\u3000\u200b\u200d\ufeff\x00\x1c\x85\u2028�😀👩‍👩‍👧🇫🇷<0x41></s><s><unk>e\u0301ﬁ\U0010ffff\ue000"

KNOWN = {"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "HEBREW", "ARABIC", "DEVANAGARI", "BENGALI", "TAMIL", "THAI", "LAO"}


@functools.cache
def tokenizer(kind: Any) -> Tokenizer:
    return Tokenizer.train(SENTENCES * 30, 700, vocab_type=kind)


def fuzzed(count: int) -> list[str]:
    """Pieces of sentences, odd characters and characters of all scripts in any order."""
    generator = random.Random(7)
    anything = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code))[0] in "LMNPSZ"]

    def part() -> str:
        sentence = generator.choice(SENTENCES)
        begin = generator.randrange(len(sentence))
        cut = sentence[begin : begin + generator.randrange(1, 20)]
        return generator.choice([cut, cut, generator.choice(ODD), generator.choice(anything), " "])

    mixed = ("".join(part() for _ in range(generator.randrange(1, 9))) for _ in range(count))
    return ["", " ", *SENTENCES, ODD, *mixed]


def test_cleaning_equals_pythons(engine: Any) -> None:
    texts = fuzzed(3000)
    cleaned = engine.evaluate("(texts) => texts.map(module_clean.clean)", texts)
    assert [one for one, text in zip(cleaned, texts, strict=True) if one != clean(text)] == []


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_pieces_equal_the_librarys(engine: Any, kind: str) -> None:
    python, texts = tokenizer(kind), [clean(text) for text in fuzzed(3000)]
    generator = random.Random(3)
    expected = [python.encode(text) for text in texts]
    shuffled = [generator.sample(range(len(python)), generator.randrange(1, 12)) for _ in range(1000)]
    shuffled += [[generator.randrange(4, 260) for _ in range(6)] for _ in range(1000)]  # bytes, mostly no characters
    encoded, decoded, readable = json.loads(
        engine.evaluate(
            """([model, texts, ids]) => {
              const pieces = new module_sentencepiece.SentencePiece(module_file.fromBase64(model));
              const encoded = texts.map((text) => pieces.encode(text));
              const all = [...encoded, ...ids];
              const decoded = all.map((each) => module_clean.clean(pieces.decode(each)));
              return JSON.stringify([encoded, decoded, all.map((each) => pieces.readable(each))]);
            }""",
            [in_base64(python.model), texts, shuffled],
        )
    )
    assert [text for text, one, other in zip(texts, encoded, expected, strict=True) if one != other] == []
    assert decoded == [clean(text) for text in python.decode_batch([*expected, *shuffled])]
    assert readable == [python.pieces(ids) for ids in [*expected, *shuffled]]


def test_words_equal_pythons(engine: Any) -> None:
    python, generator = tokenizer("bpe"), random.Random(3)
    lines = [python.pieces(python.encode(text)) for text in SENTENCES]
    lines += [python.pieces(generator.sample(range(len(python)), generator.randrange(1, 12))) for _ in range(1000)]
    words = engine.evaluate("(all) => all.map((each) => module_words.mergeWords(each).map((word) => word.text))", lines)
    expected = (merge_words(each, np.zeros((1, len(each))), axis=1)[0] for each in lines)
    assert words == [[" ".join(word.split()) for word in each] for each in expected]  # no tabs


def test_scripts_equal_pythons(engine: Any) -> None:
    letters = [chr(code) for code in range(0x3000) if script_of(chr(code)) in KNOWN and code not in (0x953, 0x954)]
    letters += [*"".join(SENTENCES), *"ªµǅﬁＡｱ々ーԱ한გሀក1!"]
    found = engine.evaluate("(letters) => letters.map(module_scripts.scriptOf)", letters)
    unlike = [(each, one, script_of(each)) for each, one in zip(letters, found, strict=True) if one != script_of(each)]
    assert unlike == []
