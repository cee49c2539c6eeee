"""Sentences that occur several times in a corpus."""

from collections import defaultdict

import numpy as np

from nmt.checking.measures import Measures
from nmt.checking.tokens import Floats

_STEM = 4  # letters by which words count as the same
_ALIKE = 1 / 3  # share of their words that translations of one sentence usually have in common


def repeats(measures: Measures) -> list[int]:
    """For each pair, the row of the first pair with the same words on both sides; 0 for the first itself."""
    first: dict[tuple[str, str], int] = {}
    found = []
    for pair, *words in zip(measures.pairs, measures.source.words, measures.target.words, strict=True):
        source, target = (" ".join(each) for each in words)
        row = first.setdefault((source, target), pair.row) if source or target else pair.row
        found.append(0 if row == pair.row else row)
    return found


def contradictions(measures: Measures, same_source: bool) -> tuple[Floats, dict[int, int]]:
    """Pairs whose translation of a sentence shares few words with a more plausible one.

    Returns:
        Strengths, and the more plausible pair by pair, as places in `measures.pairs`.
    """
    same, other = measures.source.words, measures.target.words
    if not same_source:
        same, other = other, same
    groups: dict[str, list[int]] = defaultdict(list)
    for i, words in enumerate(same):
        if words:
            groups[" ".join(words)].append(i)
    strength, rivals = np.zeros(len(same)), {}
    for members in groups.values():
        if len(members) < 2:
            continue
        best = min(members, key=lambda i: measures.unrelated[i])
        known = {word[:_STEM] for word in other[best]}
        for i in members:
            margin = measures.unrelated[i] - max(measures.unrelated[best], 0) - 1
            own = {word[:_STEM] for word in other[i]}
            if margin > 0 and len(own & known) < _ALIKE * max(len(own), len(known)):
                strength[i], rivals[i] = min(0.5 * margin, 3), best
    return strength, rivals
