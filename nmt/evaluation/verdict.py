"""A verdict on a translator for readers who do not know BLEU: how many sentences are right, and examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nmt.evaluation.scores import source_lengths
from nmt.files import write_listed
from nmt.guessing import BAD, Guessing
from nmt.translation import Translation

if TYPE_CHECKING:
    from nmt.evaluation.evaluate import Evaluation

VERDICT = "verdict.txt"
SHOWN = 5  # best examples, and as many worst ones

# Chosen by reading translations in the order of their chrF (docs/results.md). From 85 on they say what the source says,
# with a wrong ending at most or another word of the same meaning; from 60 on one word is wrong, or the order.
RIGHT, NEARLY = 85.0, 60.0

# Lowest and highest test BLEU that was measured for about so many training pairs of short sentences: up to 10,000 with
# size=auto (docs/small-data.md), then with recipes (docs/results.md). Anki's sentences and captions of Multi30k.
TYPICAL_BLEU = {
    500: (6.1, 14.1),
    1_000: (9.4, 19.6),
    3_000: (20.5, 27.6),
    10_000: (34.2, 37.8),
    30_000: (33.2, 61.3),
    71_000: (51.0, 51.6),
}
_SLACK = 0.2  # a score within this share of the range is still typical: languages and seeds differ


@dataclass(frozen=True)
class Example:
    """A sentence with its translation, a reference (the translation itself if it is one) and its chrF."""

    source: str
    translation: str
    reference: str
    chrf: float

    def lines(self) -> list[str]:
        """The example for a reader."""
        expected = [] if self.translation == self.reference else [f"         expected: {self.reference}"]
        return [f"  {self.chrf:5.0f}  {self.source}", f"         became:   {self.translation}", *expected]


@dataclass(frozen=True)
class Verdict:
    """How many sentences came out right, and the best and worst examples."""

    sentences: int
    right: int
    nearly: int
    bad: int
    typical: str | None  # comparison with other trainings; None for sentences that are not the run's own test set
    guesses: str | None  # how deserved the notices of translate.py would be; None without a threshold
    best: list[Example]
    worst: list[Example]

    @property
    def headline(self) -> str:
        """How many translations are right, without the "of" that it begins with."""
        good = f"{self._share(self.right)} came out right and {self._share(self.nearly)} nearly right"
        return f"{self.sentences:,} sentences, {good}; {self._share(self.bad)} are bad."

    def lines(self) -> list[str]:
        """The verdict as text."""
        remarks = (
            f"Right is a chrF (likeness to the nearest reference, 0 to 100) of {RIGHT:.0f} or more, nearly right "
            f"{NEARLY:.0f} or more: a word or its ending is wrong. Below {BAD:.0f} hardly anything is right. A good "
            "translation in other words than the references counts as worse than it is."
        )
        return [
            f"Verdict: of {self.headline}",
            *(line for line in (self.typical, self.guesses) if line),
            remarks,
            *_section("Best", self.best),
            *_section("Worst", self.worst),
        ]

    def write(self, directory: Path) -> None:
        """Write verdict.txt, listed in the directory's SHA256SUMS."""
        write_listed(directory / VERDICT, ("\n".join(self.lines()) + "\n").encode("utf-8"))

    def _share(self, count: int) -> str:
        return f"{count:,} ({count / self.sentences:.0%})"


def judge(evaluation: Evaluation, *, bleu: float, pairs: int | None, guessing: Guessing | None) -> Verdict:
    """Judge the translations of a test set; `pairs` is the size of the training set, to compare with others."""
    translations, examples = evaluation.translations, evaluation.examples
    texts = [translation.text for translation in translations]
    chrf = np.array(evaluation.chrf)
    shown = [
        Example(example.source, text, text if text in example.references else example.references[0], float(score))
        for example, text, score in zip(examples, texts, chrf, strict=True)
    ]
    best, worst = choose_extremes(shown)
    return Verdict(
        sentences=len(shown),
        right=int((chrf >= RIGHT).sum()),
        nearly=int(((chrf >= NEARLY) & (chrf < RIGHT)).sum()),
        bad=int((chrf < BAD).sum()),
        typical=None if pairs is None else compare_with_typical(bleu, pairs),
        guesses=_check_guesses(guessing, translations, chrf < BAD) if guessing else None,
        best=best,
        worst=worst,
    )


def compare_with_typical(bleu: float, pairs: int) -> str:
    """One sentence on how a BLEU score compares with what was measured for as many training pairs."""
    sizes = list(TYPICAL_BLEU)
    if not 0.8 * sizes[0] <= pairs <= 1.25 * sizes[-1]:
        return f"What is typical for {pairs:,} pairs was not measured, only for {sizes[0]:,} to {sizes[-1]:,}."
    place, places = math.log(pairs), [math.log(size) for size in sizes]
    low, high = (float(np.interp(place, places, side)) for side in zip(*TYPICAL_BLEU.values(), strict=True))
    span = f"{low:.0f} to {high:.0f}" if round(low) < round(high) else f"{high:.0f}"
    measured = f"for {pairs:,} pairs of short sentences (BLEU about {span}; here {bleu:.1f})"
    if bleu < (1 - _SLACK) * low:
        return f"That is worse than is typical {measured}: look for wrong pairs, or train for longer."
    if bleu > (1 + _SLACK) * high:
        return f"That is better than is typical {measured}: these sentences are simple, or much like those of training."
    return f"That is what is typical {measured}."


def choose_extremes(examples: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """The best and the worst examples, without repetitions and without the shortest quarter of the sentences.

    The shortest sentences are the best and the worst of most test sets, and show little.
    """
    _, lengths = source_lengths([example.source for example in examples])
    long = np.flatnonzero(lengths >= np.quantile(lengths, 0.25)).tolist()
    ranked = [examples[i] for i in sorted(long, key=lambda i: (-examples[i].chrf, -lengths[i], i))]
    best = _different(ranked, min(SHOWN, -(-len(ranked) // 2)))
    taken = set(map(id, best))
    return best, _different([example for example in reversed(ranked) if id(example) not in taken], SHOWN)


def _different(ranked: Sequence[Example], count: int) -> list[Example]:
    """The first examples that share at most half of their words with one before; others only fill up."""
    chosen: list[int] = []
    seen: list[set[str]] = []
    for i, example in enumerate(ranked):
        words = set(example.source.casefold().split())
        if len(chosen) < count and all(2 * len(words & other) <= len(words) for other in seen):
            chosen.append(i)
            seen.append(words)
    others = (i for i in range(len(ranked)) if i not in chosen)
    return [ranked[i] for i in sorted([*chosen, *list(others)[: count - len(chosen)]])]


def _check_guesses(guessing: Guessing, translations: Sequence[Translation], bad: np.ndarray) -> str | None:
    """How many of these sentences would get a notice from translate.py, and how many deserve it."""
    if guessing.threshold is None:
        return None
    noticed = np.array([bool(translation.is_guess(guessing.threshold)) for translation in translations])
    deserved = int((noticed & bad).sum())
    return f"translate.py calls {int(noticed.sum()):,} of them guesses; {deserved:,} of those are bad."


def _section(title: str, examples: Sequence[Example]) -> list[str]:
    lines = [line for example in examples for line in example.lines()]
    return ["", f"{title}, without the shortest sentences (chrF, source, translation)", *lines] if lines else []
