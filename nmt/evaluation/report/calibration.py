"""Whether a model is as sure as it is right: reliability of the confidence of words and sentences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nmt.translation import Translation

_BINS = 10


@dataclass(frozen=True)
class Bin:
    """Translations whose confidence lies in one interval."""

    low: float
    high: float
    count: int
    confidence: float  # mean
    right: float  # share, or mean of what counts as right


def reliability(confidences: Sequence[float], right: Sequence[float], bins: int = _BINS) -> list[Bin]:
    """Mean confidence and mean rightness in intervals of equal width; empty intervals are left out."""
    values, truth = np.asarray(confidences, dtype=float), np.asarray(right, dtype=float)
    places = np.clip((values * bins).astype(int), 0, bins - 1)
    return [
        Bin(
            place / bins,
            (place + 1) / bins,
            int(chosen.sum()),
            float(values[chosen].mean()),
            float(truth[chosen].mean()),
        )
        for place in range(bins)
        if (chosen := places == place).any()
    ]


def calibration_error(bins: Sequence[Bin]) -> float:
    """Expected calibration error (Naeini 2015): the mean of |right − confidence|, weighted by the sizes of the bins."""
    total = sum(each.count for each in bins)
    return sum(each.count * abs(each.right - each.confidence) for each in bins) / total if total else 0.0


def overall(bins: Sequence[Bin]) -> tuple[int, float | None, float | None]:
    """How many words all bins have, their mean confidence and the share that is right; None without words."""
    total = sum(each.count for each in bins)
    if not total:
        return 0, None, None
    return (
        total,
        sum(each.count * each.confidence for each in bins) / total,
        sum(each.count * each.right for each in bins) / total,
    )


def words_right(translation: Translation, reference: str, spaced: bool) -> list[tuple[float, bool]]:
    """The confidence of each word of a translation, and whether the reference has it.

    A word that comes more often than in the reference is wrong from then on. Where no spaces part words (not `spaced`),
    a word is right if the reference contains it.
    """
    left = Counter(reference.split())
    found = []
    for word in translation.words:
        right = left[word.text] > 0 if spaced else word.text in reference
        left[word.text] -= 1
        found.append((word.confidence, right))
    return found
