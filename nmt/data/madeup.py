"""Pairs in which a word and its translation give way to a string that nobody has seen: they teach a model to copy.

A model learns to translate what it has seen. What it has not seen, such as names, numbers and addresses, is mostly to
be copied, and a small corpus hardly shows that. Which words translate each other is guessed from how often they meet.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

from nmt.scripts import UNSPACED, script_of

Pair = tuple[str, str]

_TOKEN = re.compile(r"\S+")
_SAMPLE = 50_000  # pairs that the lexicon is learnt from
_RAREST = 5  # times that a word must occur for its translation to be guessed
_COMMONEST, _FEW = 0.02, 50  # share of the sentences, or so many of them; what occurs in more has grammar to do
_CERTAIN = 0.5  # Dice coefficient from which two words are taken for translations of each other
_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxyz", "aeiou"


class Lexicon:
    """Words that are each other's translation, by Dice's coefficient 2·c(s, t) / (c(s) + c(t)) over sentence pairs."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        step = max(1, -(-len(pairs) // _SAMPLE))
        rows = [tuple({word for word, _, _ in _words(text)} for text in pair) for pair in pairs[::step]]
        counts = [Counter(word for row in rows for word in row[side]) for side in (0, 1)]
        most = max(_FEW, _COMMONEST * len(rows))
        usable = [{word for word, count in each.items() if _RAREST <= count <= most} for each in counts]
        together = Counter(pair for source, target in rows for pair in product(source & usable[0], target & usable[1]))
        best: dict[str, tuple[float, str]] = {}
        for (source, target), count in together.items():
            dice = 2 * count / (counts[0][source] + counts[1][target])
            if dice >= _CERTAIN:
                best[source] = max(best.get(source, (0.0, "")), (dice, target))
        self.translations = {source: target for source, (_, target) in best.items()}

    def matches(self, pair: Pair) -> Iterator[Pair]:
        """Words of a pair that translate each other and occur once on either side."""
        source, target = (Counter(word for word, _, _ in _words(text)) for text in pair)
        for word, count in source.items():
            translation = self.translations.get(word)
            if count == 1 and translation is not None and target[translation] == 1:
                yield word, translation


def with_made_up_word(pair: Pair, lexicon: Lexicon, chance: random.Random) -> Pair | None:
    """The pair with one word made up, the same on both sides; None if no word of it has a known translation."""
    matches = sorted(lexicon.matches(pair))
    if not matches:
        return None
    string = made_up(chance)
    source, target = map(_replaced, pair, chance.choice(matches), (string, string))
    return source, target


def _replaced(text: str, word: str, string: str) -> str:
    start, end = next((start, end) for found, start, end in _words(text) if found == word)
    return text[:start] + string + text[end:]


def made_up(chance: random.Random) -> str:
    """A number, a name or an address."""
    kind = chance.random()
    if kind < 0.3:
        return str(chance.randrange(10 ** chance.randint(1, 5)))
    if kind < 0.7:
        return _sound(chance).capitalize()
    host = f"{_sound(chance)}.{chance.choice(('com', 'org', 'net', 'de', 'fr', 'io'))}"
    return chance.choice((f"www.{host}", f"{_sound(chance)}@{host}", host))


def _sound(chance: random.Random) -> str:
    """Such as tavor or mikelun."""
    syllables = (
        chance.choice(_CONSONANTS) + chance.choice(_VOWELS) + chance.choice(("", "", *_CONSONANTS))
        for _ in range(chance.randint(2, 3))
    )
    return "".join(syllables)


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """The words of a text, as far as spaces set them apart, without punctuation around them; and where they are."""
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        while start < end and _is_punctuation(text[start]):
            start += 1
        while start < end and _is_punctuation(text[end - 1]):
            end -= 1
        if start < end and script_of(text[start]) not in UNSPACED:
            yield text[start:end], start, end


@cache
def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"
