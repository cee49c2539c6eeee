"""Figures on signs of trouble: what is left out or said twice, and whether such sentences are worse than others."""

import math
from collections.abc import Sequence
from statistics import fmean, variance

from nmt.evaluation.report.analysis import Analysis
from nmt.evaluation.report.coverage import SIGNS, left_out_words
from nmt.evaluation.report.figures import Cell, Column, Figure

_LISTED = 15  # words
_FEWEST = 5  # sentences with a sign, to say whether it separates
_CHANCE = 2  # standard errors


def trouble_figure(analysis: Analysis) -> Figure:
    """How many translations show which sign of trouble, and whether they are worse than the others."""
    rows: list[list[Cell]] = []
    queries, useless = [], []
    chrf, attentive = analysis.evaluation.chrf, any(analysis.attention)
    for sign, meaning in SIGNS.items():
        if sign in ("left-out", "overused") and not attentive:
            continue
        with_it = [score for score, signs in zip(chrf, analysis.signs, strict=True) if sign in signs]
        without = [score for score, signs in zip(chrf, analysis.signs, strict=True) if sign not in signs]
        means = (fmean(scores) if scores else None for scores in (with_it, without))
        rows.append([sign, meaning, len(with_it), len(with_it) / len(chrf), *means])
        queries.append(f"is:{sign}" if with_it else None)
        if min(len(with_it), len(without)) >= _FEWEST and not separates(with_it, without):
            useless.append(sign)
    columns = [Column("sign"), Column("what it is"), Column("sentences"), Column("share", 3)]
    columns += [Column("chrF with it", 1), Column("chrF without", 1)]
    note = "Attention of a source word: its weights, summed over the words of the translation."
    if useless:
        verb = "does" if len(useless) == 1 else "do"
        note += (
            f" Here {' and '.join(useless)} {verb} not tell bad translations from good ones: chrF is as high with "
            "the sign as without, or lower by no more than chance."
        )
    return Figure("trouble", "Left out, said twice", columns, rows, note, None, queries)


def separates(with_it: Sequence[float], without: Sequence[float]) -> bool:
    """Whether scores with a sign are lower than those without by more than two standard errors."""
    error = math.sqrt(sum(variance(scores) / len(scores) for scores in (with_it, without)))
    return fmean(without) - fmean(with_it) > _CHANCE * error


def left_out_figure(analysis: Analysis, lang: str) -> list[Figure]:
    """The source words that most often get hardly any attention, for models with attention."""
    if not any(analysis.attention):
        return []
    words, chrf = left_out_words(analysis.attention)[:_LISTED], analysis.evaluation.chrf
    rows: list[list[Cell]] = [
        [each.word, each.times, each.occurrences, each.times / each.occurrences, fmean(chrf[i] for i in each.sentences)]
        for each in words
    ]
    columns = [Column("word", lang=lang), Column("left out"), Column("in sources"), Column("share", 3)]
    queries = ["#" + ",".join(str(i + 1) for i in each.sentences) for each in words]
    note = "Source words with hardly any attention, in any case; many are words that the target language does not need."
    title = "Source words left out most"
    return [Figure("left-out", title, [*columns, Column("mean chrF", 1)], rows, note, None, queries)]
