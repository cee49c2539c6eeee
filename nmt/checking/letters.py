"""Does a sentence look like the others in its column? A model of four letters in a row, for each side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nmt.checking.standard import standardised
from nmt.checking.tokens import Bools, Floats, Ints, ranges, spelling_of, summed

_ORDER = 4  # letters in a row
_DOUBT = 2.0  # occurrences' worth of belief in the model of one letter less
_PAD = "\n"  # stands before each sentence
_TRUSTED = -2.0  # sentences that look stranger than this many deviations teach nothing in the second pass
_FEW_WORDS = 3  # from so many words on, the strangest may be a name and does not count


@dataclass(frozen=True)
class Looks:
    """How each sentence looks; sources come first, then targets."""

    strangeness: Floats  # in deviations from what is usual: high is strange
    own_language: Floats  # log of how much likelier its own side is than the other; negative: it looks like the other
    worst: Ints  # its strangest word, by number
    misspelling: Floats  # strangeness of that word


def looks(sources: Sequence[str], targets: Sequence[str], folds: Ints, trusted: Bools) -> Looks:
    """Judge each sentence by n-gram models that have not seen its fold and learnt from trusted sentences only.

    A first pass finds further sentences that are not to be trusted: a column with 5 % of another language would
    otherwise teach its models that language.
    """
    letters = _Letters.of([*sources, *targets], np.concatenate([folds, folds]))
    sizes = [len(text) for side in (sources, targets) for text in side]
    shorter = np.minimum(*np.array(sizes, dtype=np.float64).reshape(2, -1))
    found = letters.judge(np.concatenate([trusted, trusted]), shorter)
    return letters.judge((-found.strangeness > _TRUSTED) & (found.own_language > 0), shorter)


@dataclass(frozen=True)
class _Letters:
    """Letters of many sentences in one array, each sentence after a padding; a space ends each word."""

    ngrams: list[NDArray[np.int32]]  # number of the n-gram that ends at each place, for n = 1 … _ORDER
    places: Ints  # of letters, without padding
    sentences: Ints  # of these
    words: Ints  # of these, counted over all sentences
    folds: NDArray[np.int8]  # by place
    characters: int  # different ones
    count: int  # of sentences

    @classmethod
    def of(cls, texts: Sequence[str], folds: Ints) -> "_Letters":
        spelt = ["".join(f"{word} " for word in spelling_of(text)) or " " for text in texts]
        before = _PAD * (_ORDER - 1)
        codes = np.frombuffer("".join(before + each for each in spelt).encode("utf-32-le"), dtype="<u4")
        different, ids = np.unique(codes, return_inverse=True)
        lengths = np.array([len(each) for each in spelt], dtype=np.int64)
        starts = np.cumsum(lengths + len(before)) - lengths
        ngrams = [ids.astype(np.int32)]
        for _ in range(1, _ORDER):
            longer = np.append(0, ngrams[-1][:-1]).astype(np.int64) * len(different) + ids
            ngrams.append(np.unique(longer, return_inverse=True)[1].astype(np.int32))
        places = np.repeat(starts, lengths) + ranges(lengths)
        ends = codes[places] == ord(" ")
        by_place = np.repeat(folds.astype(np.int8), lengths + len(before))
        sentences = np.repeat(np.arange(len(texts)), lengths)
        return cls(ngrams, places, sentences, np.cumsum(ends) - ends, by_place, len(different), len(texts))

    def judge(self, trusted: Bools, lengths: Floats) -> Looks:
        """Judge all sentences by what trusted ones of other folds have taught; see `looks`."""
        is_source = self.sentences < self.count // 2
        source, target = (self._log_probability(side & trusted[self.sentences]) for side in (is_source, ~is_source))
        own = np.where(is_source, source, target)
        difference = summed(self.sentences, 2 * own - source - target, self.count)
        words = _Words.of(own, self.words, self.sentences, self.count)
        sides = np.split(words.mean, 2), np.split(words.lowest, 2)
        strangeness = np.concatenate([-standardised(side, lengths) for side in sides[0]])
        misspelling = np.concatenate([-standardised(side) for side in sides[1]])
        return Looks(strangeness, difference, words.place, misspelling)

    def _log_probability(self, teaching: Bools) -> Floats:
        """Log probability of each letter after the three before it, by the teaching letters of other folds.

        p(c | context) = (count(context c) + _DOUBT · p(c | shorter context)) / (count(context) + _DOUBT)
        """
        folds = int(self.folds.max()) + 1
        teachers = self.places[teaching]
        probability = np.full(len(self.places), 1 / self.characters)

        def counted(places: Ints, asked: Ints, ngrams: NDArray[np.int32]) -> Floats:
            """How often the n-gram at each asked place ends at one of `places` in another fold."""
            size = int(ngrams.max()) + 1
            counts = np.bincount(ngrams[places].astype(np.int64) * folds + self.folds[places], minlength=size * folds)
            here, fold = ngrams[asked], self.folds[asked]
            table = counts.reshape(size, folds)
            return (table.sum(axis=1)[here] - table[here, fold]).astype(np.float64)

        for order, ngrams in enumerate(self.ngrams):
            both = counted(teachers, self.places, ngrams)
            if order:
                # A context belongs to the fold of the letter after it; padding has the fold of its sentence.
                context = counted(teachers - 1, self.places - 1, self.ngrams[order - 1])
            else:
                of_folds = np.bincount(self.folds[teachers], minlength=folds)
                context = (of_folds.sum() - of_folds)[self.folds[self.places]].astype(np.float64)
            probability = (both + _DOUBT * probability) / (context + _DOUBT)
        return np.log(probability)


@dataclass(frozen=True)
class _Words:
    """Log probabilities of letters, by sentence and by word."""

    mean: Floats  # of a letter of each sentence, without those of its strangest word
    lowest: Floats  # mean of a letter of the strangest word
    place: Ints  # of that word

    @classmethod
    def of(cls, letters: Floats, words: Ints, sentences: Ints, count: int) -> "_Words":
        sizes = np.bincount(words)
        totals = summed(words, letters, len(sizes))
        first = np.append(True, words[1:] != words[:-1])
        owners = sentences[first]  # of words
        means = totals / sizes
        order = np.lexsort((means, owners))
        worst = order[np.append(True, owners[order][1:] != owners[order][:-1])]  # one for each sentence, in turn
        number = np.bincount(owners, minlength=count)
        left_out = np.where(number >= _FEW_WORDS, 1, 0)
        total = summed(owners, totals, count) - left_out * totals[worst]
        size = np.bincount(owners, sizes, minlength=count) - left_out * sizes[worst]
        begin = np.cumsum(number) - number
        return cls(total / size, means[worst], worst - begin)
