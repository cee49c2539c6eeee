"""What all figures on the quality of translations are computed from, each once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nmt.evaluation.report.matching import Bag, bags_of, nearest_reference
from nmt.evaluation.report.sentences import sentence_row
from nmt.evaluation.report.signs import trouble
from nmt.evaluation.report.words import bleu_tokens
from nmt.evaluation.scores import source_lengths

if TYPE_CHECKING:
    from nmt.evaluation.evaluate import Evaluation


@dataclass(frozen=True, eq=False)
class Analysis:
    """The translations of a test set, word by word."""

    evaluation: Evaluation

    @cached_property
    def sources(self) -> list[str]:
        """The source of each sentence."""
        return [example.source for example in self.evaluation.examples]

    @cached_property
    def texts(self) -> list[str]:
        """The translation of each sentence."""
        return [translation.text for translation in self.evaluation.translations]

    @cached_property
    def references(self) -> list[tuple[str, ...]]:
        """The references of each sentence."""
        return [example.references for example in self.evaluation.examples]

    @cached_property
    def lengths(self) -> list[int]:
        """The length of each source, in words or characters as in the scores."""
        return [int(length) for length in source_lengths(self.sources)[1]]

    @cached_property
    def spaced(self) -> bool:
        """Whether spaces part the words of the target language."""
        return self.evaluation.scores.tokenizer == "13a"

    @cached_property
    def _compared(self) -> tuple[list[int], list[tuple[Bag, Bag]]]:
        cut = bleu_tokens(self.evaluation.scores.tokenizer)
        chosen, bags = [], []
        for words, group in zip(bags_of(cut, self.texts), self.references, strict=True):
            expected = bags_of(cut, group)
            place = nearest_reference(words, expected)
            chosen.append(place)
            bags.append((words, expected[place]))
        return chosen, bags

    @property
    def nearest(self) -> list[int]:
        """The number of the reference of each sentence that shares the most words with its translation."""
        return self._compared[0]

    @property
    def bags(self) -> list[tuple[Bag, Bag]]:
        """The words, as BLEU counts them, of each translation and of its nearest reference."""
        return self._compared[1]

    @cached_property
    def signs(self) -> list[list[str]]:
        """The signs of trouble of each translation."""
        rows = zip(self.sources, self.texts, self.references, self.nearest, strict=True)
        return [trouble(source, text, group, group[near]) for source, text, group, near in rows]

    def rows(self) -> list[dict[str, Any]]:
        """All sentences, for the sentence table."""
        parts: Sequence[Sequence[Any]] = (
            *(self.evaluation.translations, self.sources, self.references, self.nearest, self.evaluation.chrf),
            *(self.lengths, self.signs),
        )
        return [sentence_row(*row) for row in zip(*parts, strict=True)]
