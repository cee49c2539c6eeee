"""The comparison as one HTML page: scores, tests, curves, n-grams, sentences and attention of several models."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from comparison import ngrams
from comparison.plots import mean_curve
from comparison.runs import Member
from comparison.significance import Pair, holm
from comparison.summary import Groups, Row
from nmt.evaluation.report.coverage import WordAttention
from nmt.evaluation.report.figures import Cell, Column, Figure, Section
from nmt.evaluation.report.matching import bags_of, nearest_reference
from nmt.evaluation.report.words import bleu_tokens
from nmt.evaluation.scores import LengthBucket, source_lengths
from nmt.metrics import METRICS, sentence_chrf
from nmt.run import Run
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
    tested: Mapping[Pair, float],
    title: str,
    notes: Sequence[str],
    panel: tuple[str, Mapping[str, Translation]],
) -> str:
    """The page, in the order of the groups; `panel` is a sentence with its translation by each model with attention."""
    first = groups[baseline][0]
    direction = Run.open(first.run).config.data.direction()
    (source, source_lang), (target, target_lang) = map(language, (direction.source, direction.target))
    corrected = holm(tested)
    sentence, translations = panel
    sections = [
        Section("models", "Scores", [score_figure(rows), test_figure(list(groups), corrected)]),
        Section("curves", "Curves", [*curve_figures(groups), length_figure(groups)]),
        Section("ngrams", "N-grams that one wins", won_figures(groups, baseline, target_lang)),
        Section("sentences", "Sentences that differ most", []),
        Section("attention", "Attention", attention_figures(translations), f"Of the first seed, on “{sentence}”."),
        Section("origin", "What the columns mean", []),
    ]
    data = {
        "title": f"{title}: {source} → {target}",
        "subtitle": f"{first.scores['evaluated']['examples']}, {first.scores['sentences']:,} sentences",
        "languages": {"source": source_lang, "target": target_lang},
        "verdict": verdict(rows, corrected),
        "findings": [],
        "facts": {name: text for note in notes for name, _, text in [note.partition(": ")]},
        "sections": [
            section.plain() for section in sections if section.figures or section.id in ("sentences", "origin")
        ],
        "sentences": sentence_rows(groups),
    }
    return report_page(data)


def verdict(rows: Sequence[Row], corrected: Mapping[Pair, float]) -> list[str]:
    """The best model, and how many pairs differ."""
    best = rows[0].scores["bleu"]
    spread = "" if best.std is None else f" ± {best.std:.1f}"
    pairs = len(rows) * (len(rows) - 1) // 2
    clear = sum(p < _LEVEL for p in corrected.values())
    tests = (
        f"{clear} of {pairs} pairs of models differ in BLEU (p < {_LEVEL} after Holm's correction); "
        f"{pairs - len(corrected)} could not be tested, with fewer than two common seeds or with seeds that disagree."
        if corrected
        else "No pair of models could be tested: a test needs two seeds of each, which agree on the better one."
    )
    return [f"Best mean BLEU: {rows[0].name}, {best.mean:.1f}{spread}.", tests if pairs else "There is one model only."]


def score_figure(rows: Sequence[Row]) -> Figure:
    """Means and standard deviations over seeds, and costs."""
    names = list(rows[0].scores)
    columns = [Column("model"), Column("runs")]
    for name in names:
        columns += [Column(METRICS[name].label, 1), Column("±", 2)]
    columns += [Column("Δ BLEU", 1), Column("p", 3), Column("parameters"), Column("tokens/s", 0), Column("minutes", 1)]
    columns += [Column("entropy", 2), Column("AER", 3), Column("low"), Column("high")]
    cells: list[list[Cell]] = []
    for row in rows:
        line: list[Cell] = [row.name, len(row.seeds)]
        for name in names:
            line += [row.scores[name].mean, row.scores[name].std]
        line += [row.delta, row.p, row.parameters, row.tokens_per_second, row.minutes]
        mean, std = row.scores[names[0]].mean, row.scores[names[0]].std or 0.0
        cells.append([*line, row.entropy, row.aer.mean if row.aer else None, mean - std, mean + std])
    last = len(columns)
    chart = {"kind": "bars", "label": 0, "values": [2], "low": [last - 2], "high": [last - 1], "yLabel": "BLEU"}
    note = "± is the sample standard deviation over seeds, – for one; low and high are the mean less and plus that."
    return Figure("scores", "Scores over seeds", columns, cells, note, chart)


def test_figure(names: Sequence[str], corrected: Mapping[Pair, float]) -> Figure:
    """The matrix of corrected p-values."""
    symmetric = {**corrected, **{(other, one): p for (one, other), p in corrected.items()}}
    cells: list[list[Cell]] = [[one, *(symmetric.get((one, other)) for other in names)] for one in names]
    note = (
        f"p of a paired approximate randomisation test of BLEU, median over common seeds, corrected by Holm for "
        f"{len(corrected)} tests. – where two models have fewer than two common seeds, or their seeds disagree."
    )
    columns = [Column("p"), *(Column(name, 3) for name in names)]
    return Figure("tests", "Which differences are more than chance?", columns, cells, note)


def curve_figures(groups: Groups) -> list[Figure]:
    """Mean validation BLEU over updates and minutes."""
    cells: list[list[Cell]] = []
    for name, runs in groups.items():
        if all("bleu" in member.history.metrics for member in runs):
            line = mean_curve(name, runs)
            minutes = np.mean([member.history.time_of(line.x) for member in runs], axis=0) / 60
            columns = (line.x, minutes, line.mean, line.low, line.high)
            cells += [[name, *map(float, point)] for point in zip(*columns, strict=True)]
    names = [Column("model"), Column("update", 0), Column("minutes", 2)]
    values = [Column("BLEU", 2), Column("lowest seed", 2), Column("highest seed", 2)]
    chart = {"kind": "lines", "x": [1, 2], "y": [3], "by": 0}
    title = "Validation BLEU, mean over seeds"
    return [Figure("curves", title, [*names, *values], cells, "", chart)] if cells else []


def length_figure(groups: Groups) -> Figure:
    """BLEU by source length, mean over seeds."""
    first = next(iter(groups.values()))[0].scores
    labels = [LengthBucket(**bucket).label for bucket in first["by_length"]]
    cells: list[list[Cell]] = []
    for name, runs in groups.items():
        for place, label in enumerate(labels):
            mean = float(np.mean([member.scores["by_length"][place]["bleu"] for member in runs]))
            cells.append([name, place, label, mean])
    columns = [Column("model"), Column("place"), Column(first["length_unit"]), Column("BLEU", 1)]
    chart = {"kind": "lines", "x": [1], "y": [3], "by": 0, "ticks": labels}
    return Figure("by-length", f"BLEU by source length in {first['length_unit']}", columns, cells, "", chart)


def won_figures(groups: Groups, baseline: str, lang: str) -> list[Figure]:
    """For each model, the n-grams that it or the baseline gets right more often; by their first seeds."""
    first = groups[baseline][0]
    cut = bleu_tokens(first.scores["tokenizer"])
    found = {name: ngrams.matches(runs[0].hypotheses, first.references, cut) for name, runs in groups.items()}
    figures: list[Figure] = []
    for name in groups:
        if name == baseline:
            continue
        cells: list[list[Cell]] = []
        for winner, loser in ((name, baseline), (baseline, name)):
            for each in ngrams.won(found[winner], found[loser], _WON):
                ours, theirs = (each.ours, each.theirs) if winner == name else (each.theirs, each.ours)
                cells.append([each.words, ours, theirs, ours - theirs])
        columns = [Column("words", lang=lang), Column(name), Column(baseline), Column("lead")]
        queries = [f'"{row[0]}"' if '"' not in str(row[0]) else None for row in cells]
        note = "Matches with a reference, clipped as in BLEU; first seeds."
        figures.append(Figure(f"won-{len(figures)}", f"{name} against {baseline}", columns, cells, note, None, queries))
    return figures


def attention_figures(translations: Mapping[str, Translation]) -> list[Figure]:
    """The attention of each model on one sentence."""
    figures = []
    for name, translation in translations.items():
        if attention := WordAttention.of(translation):
            columns = [Column("word"), *(Column(_end(word), 2) for word in attention.source)]
            cells: list[list[Cell]] = [
                [_end(word), *map(float, row)] for word, row in zip(attention.target, attention.weights, strict=True)
            ]
            figures.append(Figure(f"attention-{name}", name, columns, cells, "", {"kind": "heat"}))
    return figures


def _end(word: str) -> str:
    return "end" if word == EOS_PIECE else word


def sentence_rows(groups: Groups) -> list[dict[str, Any]]:
    """Every sentence with the translation of each model's first seed, and how far apart their chrF are."""
    firsts: dict[str, Member] = {name: runs[0] for name, runs in groups.items()}
    one = next(iter(firsts.values()))
    cut = bleu_tokens(one.scores["tokenizer"])
    expected = [bags_of(cut, group) for group in one.references]
    lengths = source_lengths(one.sources)[1]
    chrf = {name: sentence_chrf(member.hypotheses, member.references) for name, member in firsts.items()}
    near = {
        name: [nearest_reference(*pair) for pair in zip(bags_of(cut, member.hypotheses), expected, strict=True)]
        for name, member in firsts.items()
    }
    rows = []
    for i, source in enumerate(one.sources):
        values = [scores[i] for scores in chrf.values()]
        row = {
            "source": source,
            "references": list(one.references[i]),
            "translations": [
                {"name": name, "text": member.hypotheses[i], "chrf": round(chrf[name][i], 1), "nearest": near[name][i]}
                for name, member in firsts.items()
            ],
            "chrf": round(float(np.mean(values)), 1),
            "length": int(lengths[i]),
            "spread": round(max(values) - min(values), 1),
        }
        rows.append(row)
    return rows
