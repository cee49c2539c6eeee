"""IBM model 1 (Brown et al. 1993): which words translate which, learnt from sentence pairs alone."""

from dataclasses import dataclass

import numpy as np

from nmt.checking.tokens import Floats, Ints, Tokens, ranges, summed

ITERATIONS = 4  # of expectation maximisation
DOUBT = 1.0  # occurrences' worth of belief that a word translates to any other, as often as that occurs
SAME = 20.0  # lift of a word that stands on both sides, such as a name or a number
_MOST_CELLS = 20_000_000  # combinations of words to learn from: about 100,000 pairs, 1 GB of memory
_CHUNK_CELLS = 4_000_000  # combinations looked up at once


@dataclass(frozen=True)
class Cells:
    """Each combination of a source and a target token of one pair: all of a target token, then the next."""

    source: Ints  # ids
    target: Ints
    widths: Ints  # source tokens that each target token is combined with

    @classmethod
    def of(cls, source: Tokens, target: Tokens) -> "Cells":
        """Combine the tokens of each pair; no sentence of the source may be empty."""
        widths = np.repeat(source.lengths, target.lengths)
        starts = np.repeat(np.cumsum(source.lengths) - source.lengths, target.lengths)
        places = np.repeat(starts, widths) + ranges(widths)
        return cls(source.ids[places], np.repeat(target.ids, widths), widths)

    def starts(self) -> Ints:
        """The first cell of each target token."""
        return np.cumsum(self.widths) - self.widths


@dataclass(frozen=True)
class Model1:
    """How much more often a target word occurs beside a source word than elsewhere: p(t|s) / p(t), its lift."""

    keys: Ints  # source id · vocabulary + target id, sorted, of the words that occurred in one pair
    lifts: Floats  # of these
    unseen: Floats  # lift of any other target word, by source id
    vocabulary: int  # of the target

    @classmethod
    def learn(cls, source: Tokens, target: Tokens, iterations: int = ITERATIONS) -> "Model1":
        """Expectation maximisation of p(t|s), smoothed towards p(t), with p(t) for the empty word.

        Each target word of a pair is shared out among its source words and the empty word by p(t|s); the shares, summed
        over all pairs, give the next p(t|s) = (shares(s, t) + DOUBT · p(t)) / (shares(s) + DOUBT).
        """
        cells_of_pairs = source.lengths * target.lengths
        use = cells_of_pairs > 0
        order = np.random.default_rng(0).permutation(len(use))  # some corpora are sorted
        use[order[np.cumsum(cells_of_pairs[order]) > _MOST_CELLS]] = False
        source, target = source.chosen(use), target.chosen(use)
        counts = np.bincount(target.ids, minlength=target.vocabulary) + 0.5
        frequency = counts / counts.sum()
        cells = Cells.of(source, target)
        keys, places = np.unique(cells.source * target.vocabulary + cells.target, return_inverse=True)
        of_source, prior = keys // target.vocabulary, frequency[keys % target.vocabulary]
        probability, shares, total = prior, np.zeros(len(keys)), np.zeros(source.vocabulary)
        for _ in range(iterations if len(keys) else 0):
            each = probability[places]
            sums = np.add.reduceat(each, cells.starts()) + frequency[target.ids]
            shares = summed(places, each / np.repeat(sums, cells.widths), len(keys))
            total = summed(of_source, shares, source.vocabulary)
            probability = (shares + DOUBT * prior) / (total[of_source] + DOUBT)
        return cls(keys, probability / prior, DOUBT / (total + DOUBT), target.vocabulary)

    def explained(self, source: Tokens, target: Tokens) -> Floats:
        """Logarithm of the best lift of each target token by a token of its source; 0 where there is no source."""
        found = np.zeros(len(target.ids))
        chunks = np.cumsum(source.lengths * target.lengths) // _CHUNK_CELLS
        for chunk in np.unique(chunks):
            rows = (chunks == chunk) & (source.lengths > 0)
            some = target.chosen(rows)
            if len(some.ids):
                cells = Cells.of(source.chosen(rows), some)
                best = np.maximum.reduceat(self._lift(cells), cells.starts())
                found[np.repeat(rows, target.lengths)] = np.log(best)
        return found

    def _lift(self, cells: Cells) -> Floats:
        wanted = cells.source * self.vocabulary + cells.target
        places = np.minimum(np.searchsorted(self.keys, wanted), max(len(self.keys) - 1, 0))
        lift = self.unseen[cells.source]
        if len(self.keys):
            seen = self.keys[places] == wanted
            lift[seen] = self.lifts[places[seen]]
        return np.where(cells.source == cells.target, np.maximum(lift, SAME), lift)


def explained_by_others(source: Tokens, target: Tokens, folds: Ints) -> Floats:
    """`Model1.explained` of each target token, by models that have not seen its fold."""
    found = np.zeros(len(target.ids))
    for fold in np.unique(folds):
        held_out = folds == fold
        model = Model1.learn(source.chosen(~held_out), target.chosen(~held_out))
        values = model.explained(source.chosen(held_out), target.chosen(held_out))
        found[np.repeat(held_out, target.lengths)] = values
    return found
