"""Sentences as numbers: the words of many sentences in one flat array."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nmt.writing_systems import UNSPACED, ByCharacter, script_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_STEM = 4  # letters of a word that count: endings would make most words of a small corpus rare


def _letter(character: str) -> str:
    """Make punctuation a space, and a digit of any script an ASCII digit."""
    category = unicodedata.category(character)
    is_letter = category[0] in "LM" or character in "\u200c\u200d"  # joiners shape words
    return character if is_letter else str(unicodedata.digit(character, "")) if category == "Nd" else " "


def _word(character: str) -> str:
    """The same, with spaces around each character of a script that puts none between words."""
    letter = _letter(character)
    return f" {letter} " if script_of(character) in UNSPACED else letter


_LETTERS, _WORDS = ByCharacter(_letter), ByCharacter(_word)


def words_of(text: str) -> list[str]:
    """The words of a text without case and punctuation; single characters in scripts without spaces."""
    return text.casefold().translate(_WORDS).split()


def spelling_of(text: str) -> list[str]:
    """The stretches of letters of a text, without case, with 0 for every digit."""
    letters = text.casefold().translate(_LETTERS)
    return (letters if letters.isalpha() else "".join("0" if "0" <= x <= "9" else x for x in letters)).split()


def ranges(lengths: Ints) -> Ints:
    """Count up to each length, one after the other: [2, 3] gives 0 1 0 1 2."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)


def summed(groups: Ints, values: Floats, count: int) -> Floats:
    """Sum of the values of each group."""
    return np.bincount(groups, values, minlength=count).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Tokens:
    """The tokens of many sentences, one sentence after the other."""

    ids: Ints
    lengths: Ints  # tokens of each sentence
    vocabulary: int  # ids are below this

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], known: dict[str, int]) -> "Tokens":
        """Number the words of sentences by their first letters; new ones are added to `known`."""
        ids: list[int] = []
        lengths = []
        for words in sentences:
            ids.extend([known.setdefault(word[:_STEM], len(known)) for word in words])
            lengths.append(len(words))
        return cls(np.array(ids, dtype=np.int64), np.array(lengths, dtype=np.int64), len(known))

    def sentences(self) -> Ints:
        """The sentence that each token belongs to."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def total(self, values: Floats) -> Floats:
        """Sum of a value per token over each sentence."""
        return summed(self.sentences(), values, len(self.lengths))

    def chosen(self, sentences: Bools) -> "Tokens":
        """Some of the sentences."""
        return Tokens(self.ids[np.repeat(sentences, self.lengths)], self.lengths[sentences], self.vocabulary)
