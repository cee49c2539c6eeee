"""N-grams that one model gets right more often than another."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

_ORDER = 4
_LEAD = 2  # a smaller one is chance
Ngram = tuple[str, ...]
Ngrams = Counter[Ngram]


class Won(NamedTuple):
    """Words, how often translations of each of two models have them and a reference too, and where the two differ."""

    words: str
    ours: int
    theirs: int
    sentences: list[int]  # numbers, from 1, of those in which one model has them more often than the other


def ngrams(words: Sequence[str]) -> Ngrams:
    """All n-grams of up to four words."""
    return Counter(tuple(words[i : i + n]) for n in range(1, _ORDER + 1) for i in range(len(words) - n + 1))


def matches(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], cut: Callable[[str], list[str]]
) -> list[Ngrams]:
    """The n-grams of each translation that are in a reference, clipped as in BLEU."""
    found = []
    for text, group in zip(hypotheses, references, strict=True):
        allowed: Ngrams = Counter()
        for reference in group:
            allowed |= ngrams(cut(reference))
        found.append(ngrams(cut(text)) & allowed)
    return found


def won(ours: Sequence[Ngrams], theirs: Sequence[Ngrams], count: int) -> list[Won]:
    """N-grams with the largest lead of `ours`, 2 or more, without parts of longer ones with the same lead."""
    total, other_total = _total(ours), _total(theirs)
    leads = total - other_total
    ordered = sorted(leads, key=lambda each: (-leads[each], -len(each), each))
    chosen: list[Ngram] = []
    for each in ordered:
        if len(chosen) == count or leads[each] < _LEAD:
            break
        text = f" {' '.join(each)} "
        if not any(leads[other] == leads[each] and text in f" {' '.join(other)} " for other in chosen):
            chosen.append(each)
    return [Won(" ".join(each), total[each], other_total[each], _differing(each, ours, theirs)) for each in chosen]


def _total(sentences: Sequence[Ngrams]) -> Ngrams:
    found: Ngrams = Counter()
    for each in sentences:
        found.update(each)
    return found


def _differing(ngram: Ngram, ours: Sequence[Ngrams], theirs: Sequence[Ngrams]) -> list[int]:
    pairs = zip(ours, theirs, strict=True)
    return [number for number, (one, other) in enumerate(pairs, start=1) if one[ngram] != other[ngram]]
