"""Which words of translations are in the references: F1 by groups of words, and the words that are missed most."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

Bag = Counter[str]
Bags = Sequence[tuple[Bag, Bag]]  # words of each translation, and of its nearest reference

# Lowest count of each group of words, and its name.
FREQUENCIES = {0: "never", 1: "once", 2: "2–5", 6: "6–20", 21: "21–100", 101: "101–1,000", 1001: "over 1,000"}


class WordScore(NamedTuple):
    """How often words of a group are in translations, in their references, and in both (clipped per sentence)."""

    translated: int
    expected: int
    matched: int

    @property
    def precision(self) -> float | None:
        """Share of the words of the translations that their references have."""
        return self.matched / self.translated if self.translated else None

    @property
    def recall(self) -> float | None:
        """Share of the words of the references that the translations have."""
        return self.matched / self.expected if self.expected else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall; None for a group without words."""
        total = self.translated + self.expected
        return 2 * self.matched / total if total else None


def nearest_reference(translation: Bag, references: Sequence[Bag]) -> int:
    """The reference with the highest F1 of words; the first of several."""
    scores = [_score(translation, reference).f1 or 0.0 for reference in references]
    return scores.index(max(scores))


def _score(translation: Bag, reference: Bag) -> WordScore:
    return WordScore(translation.total(), reference.total(), (translation & reference).total())


def by_frequency(bags: Bags, counts: Mapping[str, int]) -> dict[str, WordScore]:
    """Scores of words by how often they occur in the training set, rarest first."""
    groups: dict[str, list[int]] = {}
    for translation, reference in bags:
        for place, words in enumerate((translation, reference, translation & reference)):
            for word, count in words.items():
                name = FREQUENCIES[max(lowest for lowest in FREQUENCIES if lowest <= counts.get(word, 0))]
                groups.setdefault(name, [0, 0, 0])[place] += count
    return {name: WordScore(*groups[name]) for name in FREQUENCIES.values() if name in groups}


class Missed(NamedTuple):
    """A word, how often references have it, and how often translations lack it or have it in the place of another."""

    word: str
    expected: int
    missing: int
    invented: int


def missed_words(bags: Bags) -> list[Missed]:
    """Words of letters or digits that translations lack, most often missing first."""
    expected: Bag = Counter()
    missing: Bag = Counter()
    invented: Bag = Counter()
    for translation, reference in bags:
        expected.update(reference)
        missing.update(reference - translation)
        invented.update(translation - reference)
    words = [word for word in missing if any(character.isalnum() for character in word)]
    return [
        Missed(word, expected[word], missing[word], invented[word])
        for word in sorted(words, key=lambda word: (-missing[word], word))
    ]


def bags_of(cut: Callable[[str], Iterable[str]], texts: Iterable[str]) -> list[Bag]:
    """The words of each text with their counts."""
    return [Counter(cut(text)) for text in texts]
