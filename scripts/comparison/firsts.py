"""Where each model is good and bad, by its first seed: the figures of its own report, drawn together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from comparison.runs import Member
from comparison.summary import Groups
from nmt.data.heldout import HeldOut
from nmt.evaluation.evaluate import Evaluation
from nmt.evaluation.faithfulness import read_faithfulness
from nmt.evaluation.report import quality
from nmt.evaluation.report.analysis import Analysis
from nmt.evaluation.report.calibration import calibration_error, overall
from nmt.evaluation.report.figures import Cell, Column, Figure
from nmt.evaluation.scores import score, source_lengths
from nmt.translation import Translation
from nmt.translator import Translator

Analyses = Mapping[str, Analysis]
_LENGTH = {"words": 8, "characters": 12}  # of a sentence to show: long enough for a pattern, short enough to read


def analyse_all(groups: Groups, sentence: str) -> tuple[dict[str, Analysis], dict[str, Translation]]:
    """The analysis of each model's first seed, and its translation of a sentence.

    All are translated again, as confidence and attention are not recorded.
    """
    analyses, translations = {}, {}
    for name, (first, *_) in groups.items():
        *own, translations[name] = Translator.load(first.run, "cpu").translate([*first.sources, sentence])
        analyses[name] = analyse(first, own)
    return analyses, translations


def choose_sentence(member: Member) -> str:
    """The first of the test sentences nearest to a readable length, whatever their scores."""
    unit, lengths = source_lengths(member.sources)
    return member.sources[int(np.abs(lengths - _LENGTH[unit]).argmin())]


def analyse(member: Member, translations: Sequence[Translation]) -> Analysis:
    """The analysis of a run by its recorded texts, with the confidence and attention of translations."""
    examples = [HeldOut(*pair) for pair in zip(member.sources, member.references, strict=True)]
    said = [replace(each, text=text) for each, text in zip(translations, member.hypotheses, strict=True)]
    scores = score(member.hypotheses, member.references, member.sources, metrics=[], bootstrap=0)
    faithfulness = read_faithfulness(member.run.evaluation, member.scores["evaluated"])
    return Analysis(Evaluation(scores, said, examples, faithfulness))


def quality_figures(analyses: Analyses, counts: Mapping[str, int] | None) -> list[Figure]:
    """A row for each model; `counts` are those of words in training, by which they are grouped for all models."""

    def gathered(make: Callable[[Analysis], Figure], value: int, note: str = "", **chart: Any) -> Figure:
        return gather({name: make(analysis) for name, analysis in analyses.items()}, value, note, chart)

    figures = [gathered(quality.chrf_figure, 1, kind="lines", xLabel="chrF of the sentence", yLabel="sentences")]
    if counts:
        by_frequency = "times in the training set"
        figures += [
            gathered(
                lambda each: quality.frequency_figure(each, counts), 1, kind="lines", xLabel=by_frequency, yLabel="F1"
            )
        ]
    kept = "Share of the numbers and names of source and reference that translations have."
    signs = "Share of the sentences that show each sign; the filter of each model's own report has its sentences."
    return [
        *figures,
        gathered(quality.copying_figure, 1, kept, kind="bars", top=1, yLabel="share kept"),
        gathered(quality.trouble_figure, 3, signs, kind="bars", yLabel="share of sentences"),
        *calibration_figures(analyses),
        *faithfulness_figure(analyses),
    ]


def gather(figures: Mapping[str, Figure], value: int, note: str, chart: Mapping[str, Any]) -> Figure:
    """One column of the same figure of several models: a row for each model, a column for each row of theirs."""
    found = {name: {str(row[0]): row[value] for row in figure.rows} for name, figure in figures.items()}
    places: dict[str, int] = {}
    for row in found.values():
        for place, label in enumerate(row):
            places[label] = max(place, places.get(label, 0))
    measured = [label for label in places if any(row.get(label) is not None for row in found.values())]
    labels = sorted(measured, key=lambda label: places[label])
    first = next(iter(figures.values()))
    cells: list[list[Cell]] = [[name, *map(row.get, labels)] for name, row in found.items()]
    columns = [Column("model"), *(Column(label, first.columns[value].digits) for label in labels)]
    shown = {"bars": "values", "lines": "across"}[chart["kind"]]
    drawn = {"label": 0, shown: list(range(1, len(columns))), **chart}
    return Figure(first.id, first.title, columns, cells, note or first.note, drawn)


def calibration_figures(analyses: Analyses) -> list[Figure]:
    """The calibration error of each model, and its reliability curve, both over words."""
    errors: list[list[Cell]] = []
    curves: list[list[Cell]] = []
    for name, analysis in analyses.items():
        bins = quality.word_reliability(analysis)
        curves += [[name, *row] for row in quality.bin_rows(bins)]
        errors.append([name, calibration_error(bins), *overall(bins)])
    means = [Column("words"), Column("mean confidence", 3), Column("share right", 3)]
    note = "Mean gap between confidence and share of right words in ten bins (Naeini 2015); 0 is as sure as right."
    bars = {"kind": "bars", "label": 0, "values": [1]}
    columns = [Column("model"), Column("calibration error", 3), *means]
    points = {"kind": "reliability", "by": 0, "series": list(analyses), "x": 3, "y": 4, "size": 2}
    points |= {"xLabel": "confidence", "yLabel": "share right"}
    inside, title = [columns[0], Column("confidence"), *means], "Are they as sure as they are right?"
    return [
        Figure("calibration-error", "Expected calibration error", columns, errors, note, bars),
        Figure("calibration", title, inside, curves, quality.RIGHT, points),
    ]


def faithfulness_figure(analyses: Analyses) -> list[Figure]:
    """BLEU with other attention than its own, for the models of which evaluate.py --faithfulness measured it."""
    measured = {name: each.evaluation.faithfulness for name, each in analyses.items() if each.evaluation.faithfulness}
    if not measured:
        return []
    others = next(iter(measured.values())).others
    columns = [Column("model"), *(Column(name, 1) for name in ("its own", *others))]
    rows: list[list[Cell]] = [
        [name, found.own.bleu, *(found.others[other].bleu for other in others)] for name, found in measured.items()
    ]
    note = "BLEU of greedy search with its own attention and with three others: the more is lost, the more it matters."
    return [Figure("faithfulness", "Does it matter where they look?", columns, rows, note)]
