"""A bilingual lexicon from co-occurrence counts, for languages that put spaces between words."""

import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from nmt.writing_systems import UNSPACED, script_of

Pair = tuple[str, str]

_TOKEN = re.compile(r"\S+")
_RAREST = 5  # occurrences below which a word gets no translation
_COMMONEST, _FEW = 0.02, 50  # a word in more than 2 % of the sentences, and in more than 50, is a function word
_CERTAIN = 0.5  # Dice coefficient from which two words count as translations of each other


class Word(NamedTuple):
    """A word of a text, and its position."""

    text: str
    start: int
    end: int


Match = tuple[Word, Word]  # a word of a pair and its translation


class Lexicon:
    """Words that are each other's translation, by Dice's coefficient 2·c(s, t) / (c(s) + c(t)) over sentence pairs."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})  # of the words of each side
        rows = [[_numbered(text, known) for text, known in zip(pair, numbers, strict=True)] for pair in pairs]
        counts = [Counter(word for row in rows for word in row[side]) for side in (0, 1)]
        most = max(_FEW, _COMMONEST * len(rows))
        usable = [{word for word, count in each.items() if _RAREST <= count <= most} for each in counts]
        rows_of: dict[int, list[int]] = {word: [] for word in usable[0]}
        for i, (source, _) in enumerate(rows):
            for word in usable[0].intersection(source):
                rows_of[word].append(i)
        spelt = list(numbers[1])
        self.translations: dict[str, str] = {}
        for text, word in sorted((text, word) for text, word in numbers[0].items() if word in usable[0]):
            together = Counter(target for i in rows_of[word] for target in rows[i][1] if target in usable[1])
            dice = {target: 2 * count / (counts[0][word] + counts[1][target]) for target, count in together.items()}
            score, best = max(((score, spelt[target]) for target, score in dice.items()), default=(0.0, ""))
            if score >= _CERTAIN:
                self.translations[text] = best

    def matches(self, pair: Pair) -> list[Match]:
        """Words of a pair that translate each other and occur once on either side."""
        sides = [list(words_of(text)) for text in pair]
        counts = [Counter(word.text for word in words) for words in sides]
        targets = {word.text: word for word in sides[1]}
        found = []
        for word in sides[0]:
            translation = self.translations.get(word.text)
            if translation is not None and counts[0][word.text] == counts[1][translation] == 1:
                found.append((word, targets[translation]))
        return found


def replaced(pair: Pair, string: str, match: Match) -> Pair:
    """The pair with the same string in the place of both words."""
    source, target = (text[: word.start] + string + text[word.end :] for text, word in zip(pair, match, strict=True))
    return source, target


def words_of(text: str) -> Iterator[Word]:
    """The words between spaces, without punctuation around them; none in scripts without spaces."""
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        while start < end and _is_punctuation(text[start]):
            start += 1
        while start < end and _is_punctuation(text[end - 1]):
            end -= 1
        if start < end and script_of(text[start]) not in UNSPACED:
            yield Word(text[start:end], start, end)


def _numbered(text: str, known: dict[str, int]) -> "array[int]":
    """The different words of a text as numbers, which take a tenth of the memory."""
    return array("i", {known.setdefault(word.text, len(known)) for word in words_of(text)})


@cache
def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"
