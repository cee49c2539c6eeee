"""Signs that a translation leaves something out or says it twice."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

SHORT, LONG = 0.7, 1.4  # times the length of the nearest reference, in characters

SIGNS = {
    "repeats": "a phrase repeated that no reference repeats",
    "short": f"less than {SHORT:.0%} of the length of the nearest reference",
    "long": f"more than {LONG:.0%} of the length of the nearest reference",
    "copy": "a copy of the source",
    "empty": "no words at all",
}


def trouble(source: str, translation: str, references: Sequence[str], nearest: str) -> list[str]:
    """The names of the signs of trouble that a translation shows (`SIGNS`)."""
    ratio = len(translation) / max(len(nearest), 1)
    signs = {
        "repeats": bool(repeats(translation, references)),
        "short": ratio < SHORT,
        "long": ratio > LONG,
        "copy": translation == source and translation not in references,
        "empty": not translation,
    }
    return [name for name, shown in signs.items() if shown]


def repeats(translation: str, references: Sequence[str]) -> list[str]:
    """Phrases of two words, or the same word twice in a row, more often in a translation than in any reference."""

    def phrases(text: str) -> Counter[str]:
        words = text.split()
        pairs = list(pairwise(words))
        twice = Counter(f"{a} {b}" for a, b in pairs if a == b)
        often = Counter({phrase: count - 1 for phrase, count in Counter(map(" ".join, pairs)).items() if count > 1})
        return twice | often

    repeats = phrases(translation)
    for reference in references if repeats else ():
        repeats -= phrases(reference)
    return sorted(repeats)
