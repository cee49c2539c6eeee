"""Measurements as deviations from what is usual in a corpus."""

import numpy as np

from nmt.checking.tokens import Floats, Ints, Tokens, summed

_BIN = 200  # values that are compared with each other, at least
_MOST_BINS = 10
_SHRINK = 5.0  # occurrences' worth of belief that a word is like words of its frequency


def standardised(values: Floats, by: Floats | None = None) -> Floats:
    """(value - median) / deviation, among values with a similar `by`.

    The deviation is 1.4826 times the median distance from the median: the standard deviation of a normal distribution,
    which wrong pairs hardly change.
    """
    bins = int(np.clip(len(values) // _BIN, 1, _MOST_BINS))
    group = np.zeros(len(values), dtype=np.int64)
    if by is not None and bins > 1:
        group = np.searchsorted(np.quantile(by, np.linspace(0, 1, bins + 1)[1:-1]), by, side="right")
    found = np.zeros(len(values))
    for each in np.unique(group):
        members = group == each
        distance = values[members] - np.median(values[members])
        deviation = 1.4826 * np.median(np.abs(distance))
        found[members] = distance / max(deviation, 1e-3)
    return found


def against_usual(tokens: Tokens, values: Floats) -> tuple[Floats, Floats]:
    """Compare a value of each token with the usual one of its word.

    Returns:
        The difference of each token, and the sum over each sentence in its standard deviations.
    """
    counts = np.bincount(tokens.ids, minlength=tokens.vocabulary)
    frequency = np.log2(np.maximum(counts, 1)).astype(np.int64)  # words are alike if this is equal
    usual = _shrunk(tokens.ids, values, counts, frequency)
    difference = values - usual[tokens.ids]
    variance = _shrunk(tokens.ids, difference**2, counts, frequency) + 0.05
    return difference, tokens.total(difference) / np.sqrt(tokens.total(variance[tokens.ids]) + 0.1)


def _shrunk(ids: Ints, values: Floats, counts: Ints, groups: Ints) -> Floats:
    """The mean value of each word, drawn towards that of its group."""
    size = int(groups.max()) + 1
    of_groups = summed(groups[ids], values, size) / np.maximum(np.bincount(groups[ids], minlength=size), 1)
    return (summed(ids, values, len(counts)) + _SHRINK * of_groups[groups]) / (counts + _SHRINK)
