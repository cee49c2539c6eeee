"""Translate a held-out set and score it: one way for validation, the test set and files a user brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from nmt.evaluation import heatmap
from nmt.evaluation.metrics import Scores, score
from nmt.evaluation.report import Row, write_evaluation
from nmt.translator import Translation, Translator


class Example(Protocol):
    """A sentence and its translations by people."""

    @property
    def source(self) -> str:
        """The sentence."""

    @property
    def references(self) -> tuple[str, ...]:
        """All its known translations."""


@dataclass(frozen=True)
class Evaluation:
    """Scores of a set, and the best translation of each of its sentences."""

    scores: Scores
    translations: list[Translation]


def evaluate(
    translator: Translator, examples: Sequence[Example], *, bootstrap: int = 1000, ter: bool = True
) -> Evaluation:
    """Translate every source and compare with its references."""
    sources = [example.source for example in examples]
    translations = translator.translate(sources)
    scores = score(
        [translation.text for translation in translations],
        [example.references for example in examples],
        sources,
        bootstrap=bootstrap,
        ter=ter,
    )
    return Evaluation(scores, translations)


def with_lc_tok(evaluation: Evaluation, examples: Sequence[Example], language: str) -> Evaluation:
    """The same, with the BLEU of the literature beside the others."""
    from nmt.evaluation.literature import lc_tok_bleu  # Moses is loaded for those who ask

    texts = [translation.text for translation in evaluation.translations]
    score = lc_tok_bleu(texts, [example.references for example in examples], language)
    return replace(evaluation, scores=replace(evaluation.scores, lc_tok=score))


def write(
    directory: Path,
    evaluation: Evaluation,
    examples: Sequence[Example],
    languages: tuple[str, str],
    details: Mapping[str, Any],
) -> None:
    """Leave scores, with what they are scores of, translations and heatmaps in `directory`."""
    rows = [
        Row(example.source, translation.text, translation.score, example.references)
        for example, translation in zip(examples, evaluation.translations, strict=True)
    ]
    write_evaluation(directory, evaluation.scores, details, rows)
    for number, chosen in enumerate(choose_examples(evaluation.translations, count=6), start=1):
        figure = heatmap.draw_translation(evaluation.translations[chosen], languages)
        for kind in ("png", "svg"):
            heatmap.save(figure, directory / "heatmaps" / f"{number:02d}.{kind}")


def choose_examples(translations: Sequence[Translation], count: int) -> list[int]:
    """Sentences worth a picture: spread over the lengths, always the same for the same set."""
    drawable = [i for i, translation in enumerate(translations) if translation.attention is not None]
    drawable.sort(key=lambda i: (len(translations[i].source_tokens), i))
    # From the lower middle upwards: the shortest sentences show little, and the very longest are unreadable.
    places = np.linspace(0.3, 0.98, count) * (len(drawable) - 1)
    return sorted({drawable[int(place)] for place in places}, key=drawable.index) if drawable else []
