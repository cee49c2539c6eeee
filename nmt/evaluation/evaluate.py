"""Translate and score a set of sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nmt.data.heldout import HeldOut
from nmt.evaluation.score_report import Row, write_evaluation
from nmt.evaluation.scores import Scores, score
from nmt.evaluation.verdict import Verdict
from nmt.metrics import sentence_chrf
from nmt.run import OpenRun
from nmt.translation import Translation
from nmt.translator import Translator

if TYPE_CHECKING:
    from nmt.evaluation.faithfulness import Faithfulness


@dataclass(frozen=True)
class Evaluation:
    """The scores of a set of sentences, and the best translation of each."""

    scores: Scores
    translations: list[Translation]
    examples: Sequence[HeldOut]
    faithfulness: "Faithfulness | None" = None  # how it does with other attention, where that was measured

    @cached_property
    def chrf(self) -> list[float]:
        """The chrF of each sentence, computed when it is first needed."""
        texts = [translation.text for translation in self.translations]
        return sentence_chrf(texts, [example.references for example in self.examples])


def evaluate(translator: Translator, examples: Sequence[HeldOut], **options: Any) -> Evaluation:
    """Translate every source and score the translations with the `options` of `score`."""
    sources = [example.source for example in examples]
    translations = translator.translate(sources)
    texts, references = [each.text for each in translations], [example.references for example in examples]
    return Evaluation(score(texts, references, sources, **options), translations, examples)


def write(
    directory: Path,
    evaluation: Evaluation,
    languages: tuple[str, str],
    details: Mapping[str, Any],
    verdict: Verdict,
    run: OpenRun,
) -> None:
    """Write scores, translations, verdict, report and six heatmaps to `directory`; `details` record what was scored."""
    from nmt.evaluation import heatmap  # imports matplotlib, which training needs only once it validates
    from nmt.evaluation.report.build import write_report

    rows = [
        Row(example.source, translation.text, translation.score, example.references)
        for example, translation in zip(evaluation.examples, evaluation.translations, strict=True)
    ]
    write_evaluation(directory, evaluation.scores, details, rows)
    verdict.write(directory)
    write_report(directory, evaluation, languages, details, verdict, run)
    for number, chosen in enumerate(choose_examples(evaluation.translations, count=6), start=1):
        figure = heatmap.draw_translation(evaluation.translations[chosen], languages)
        for kind in ("png", "svg"):
            heatmap.save(figure, directory / "heatmaps" / f"{number:02d}.{kind}")


def choose_examples(translations: Sequence[Translation], count: int) -> list[int]:
    """Indices of the sentences to draw, spread over the source lengths and the same for every model."""
    drawable = [i for i, translation in enumerate(translations) if translation.attention is not None]
    drawable.sort(key=lambda i: (len(translations[i].source_tokens), i))
    # The shortest sentences show little, and the longest are unreadable.
    places = np.linspace(0.3, 0.98, count) * (len(drawable) - 1)
    return sorted({drawable[int(place)] for place in places}, key=drawable.index) if drawable else []
