"""The writing systems (scripts) of a text."""

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np

# Scripts that put no spaces between words, by the name Unicode gives their characters.
UNSPACED = frozenset({"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"})

# What follows the script in a character's name.
_SCRIPT_END = re.compile(
    r"[- ](?:SMALL|CAPITAL|LETTER|LIGATURE|SYLLAB|VOWEL|CONSONANT|SIGN|UNIFIED|COMPATIBILITY|HIRAGANA)"
)
_BLOCK = 4096  # texts counted together
_SCRIPTLESS = frozenset({"COMBINING", "MODIFIER", "VARIATION", "ZERO", "FEMININE", "MASCULINE", "MICRO"})


class ByCharacter(dict[int, str]):
    """A table for `str.translate` that asks a function what each character becomes, once."""

    def __init__(self, becomes: Callable[[str], str]) -> None:
        super().__init__()
        self._becomes = becomes

    def __missing__(self, code: int) -> str:
        self[code] = self._becomes(chr(code))
        return self[code]


def script_of(character: str) -> str | None:
    """Name the script of a letter or mark (``"LATIN"``, ``"CJK"``), or None for what all scripts share.

    Python ships no script table, but every Unicode name begins with its script: DEVANAGARI LETTER KA.
    """
    if unicodedata.category(character)[0] not in "LM":
        return None
    name = unicodedata.name(character, "").removeprefix("FULLWIDTH ").removeprefix("HALFWIDTH ")
    if not name or name.split(" ", 1)[0] in _SCRIPTLESS:
        return None
    if name.startswith("IDEOGRAPHIC "):  # the iteration mark 々 and its kin
        return "CJK"
    end = _SCRIPT_END.search(name)
    return name[: end.start()] if end else name.split(" ", 1)[0]


def count_characters(texts: Iterable[str]) -> Counter[str]:
    """How often each character occurs, counted in bulk."""
    counts = np.zeros(sys.maxunicode + 1, dtype=np.int64)
    texts = iter(texts)
    while block := list(islice(texts, _BLOCK)):
        codes = np.frombuffer("".join(block).encode("utf-32-le", "surrogatepass"), dtype="<u4")
        of_block = np.bincount(codes)
        counts[: len(of_block)] += of_block
    return Counter({chr(code): int(counts[code]) for code in np.flatnonzero(counts)})


def count_scripts(texts: Iterable[str]) -> Counter[str]:
    """Count letters and marks by script."""
    return scripts_of(count_characters(texts))


def scripts_of(characters: Counter[str]) -> Counter[str]:
    """Count letters and marks by script, given the counts of all characters."""
    scripts: Counter[str] = Counter()
    for character, count in characters.items():
        if script := script_of(character):
            scripts[script] += count
    return scripts
