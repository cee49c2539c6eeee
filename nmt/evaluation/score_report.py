"""An evaluation on disk (scores.json, translations.tsv) and as a table for the terminal."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nmt.evaluation.scores import Scores
from nmt.evaluation.text_bar import text_bar
from nmt.files import read_listed, read_record, write_listed, write_record
from nmt.metrics import METRICS, Metric, Score

SCORES, TRANSLATIONS, REPORT = "scores.json", "translations.tsv", "report.html"
_BAR_CELLS = 20


@dataclass(frozen=True)
class Row:
    """A sentence, its translation with the model's score (log probability), and its references."""

    source: str
    hypothesis: str
    score: float
    references: tuple[str, ...]


def write_evaluation(directory: Path, scores: Scores, details: Mapping[str, Any], rows: Iterable[Row]) -> None:
    """Write scores.json and translations.tsv into a directory.

    `details` record what was scored: the set, the checkpoint, the search. The TSV has a header; source, hypothesis
    and score are followed by all references of the sentence.
    """
    lines = ["source\thypothesis\tscore\treferences"]
    for row in rows:
        cells = (row.source, row.hypothesis, f"{row.score:.4f}", *row.references)
        lines.append("\t".join(map(_one_cell, cells)))
    for stale in (SCORES, REPORT):
        (directory / stale).unlink(missing_ok=True)  # a kill must not leave old scores beside new translations
    write_listed(directory / TRANSLATIONS, ("\n".join(lines) + "\n").encode("utf-8"))
    write_record(directory / SCORES, {**scores.to_dict(), "evaluated": dict(details)})


def read_evaluation(directory: Path) -> tuple[dict[str, Any], list[Row]]:
    """Read what `write_evaluation` wrote; a UserError if it is missing or damaged."""
    scores = read_record(directory / SCORES)
    _header, *lines = read_listed(directory / TRANSLATIONS).decode("utf-8").removesuffix("\n").split("\n")
    cells = [line.split("\t") for line in lines]
    return scores, [Row(row[0], row[1], float(row[2]), tuple(row[3:])) for row in cells]


def table(scores: Scores, *, title: str = "Scores") -> RenderableType:
    """The scores as a table for rich, which prints plain text where stdout is no terminal."""
    metrics = Table.grid(padding=(0, 2))
    metrics.add_column()
    metrics.add_column(justify="right")
    metrics.add_column(style="dim")
    signatures = Table.grid(padding=(0, 2))
    signatures.add_column(style="dim")
    signatures.add_column(style="dim", overflow="fold")  # a narrow terminal folds them, it never cuts them
    for name, score in scores.metrics.items():
        metric = METRICS[name]
        metrics.add_row(metric.label, Text(f"{score.value:.1f}", style="bold"), _remarks(metric, score))
        signatures.add_row(metric.label, Text(score.signature))
    return Group(
        Text(f"{title} · {_count(scores.sentences)}", style="bold"),
        metrics,
        Text(f"Output is {scores.length_ratio:.2f} times as long as the references."),
        Text(),
        Text(f"BLEU by source length in {scores.length_unit}", style="bold"),
        _length_table(scores),
        Text(),
        Text("Signatures", style="bold"),
        signatures,
    )


def _length_table(scores: Scores) -> Table:
    lengths = Table.grid(padding=(0, 2))
    for _ in ("length", "sentences", "BLEU"):
        lengths.add_column(justify="right")
    lengths.add_column()
    best = max(bucket.bleu for bucket in scores.by_length)
    for bucket in scores.by_length:
        drawn = Text(text_bar(bucket.bleu / best if best else 0.0, _BAR_CELLS), style="blue")
        lengths.add_row(bucket.label, _count(bucket.sentences), f"{bucket.bleu:.1f}", drawn)
    return lengths


def _remarks(metric: Metric, score: Score) -> Text:
    remarks = [] if metric.higher_is_better else ["lower is better"]
    if score.low is not None and score.high is not None:
        remarks.insert(0, f"[{score.low:.1f}–{score.high:.1f}]  95 % interval")
    return Text(", ".join(remarks))


def _count(sentences: int) -> str:
    return f"{sentences} sentence{'s' if sentences != 1 else ''}"


def _one_cell(text: str) -> str:
    """Replace tabs and all kinds of line breaks with spaces."""
    return " ".join(text.replace("\t", " ").splitlines())
