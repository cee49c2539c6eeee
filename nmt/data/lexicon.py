"""A bilingual lexicon from co-occurrence counts, for languages that put spaces between words."""

import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
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
        source, target = (list(words_of(text)) for text in pair)
        spelt = [[word.text for word in words] for words in (source, target)]
        found = []
        for word in source:
            translation = self.translations.get(word.text)
            if translation is not None and spelt[0].count(word.text) == spelt[1].count(translation) == 1:
                found.append((word, target[spelt[1].index(translation)]))
        return found


def replaced(pair: Pair, string: str, match: Match) -> Pair:
    """The pair with the same string in the place of both words."""
    source, target = (text[: word.start] + string + text[word.end :] for text, word in zip(pair, match, strict=True))
    return source, target


def words_of(text: str) -> Iterator[Word]:
    """The words between spaces, without punctuation around them; none in scripts without spaces."""
    for token in _TOKEN.finditer(text):
        if word := _word(token[0]):
            begin = token.start()
            yield Word(word.text, begin + word.start, begin + word.end)


@lru_cache(2**15)
def _word(token: str) -> Word | None:
    """The word in a token, if there is one; most tokens of a text are among the last few thousand."""
    start, end = 0, len(token)
    while start < end and _is_punctuation(token[start]):
        start += 1
    while start < end and _is_punctuation(token[end - 1]):
        end -= 1
    return Word(token[start:end], start, end) if start < end and script_of(token[start]) not in UNSPACED else None


def _numbered(text: str, known: dict[str, int]) -> "array[int]":
    """The different words of a text as numbers, which take a tenth of the memory."""
    return array("i", {known.setdefault(word.text, len(known)) for word in words_of(text)})


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"
