"""N-grams that one model gets right more often than another."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

_ORDER = 4
Ngrams = Counter[tuple[str, ...]]


class Won(NamedTuple):
    """Words, and how often translations of each of two models have them where a reference has them."""

    words: str
    ours: int
    theirs: int


def ngrams(words: Sequence[str]) -> Ngrams:
    """All n-grams of up to four words."""
    return Counter(tuple(words[i : i + n]) for n in range(1, _ORDER + 1) for i in range(len(words) - n + 1))


def matches(hypotheses: Sequence[str], references: Sequence[Sequence[str]], cut: Callable[[str], list[str]]) -> Ngrams:
    """How often n-grams of translations are in a reference, clipped per sentence as in BLEU."""
    found: Ngrams = Counter()
    for text, group in zip(hypotheses, references, strict=True):
        allowed: Ngrams = Counter()
        for reference in group:
            allowed |= ngrams(cut(reference))
        found += ngrams(cut(text)) & allowed
    return found


def won(ours: Ngrams, theirs: Ngrams, count: int) -> list[Won]:
    """N-grams with the largest lead of `ours`, without those that are part of a longer one with the same lead."""
    leads = ours - theirs
    ordered = sorted(leads, key=lambda each: (-leads[each], -len(each), each))
    chosen: list[tuple[str, ...]] = []
    for each in ordered:
        if len(chosen) == count:
            break
        text = f" {' '.join(each)} "
        if not any(leads[other] == leads[each] and text in f" {' '.join(other)} " for other in chosen):
            chosen.append(each)
    return [Won(" ".join(each), ours[each], theirs[each]) for each in chosen]
