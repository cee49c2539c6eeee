"""The comparison of several models as one HTML page."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from comparison import ngrams
from comparison.firsts import Analyses, quality_figures
from comparison.overview import curve_figures, length_figure, score_figure
from comparison.summary import Groups, Row
from nmt.evaluation.report.figures import Cell, Column, Figure, Section
from nmt.evaluation.report.words import WordCounts, bleu_tokens
from nmt.special import EOS_PIECE
from nmt.translation import Translation
from nmt.web.assemble import language
from nmt.web.report_page import report_page

_WON = 10  # n-grams for each side
_LEVEL = 0.05
_BARE = ("sentences", "origin")  # sections that the page fills itself


def comparison_page(
    groups: Groups,
    rows: Sequence[Row],
    baseline: str,
    analyses: Analyses,
    example: tuple[str, Mapping[str, Translation]],
    title: str,
    notes: Sequence[str],
) -> str:
    """The page, with all figures in the order of the groups.

    `analyses` are those of the first seeds, `example` is a sentence with its translation by each of them, and `notes`
    say what the columns of the scores mean.
    """
    first = groups[baseline][0]
    direction = first.run.config.data.direction()
    (source, source_lang), (target, target_lang) = map(language, (direction.source, direction.target))
    known = WordCounts.of(first.run)
    quality = quality_figures(analyses, known.counts if known else None)
    sentence, translations = example
    attention = attention_figures(translations)
    sections = [
        Section("models", "Scores", [score_figure(rows)]),
        Section("curves", "Curves", [*curve_figures(groups), length_figure(groups)]),
        Section("quality", "Where they are good and bad", quality, "Of each model's first seed, as in its own report."),
        Section("ngrams", "N-grams that one wins", won_figures(groups, baseline, target_lang)),
        Section("sentences", "Sentences that differ most", []),
        Section("attention", "Attention", attention, f"Of the first seed, on “{sentence}”."),
        Section("origin", "What the columns mean", []),
    ]
    data = {
        "title": f"{title}: {source} → {target}",
        "subtitle": f"{first.scores['evaluated']['examples']}, {first.scores['sentences']:,} sentences",
        "languages": {"source": source_lang, "target": target_lang},
        "verdict": verdict(rows, baseline),
        "findings": [],
        "facts": {name: text for note in notes for name, _, text in [note.partition(": ")]},
        "sections": [section.plain() for section in sections if section.figures or section.id in _BARE],
        "sentences": sentence_rows(analyses),
    }
    return report_page(data)


def verdict(rows: Sequence[Row], baseline: str) -> list[str]:
    """The best model, and how many differ from the baseline."""
    best = rows[0].scores["bleu"]
    spread = "" if best.std is None else f" ± {best.std:.1f}"
    p_values = [row.p for row in rows if row.p is not None]
    clear, others = sum(p < _LEVEL for p in p_values), len(rows) - 1
    tests = f"No model could be tested against {baseline}: a test needs two seeds of both, which agree on the better."
    if p_values:
        corrected = f"p < {_LEVEL} after Holm's correction"
        tests = f"{clear} of {others} other models differ from {baseline} in BLEU ({corrected})."
        if untested := others - len(p_values):
            tests += f" {untested} could not be tested, with fewer than two common seeds or with seeds that disagree."
    return [
        f"Best mean BLEU: {rows[0].name}, {best.mean:.1f}{spread}.",
        tests if others else "There is one model only.",
    ]


def won_figures(groups: Groups, baseline: str, lang: str) -> list[Figure]:
    """For each model, the n-grams that it or the baseline gets right more often; by their first seeds."""
    first = groups[baseline][0]
    cut = bleu_tokens(first.scores["tokenizer"])
    theirs = ngrams.matches(first.hypotheses, first.references, cut)
    note = (
        "Matches with a reference, clipped as in BLEU; first seeds; leads of 2 or more. Words lead to the sentences "
        "in which one of the two has them more often than the other."
    )
    figures: list[Figure] = []
    for name in groups:
        if name == baseline:
            continue
        ours = ngrams.matches(groups[name][0].hypotheses, first.references, cut)
        ahead, behind = ngrams.won(ours, theirs, _WON), ngrams.won(theirs, ours, _WON)
        cells: list[list[Cell]] = [[each.words, each.ours, each.theirs, each.ours - each.theirs] for each in ahead]
        cells += [[each.words, each.theirs, each.ours, each.theirs - each.ours] for each in behind]
        queries = ["#" + ",".join(map(str, each.sentences)) for each in (*ahead, *behind)]
        columns = [Column("words", lang=lang), Column(name), Column(baseline), Column("lead")]
        figures.append(Figure(f"won-{len(figures)}", f"{name} against {baseline}", columns, cells, note, None, queries))
    return figures


def attention_figures(translations: Mapping[str, Translation]) -> list[Figure]:
    """The attention of each model on one sentence."""
    figures = []
    for name, translation in translations.items():
        if attention := translation.word_attention:
            columns = [Column("word"), *(Column(_end(word), 2) for word in attention.source)]
            cells: list[list[Cell]] = [
                [_end(word), *map(float, row)] for word, row in zip(attention.target, attention.weights, strict=True)
            ]
            figures.append(Figure(f"attention-{name}", name, columns, cells, "", {"kind": "heat"}))
    return figures


def _end(word: str) -> str:
    return "end" if word == EOS_PIECE else word


def sentence_rows(analyses: Analyses) -> list[dict[str, Any]]:
    """Every sentence with the translation of each model's first seed, and how far apart their chrF are."""
    one = next(iter(analyses.values()))
    rows = []
    for i, (source, references, length) in enumerate(zip(one.sources, one.references, one.lengths, strict=True)):
        values = [analysis.evaluation.chrf[i] for analysis in analyses.values()]
        translations = [
            {"name": name, "text": analysis.texts[i], "chrf": round(chrf, 1), "nearest": analysis.nearest[i]}
            for (name, analysis), chrf in zip(analyses.items(), values, strict=True)
        ]
        row = {"source": source, "references": list(references), "translations": translations, "length": length}
        rows.append(row | {"chrf": round(fmean(values), 1), "spread": round(max(values) - min(values), 1)})
    return rows
