"""Strings that nobody has seen, in the place of a word and of its translation: what a model can only copy.

So are names, numbers and addresses, mostly, and a small corpus hardly shows it.
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
    return replaced(pair, made_up(chance), chance.choice(matches))


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
