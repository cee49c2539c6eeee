"""Data augmentation: an invented string replaces a word and its translation, so that the model learns to copy.

Names, numbers and addresses are mostly copied, and a small corpus has few of them.
"""

import random

from nmt.data.lexicon import Lexicon, Pair, replaced

_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxyz", "aeiou"


def with_made_up_word(pair: Pair, lexicon: Lexicon, rng: random.Random) -> Pair | None:
    """Replace a word and its translation by one invented string; None if no word has a known translation."""
    matches = lexicon.matches(pair)
    if not matches:
        return None
    return replaced(pair, made_up(rng), rng.choice(matches))


def made_up(rng: random.Random) -> str:
    """Invent a number, a name or an address."""
    kind = rng.random()
    if kind < 0.3:
        return str(rng.randrange(10 ** rng.randint(1, 5)))
    if kind < 0.7:
        return _sound(rng).capitalize()
    host = f"{_sound(rng)}.{rng.choice(('com', 'org', 'net', 'de', 'fr', 'io'))}"
    return rng.choice((f"www.{host}", f"{_sound(rng)}@{host}", host))


def _sound(rng: random.Random) -> str:
    """Invent a pronounceable word, such as tavor or mikelun."""
    syllables = (
        rng.choice(_CONSONANTS) + rng.choice(_VOWELS) + rng.choice(("", "", *_CONSONANTS))
        for _ in range(rng.randint(2, 3))
    )
    return "".join(syllables)
