"""Pairs in which a word and its translation give way to a string that nobody has seen: they teach a model to copy.

A model learns to translate what it has seen. What it has not seen, such as names, numbers and addresses, is mostly to
be copied, and a small corpus hardly shows that. Which words translate each other is guessed from how often they meet.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from nmt.scripts import UNSPACED, script_of

Pair = tuple[str, str]

_WORD = re.compile(r"\w+")
_SAMPLE = 50_000  # pairs that the lexicon is learnt from
_RAREST = 5  # times that a word must occur for its translation to be guessed
_COMMONEST, _FEW = 0.02, 50  # share of the sentences, or so many of them; what occurs in more has grammar to do
_CERTAIN = 0.5  # Dice coefficient from which two words are taken for translations of each other
_SYLLABLES = ("ba", "ce", "dal", "do", "fe", "gri", "ha", "ja", "ki", "la", "mi", "ner", "no", "ru", "sa", "zor")


class Lexicon:
    """Words that are each other's translation, by Dice's coefficient 2·c(s, t) / (c(s) + c(t)) over sentence pairs."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        step = -(-len(pairs) // _SAMPLE)
        rows = [tuple(set(_words(text)) for text in pair) for pair in pairs[::step]]
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
        source, target = (Counter(_words(text)) for text in pair)
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
    source, target = (
        re.sub(rf"\b{re.escape(word)}\b", lambda _: string, text, count=1)
        for word, text in zip(chance.choice(matches), pair, strict=True)
    )
    return source, target


def made_up(chance: random.Random) -> str:
    """A number, a name or an address."""
    kind = chance.random()
    if kind < 0.3:
        return str(chance.randrange(10 ** chance.randint(1, 5)))
    word = "".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4)))
    if kind < 0.7:
        return word.capitalize()
    host = f"{word}.{chance.choice(('com', 'org', 'net', 'de', 'fr', 'io'))}"
    return chance.choice((f"www.{host}", f"{chance.choice(_SYLLABLES)}{chance.choice(_SYLLABLES)}@{host}", host))


def _words(text: str) -> list[str]:
    """The words of a text, as far as it sets them apart."""
    words: list[str] = _WORD.findall(text)
    return words if text.isascii() else [word for word in words if script_of(word[0]) not in UNSPACED]
