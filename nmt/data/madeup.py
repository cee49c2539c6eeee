"""Pairs that nobody wrote, made of those that somebody did: they keep a model from learning a small corpus by heart.

A word and its translation give way, on both sides at once, to another such pair (Fadaee 2017), or to a string that
nobody has seen. Names, numbers and addresses are mostly to be copied, and a small corpus hardly shows that.
"""

from __future__ import annotations

import random

from nmt.data.lexicon import Lexicon, Pair, replaced

_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxyz", "aeiou"


def with_made_up_word(pair: Pair, lexicon: Lexicon, chance: random.Random) -> Pair | None:
    """The pair with one word made up, the same on both sides; None if no word of it has a known translation."""
    matches = lexicon.matches(pair)
    if not matches:
        return None
    string = made_up(chance)
    return replaced(pair, chance.choice(matches), (string, string))


def with_other_words(pair: Pair, lexicon: Lexicon, chance: random.Random) -> Pair | None:
    """The pair with another word, and its translation, where both have stood after the same words before."""
    matches = lexicon.matches(pair)
    chance.shuffle(matches)
    for match in matches:
        if others := lexicon.others(match):
            return replaced(pair, match, chance.choice(others))
    return None


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
