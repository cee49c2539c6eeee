"""Numbers and names that a translation should take over from its source as they are."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from nmt.writing_systems import UNSPACED, script_of

_NUMBER = re.compile(r"\d(?:[\d.,'’\u00a0\u202f]*\d)?")  # 1,000.50 and 1 000,50 are one number each
_WORD = re.compile(r"[^\W\d_]{3,}")


class Copied(NamedTuple):
    """Items that source and reference share: how many, how many the translation has, and those it lacks."""

    expected: int
    kept: int
    sentences: int  # with such items
    lost: list[tuple[str, int]]  # item and sentence


def numbers(text: str) -> list[str]:
    """The numbers of a text as ASCII digits, without separators, which differ between languages."""
    return ["".join(str(unicodedata.digit(character, "")) for character in match) for match in _NUMBER.findall(text)]


def names(text: str) -> list[str]:
    """Capitalised words of three letters or more, in scripts that have capitals and spaces."""
    spaced = text if text.isascii() else "".join(" " if _is_unspaced(character) else character for character in text)
    return [word for word in _WORD.findall(spaced) if word[0].isupper()]


@cache
def _is_unspaced(character: str) -> bool:
    return script_of(character) in UNSPACED


def copied(
    items: Callable[[str], list[str]],
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    translations: Sequence[str],
) -> Copied:
    """Count the items of sources that a reference has as well, and those of them that the translation has."""
    expected = kept = sentences = 0
    lost: list[tuple[str, int]] = []
    for place, (source, group, translation) in enumerate(zip(sources, references, translations, strict=True)):
        given = Counter(items(source))
        if not given:
            continue
        wanted = given & max((Counter(items(text)) & given for text in group), key=lambda found: found.total())
        missing = wanted - Counter(items(translation))
        expected, kept = expected + wanted.total(), kept + wanted.total() - missing.total()
        sentences += bool(wanted)
        lost += [(item, place) for item in missing.elements()]
    return Copied(expected, kept, sentences, lost)
