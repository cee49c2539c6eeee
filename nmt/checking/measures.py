"""What is measured of the pairs of a corpus, by models that have not seen them."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from nmt.checking.letters import Looks, looks
from nmt.checking.lexical import explained_by_others
from nmt.checking.standard import against_usual, standardised
from nmt.checking.tokens import Floats, Ints, Tokens, words_of

FOLDS = 5
_UNTRUSTED = 0.2  # share of the pairs, those with the fewest translated words, that do not teach what letters look like


class Pair(NamedTuple):
    """A sentence pair, and the number of its row in the corpus, from 1."""

    row: int
    source: str
    target: str


@dataclass(frozen=True)
class Side:
    """The source or the target side: its words, and how well the words of the other side explain them."""

    texts: list[str]
    lengths: Floats  # characters of each text
    words: list[list[str]]  # of each text
    tokens: Tokens  # of these words
    surplus: Floats  # log lift of each token, less what is usual for its word: negative where it has no translation
    explained: Floats  # sum of it over each sentence, in deviations

    @cached_property
    def _ends(self) -> Ints:
        """The place in `surplus` after each sentence."""
        return np.cumsum(self.tokens.lengths)

    def unexplained(self, i: int, most: int = 3) -> list[str]:
        """Words of a sentence that usually have a translation on the other side and here have none, worst first."""
        values = self.surplus[self._ends[i] - self.tokens.lengths[i] : self._ends[i]]
        words = [self.words[i][place] for place in np.argsort(values, kind="stable") if values[place] < -1]
        whole = (word for word in words if len(word) > 2 or not word.isascii())  # the "t" of "don't" says nothing
        return list(dict.fromkeys(whole))[:most]


@dataclass(frozen=True)
class Measures:
    """A corpus, measured."""

    pairs: Sequence[Pair]
    source: Side
    target: Side
    unrelated: Floats  # how badly the words of both sides explain one another, in deviations
    missing: Floats  # how much worse those of the source are explained than those of the target
    longer: Floats  # how long the target is for its source, in deviations
    looks: tuple[Looks, Looks]  # of sources and targets

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> "Measures":
        """Measure pairs; a source is in one fold with all its translations."""
        texts = [pair.source for pair in pairs], [pair.target for pair in pairs]
        words = tuple([words_of(text) for text in side] for side in texts)
        folds: Ints = np.array([zlib.crc32(" ".join(each).encode()) % FOLDS for each in words[0]], dtype=np.int64)
        known = {"": 0}
        source, target = (Tokens.of(side, known) for side in words)
        lifts = explained_by_others(target, source, folds), explained_by_others(source, target, folds)
        sides = []
        for side, own_words, tokens, lift in zip(texts, words, (source, target), lifts, strict=True):
            lengths = np.array([len(text) for text in side], dtype=np.float64)
            sides.append(Side(side, lengths, own_words, tokens, *against_usual(tokens, lift)))
        one, other = sides
        means = [
            side.tokens.total(lift) / np.maximum(side.tokens.lengths, 1)
            for side, lift in zip(sides, lifts, strict=True)
        ]
        related = means[0] + means[1]
        both = looks(*texts, folds, related >= np.quantile(related, _UNTRUSTED))
        n = len(pairs)
        halves = [Looks(*(values[place] for values in vars(both).values())) for place in (slice(0, n), slice(n, None))]
        return cls(
            pairs,
            one,
            other,
            unrelated=-standardised(one.explained + other.explained),
            missing=standardised(other.explained - one.explained),
            longer=standardised(np.log((other.lengths + 2) / (one.lengths + 2)), by=one.lengths),
            looks=(halves[0], halves[1]),
        )
