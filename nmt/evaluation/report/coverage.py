"""Signs that a translation leaves something out or says it twice: by its attention, its repetitions and its length."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from string import punctuation
from typing import NamedTuple

import numpy as np

from nmt.special import EOS_PIECE
from nmt.translation import Translation
from nmt.words import merge_words

HARDLY, OFTEN = 0.2, 2.5  # attention of a source word, summed over target words: left out below, said again above
SHORT, LONG = 0.7, 1.4  # times the length of the nearest reference, in characters
_REPEATED = 2  # words of a phrase


@dataclass(frozen=True, eq=False)
class WordAttention:
    """The attention of a translation by words, EOS included on both sides."""

    source: list[str]
    target: list[str]
    weights: np.ndarray  # (target, source)

    @classmethod
    def of(cls, translation: Translation) -> "WordAttention | None":
        """Merge the pieces of a translation to words; None without attention or words."""
        if translation.attention is None or not translation.target_tokens:
            return None
        source, weights = merge_words(translation.source_tokens, np.asarray(translation.attention, dtype=float), axis=1)
        target, weights = merge_words(translation.target_tokens, weights, axis=0)
        return cls(source, target, weights)

    def coverage(self) -> list[tuple[str, float]]:
        """Each source word that has a letter or digit, with its attention summed over all target words."""
        said = self.weights[[word != EOS_PIECE for word in self.target]].sum(axis=0)
        return [
            (word, float(total))
            for word, total in zip(self.source, said, strict=True)
            if word != EOS_PIECE and any(character.isalnum() for character in word)
        ]


class LeftOut(NamedTuple):
    """A source word, how often it got hardly any attention, how often it occurs, and where it got hardly any."""

    word: str
    times: int
    occurrences: int
    sentences: list[int]  # from 0


def left_out_words(attentions: Sequence[WordAttention | None]) -> list[LeftOut]:
    """Words without case and surrounding punctuation, those left out most often first."""
    occurrences: Counter[str] = Counter()
    places: defaultdict[str, list[int]] = defaultdict(list)
    for sentence, attention in enumerate(attentions):
        for text, total in attention.coverage() if attention else ():
            word = text.casefold().strip(punctuation)
            occurrences[word] += 1
            if total < HARDLY:
                places[word].append(sentence)
    found = [LeftOut(word, len(own), occurrences[word], sorted(set(own))) for word, own in places.items()]
    return sorted(found, key=lambda each: (-each.times, each.word))


def left_out(attention: WordAttention | None) -> list[str]:
    """Source words that hardly got any attention."""
    return [] if attention is None else [word for word, total in attention.coverage() if total < HARDLY]


def overused(attention: WordAttention | None) -> list[str]:
    """Source words that got the attention of several target words."""
    return [] if attention is None else [word for word, total in attention.coverage() if total > OFTEN]


def repeats(translation: str, references: Sequence[str]) -> list[str]:
    """Phrases of two words, or the same word twice in a row, more often in a translation than in any reference."""

    def phrases(text: str) -> Counter[str]:
        words = text.split()
        pairs = [words[i : i + _REPEATED] for i in range(len(words) - 1)]
        twice = Counter(f"{a} {b}" for a, b in pairs if a == b)
        often = Counter({phrase: count - 1 for phrase, count in Counter(map(" ".join, pairs)).items() if count > 1})
        return twice | often

    found = phrases(translation)
    for reference in references if found else ():
        found -= phrases(reference)
    return sorted(found)


def trouble(
    source: str, translation: str, references: Sequence[str], nearest: str, attention: WordAttention | None
) -> list[str]:
    """The names of the signs of trouble that a translation shows (`SIGNS`)."""
    ratio = len(translation) / max(len(nearest), 1)
    signs = {
        "left-out": bool(left_out(attention)),
        "overused": bool(overused(attention)),
        "repeats": bool(repeats(translation, references)),
        "short": ratio < SHORT,
        "long": ratio > LONG,
        "copy": translation == source and translation not in references,
        "empty": not translation,
    }
    return [name for name, shown in signs.items() if shown]


SIGNS = {
    "left-out": f"a source word with hardly any attention (below {HARDLY} in sum)",
    "overused": f"a source word with the attention of several words (over {OFTEN} in sum)",
    "repeats": "a phrase repeated that no reference repeats",
    "short": f"less than {SHORT:.0%} of the length of the nearest reference",
    "long": f"more than {LONG:.0%} of the length of the nearest reference",
    "copy": "a copy of the source",
    "empty": "no words at all",
}
