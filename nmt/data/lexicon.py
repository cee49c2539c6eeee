"""Which words translate each other, guessed from how often they meet; and which others could stand in their place.

Where spaces set words apart, this is enough to change a pair of sentences on both sides at once.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from nmt.scripts import UNSPACED, script_of

Pair = tuple[str, str]

_TOKEN = re.compile(r"\S+")
_SAMPLE = 50_000  # pairs that the lexicon is learnt from
_RAREST = 5  # times that a word must occur for its translation to be guessed
_COMMONEST, _FEW = 0.02, 50  # share of the sentences, or so many of them; what occurs in more has grammar to do
_CERTAIN = 0.5  # Dice coefficient from which two words are taken for translations of each other


class Word(NamedTuple):
    """A word of a text, and where it is."""

    text: str
    start: int
    end: int


class Match(NamedTuple):
    """A word of a pair and its translation, with the words before them."""

    source: Word
    target: Word
    before: Pair


class Lexicon:
    """Words that are each other's translation, by Dice's coefficient 2·c(s, t) / (c(s) + c(t)) over sentence pairs."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        step = max(1, -(-len(pairs) // _SAMPLE))
        rows = [tuple([word.text for word in words_of(text)] for text in pair) for pair in pairs[::step]]
        counts = [Counter(word for row in rows for word in set(row[side])) for side in (0, 1)]
        most = max(_FEW, _COMMONEST * len(rows))
        usable = [{word for word, count in each.items() if _RAREST <= count <= most} for each in counts]
        together = Counter(
            pair
            for source, target in rows
            for pair in product(usable[0].intersection(source), usable[1].intersection(target))
        )
        best: dict[str, tuple[float, str]] = {}
        for (source, target), count in together.items():
            dice = 2 * count / (counts[0][source] + counts[1][target])
            if dice >= _CERTAIN:
                best[source] = max(best.get(source, (0.0, "")), (dice, target))
        self.translations = {source: target for source, (_, target) in sorted(best.items())}
        known = set(self.translations), set(self.translations.values())
        self._after = tuple(_successors((row[side] for row in rows), known[side]) for side in (0, 1))

    def matches(self, pair: Pair) -> list[Match]:
        """Words of a pair that translate each other and occur once on either side."""
        sides = [list(words_of(text)) for text in pair]
        places = [{word.text: i for i, word in enumerate(words)} for words in sides]
        counts = [Counter(word.text for word in words) for words in sides]
        found = []
        for i, word in enumerate(sides[0]):
            translation = self.translations.get(word.text)
            if translation is not None and counts[0][word.text] == counts[1][translation] == 1:
                j = places[1][translation]
                before = (sides[0][i - 1].text if i else "", sides[1][j - 1].text if j else "")
                found.append(Match(word, sides[1][j], before))
        return found

    def others(self, match: Match) -> list[Pair]:
        """Words that have stood after the same words, with translations that have done so as well."""
        source, target = (after.get(word, {}) for after, word in zip(self._after, match.before, strict=True))
        pairs = ((word, self.translations[word]) for word in source)
        old = (match.source.text, match.target.text)
        return [pair for pair in pairs if pair[1] in target and pair != old and all(map(_alike, pair, old))]


def replaced(pair: Pair, match: Match, new: Pair) -> Pair:
    """The pair with other words in the place of these."""
    source, target = (
        text[: word.start] + other + text[word.end :]
        for text, word, other in zip(pair, (match.source, match.target), new, strict=True)
    )
    return source, target


def words_of(text: str) -> Iterator[Word]:
    """The words of a text, as far as spaces set them apart, without punctuation around them."""
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        while start < end and _is_punctuation(text[start]):
            start += 1
        while start < end and _is_punctuation(text[end - 1]):
            end -= 1
        if start < end and script_of(text[start]) not in UNSPACED:
            yield Word(text[start:end], start, end)


def _successors(rows: Iterator[list[str]], words: set[str]) -> dict[str, dict[str, None]]:
    """Which of some words occur after each word, or at the beginning (""); in a dict, a set that keeps its order."""
    after: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        for before, word in zip(["", *row], row, strict=False):
            if word in words:
                after[before][word] = None
    return after


def _alike(word: str, other: str) -> bool:
    """Whether both begin with a capital, or neither: in German, what nouns have in common."""
    return word[0].isupper() == other[0].isupper()


@cache
def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"
