"""Figures that say where translations are good and where they are bad."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from nmt.evaluation.report.analysis import Analysis
from nmt.evaluation.report.calibration import Bin, calibration_error, overall, reliability, words_right
from nmt.evaluation.report.copying import Copied, copied, names, numbers
from nmt.evaluation.report.figures import Cell, Column, Figure
from nmt.evaluation.report.matching import by_frequency, missed_words
from nmt.evaluation.report.signs import SIGNS
from nmt.evaluation.scores import Scores, grouped_bleu
from nmt.guessing import BAD
from nmt.metrics import METRICS, reference_streams

_LISTED = 15  # words, or sentences, in a list of the worst
_WIDTH = 10  # of a bucket of sentence chrF

# What the share of right words says, and what it does not.
RIGHT = (
    "Below the diagonal it is surer than it is right. A word is right if the nearest reference has it; other right "
    "words count as wrong."
)
_SENTENCES, _BLEU, _CHRF = Column("sentences"), Column("BLEU", 1), Column("mean chrF", 1)


def score_figure(scores: Scores) -> Figure:
    """Every metric with its interval and signature, as scores.json has them."""
    rows: list[list[Cell]] = [
        [METRICS[name].label, score.value, score.low, score.high, score.signature]
        for name, score in scores.metrics.items()
    ]
    columns = [Column("metric"), Column("score", 1), Column("low", 1), Column("high", 1), Column("signature")]
    better = [METRICS[name].label for name in scores.metrics if not METRICS[name].higher_is_better]
    note = (
        f"{scores.sentences:,} sentences; low and high bound the 95 % bootstrap interval over sentences. "
        f"The output is {scores.length_ratio:.3f} times as long as the references (brevity penalty "
        f"{scores.brevity_penalty:.3f})." + (f" {' and '.join(better)}: lower is better." if better else "")
    )
    return Figure("scores", "Scores", columns, rows, note)


def length_figure(analysis: Analysis) -> Figure:
    """BLEU and mean sentence chrF by source length, in the buckets of scores.json."""
    scores = analysis.evaluation.scores
    rows: list[list[Cell]] = []
    queries = []
    for place, bucket in enumerate(scores.by_length):
        shortest = bucket.shortest if place else 0  # an empty source counts in the first bucket
        longest = bucket.longest or max(analysis.lengths)
        pairs = zip(analysis.lengths, analysis.evaluation.chrf, strict=True)
        inside = [chrf for length, chrf in pairs if shortest <= length <= longest]
        rows.append([bucket.label, bucket.sentences, bucket.bleu, fmean(inside)])
        queries.append(f"length>={shortest} length<={longest}" if shortest else f"length<={longest}")
    chart = {
        "kind": "bars",
        "label": 0,
        "values": [2, 3],
        "top": 100,
        "xLabel": f"source length in {scores.length_unit}",
    }
    columns = [Column(scores.length_unit), _SENTENCES, _BLEU, _CHRF]
    return Figure("by-length", "By source length", columns, rows, "", chart, queries)


def chrf_figure(analysis: Analysis) -> Figure:
    """How many sentences have which chrF, with the BLEU of each bucket."""
    chrf = analysis.evaluation.chrf
    places = [min(int(value // _WIDTH), 100 // _WIDTH - 1) for value in chrf]
    groups = [[i for i, place in enumerate(places) if place == bucket] for bucket in range(100 // _WIDTH)]
    filled = [group for group in groups if group]
    streams = reference_streams(analysis.references)
    bleus = iter(grouped_bleu(analysis.texts, streams, analysis.evaluation.scores.tokenizer, filled))
    rows: list[list[Cell]] = []
    queries = []
    for bucket, group in enumerate(groups):
        low, high = bucket * _WIDTH, (bucket + 1) * _WIDTH
        rows.append([f"{low}–{high}", len(group), next(bleus) if group else None, _mean(analysis.lengths, group)])
        wanted = f"chrf>={low} chrf<{high}" if high < 100 else f"chrf>={low}"
        queries.append(wanted if group else None)
    columns = [Column("sentence chrF"), _SENTENCES, _BLEU, Column("mean length", 1)]
    chart = {"kind": "bars", "label": 0, "values": [1], "xLabel": "chrF of the sentence", "yLabel": "sentences"}
    note = "chrF against the nearest reference: from 85 on mostly right, below 40 hardly a phrase is right."
    return Figure("by-chrf", "Sentences by chrF", columns, rows, note, chart, queries)


def _mean(values: Sequence[float], group: Sequence[int]) -> float | None:
    return fmean(values[i] for i in group) if group else None


def frequency_figure(analysis: Analysis, counts: Mapping[str, int]) -> Figure:
    """F1 of words by how often the training set has them."""
    note = "A word counts as matched once for each time that translation and nearest reference both have it."
    chart = {"kind": "bars", "label": 0, "values": [1], "top": 1, "xLabel": "times in the training set", "yLabel": "F1"}
    places = [Column(each, 3) for each in ("F1", "precision", "recall")]
    columns = [Column("in training"), *places, Column("in references"), Column("in translations")]
    rows: list[list[Cell]] = [
        [name, each.f1, each.precision, each.recall, each.expected, each.translated]
        for name, each in by_frequency(analysis.bags, counts).items()
    ]
    return Figure("by-frequency", "Words by frequency in training", columns, rows, note, chart)


def missed_figures(analysis: Analysis, counts: Mapping[str, int] | None, lang: str) -> list[Figure]:
    """The words that translations lack most often, and those that they never have although training had them."""
    missed = missed_words(analysis.bags)
    never = [each for each in missed if each.missing == each.expected and each.missing > 1]
    if counts is not None:
        never.sort(key=lambda each: (-counts.get(each.word, 0), -each.missing, each.word))
    note = "Missing: in the nearest reference, not in the translation. Too often: the other way round."
    figures = []
    columns = [Column("word", lang=lang), *map(Column, ("missing", "in references", "too often"))]
    columns += [] if counts is None else [Column("in training")]
    for name, title, words, text in (
        ("missed", "Words it misses most", missed, note),
        ("never", "Words it never gets right", never, "In two references or more, and in none of their translations."),
    ):
        shown = words[:_LISTED]
        rows: list[list[Cell]] = [[each.word, each.missing, each.expected, each.invented] for each in shown]
        if counts is not None:
            rows = [[*row, counts.get(each.word, 0)] for row, each in zip(rows, shown, strict=True)]
        queries = [f"missing:{each.word}" for each in shown]
        figures.append(Figure(name, title, columns, rows, text, None, queries))
    return figures


def copying_figure(analysis: Analysis) -> Figure:
    """How many numbers and names arrive."""
    rows: list[list[Cell]] = []
    queries: list[str | None] = []
    for name, items in (("numbers", numbers), ("names", names)):
        found: Copied = copied(items, analysis.sources, analysis.references, analysis.texts)
        share = found.kept / found.expected if found.expected else None
        worst = Counter(item for item, _ in found.lost).most_common(5)
        rows.append([name, share, found.kept, found.expected, ", ".join(f"{item} ({n})" for item, n in worst)])
        queries.append(
            "#" + ",".join(str(place + 1) for place in sorted({i for _, i in found.lost})) if worst else None
        )
    columns = [Column("what"), Column("kept", 3), Column("in translations"), Column("expected"), Column("lost most")]
    note = (
        "Numbers and names that the source and a reference have alike. Names are capitalised words of three letters or "
        "more; those that are spelt anew in another script do not count."
    )
    return Figure("copying", "Numbers and names", columns, rows, note, None, queries)


def trouble_figure(analysis: Analysis) -> Figure:
    """How many translations show which sign of trouble, and whether they are worse than the others."""
    rows: list[list[Cell]] = []
    chrf = analysis.evaluation.chrf
    for sign, meaning in SIGNS.items():
        with_it = [score for score, signs in zip(chrf, analysis.signs, strict=True) if sign in signs]
        without = [score for score, signs in zip(chrf, analysis.signs, strict=True) if sign not in signs]
        means = (fmean(scores) if scores else None for scores in (with_it, without))
        rows.append([sign, meaning, len(with_it), len(with_it) / len(chrf), *means])
    columns = [Column("sign"), Column("what it is"), Column("sentences"), Column("share", 3)]
    columns += [Column("chrF with it", 1), Column("chrF without", 1)]
    queries = [f"is:{row[0]}" if row[2] else None for row in rows]
    return Figure("trouble", "Signs of trouble", columns, rows, "", None, queries)


def mistakes_figure(analysis: Analysis, languages: tuple[str, str]) -> Figure:
    """Bad translations that the model is most sure of."""
    evaluation = analysis.evaluation
    sure = [translation.confidence for translation in evaluation.translations]
    bad = sorted((i for i, chrf in enumerate(evaluation.chrf) if chrf < BAD), key=lambda i: (-sure[i], i))[:_LISTED]
    rows: list[list[Cell]] = [
        [
            sure[i],
            evaluation.chrf[i],
            analysis.sources[i],
            analysis.texts[i],
            analysis.references[i][analysis.nearest[i]],
        ]
        for i in bad
    ]
    texts = [Column("source", lang=languages[0]), *(Column(x, lang=languages[1]) for x in ("translation", "reference"))]
    queries = [f"#{i + 1}" for i in bad]
    note = f"Translations with a chrF below {BAD:.0f}, most confident first: wrong, or right in other words."
    title = "Most confident mistakes"
    return Figure("mistakes", title, [Column("confidence", 2), Column("chrF", 1), *texts], rows, note, None, queries)


def word_reliability(analysis: Analysis) -> list[Bin]:
    """How often words are right, by their confidence."""
    translations, nearest = analysis.evaluation.translations, analysis.nearest
    pairs = [
        pair
        for translation, group, near in zip(translations, analysis.references, nearest, strict=True)
        for pair in words_right(translation, group[near], analysis.spaced)
    ]
    return reliability([sure for sure, _ in pairs], [float(right) for _, right in pairs])


def calibration_figures(analysis: Analysis) -> list[Figure]:
    """Reliability of the confidence of words and of sentences."""
    words, translations = word_reliability(analysis), analysis.evaluation.translations
    note = f"Expected calibration error {calibration_error(words):.3f} over {overall(words)[0]:,} words. {RIGHT}"
    chart = {"kind": "reliability", "x": 2, "y": 3, "size": 1, "xLabel": "confidence", "yLabel": "share right"}
    columns = [Column("confidence"), Column("words"), Column("mean confidence", 3), Column("share right", 3)]
    by_word = Figure("calibration", "Is it as sure as it is right?", columns, bin_rows(words), note, chart)
    sentences = reliability([each.confidence for each in translations], analysis.evaluation.chrf)
    columns = [Column("confidence"), _SENTENCES, Column("mean confidence", 3), _CHRF]
    queries = [f"sure>={each.low:.1f}" + (f" sure<{each.high:.1f}" if each.high < 1 else "") for each in sentences]
    bars = {"kind": "bars", "label": 0, "values": [3], "top": 100, "xLabel": "confidence of the sentence"}
    by_sentence = Figure("by-confidence", "Sentences by confidence", columns, bin_rows(sentences), "", bars, queries)
    return [by_word, by_sentence]


def bin_rows(bins: Sequence[Bin]) -> list[list[Cell]]:
    """A row for each interval of confidence."""
    return [[f"{each.low:.1f}–{each.high:.1f}", each.count, each.confidence, each.right] for each in bins]


def faithfulness_figure(analysis: Analysis) -> list[Figure]:
    """The model with other attention than its own, where that was measured."""
    found = analysis.evaluation.faithfulness
    if found is None:
        return []
    rows: list[list[Cell]] = [["its own", found.own.log_prob, found.own.bleu, None]]
    rows += [[name, each.log_prob, each.bleu, found.own.bleu - each.bleu] for name, each in found.others.items()]
    columns = [Column("attention"), Column("log p of a token", 3), Column("BLEU, greedy", 1), Column("lost", 1)]
    note = (
        "Uniform: all source tokens weigh the same. Shuffled: the weights of each step, dealt to the source tokens at "
        "random. Permuted: each step has the weights of another step. The more is lost, the more the attention matters."
    )
    return [Figure("faithfulness", "Does it matter where it looks?", columns, rows, note)]
