"""What an evaluation leaves behind: two files in the run directory, and a table on the terminal."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nmt.evaluation.bars import bar
from nmt.evaluation.metrics import LengthBucket, Score, Scores
from nmt.files import write_json, write_text

_BAR_CELLS = 20


@dataclass(frozen=True)
class Row:
    """One translated sentence with what it is compared to; ``score`` is the model's own."""

    source: str
    hypothesis: str
    score: float
    references: tuple[str, ...]


def write_evaluation(directory: Path, scores: Scores, details: Mapping[str, Any], rows: Iterable[Row]) -> None:
    """Write ``scores.json`` and ``translations.tsv`` into a directory.

    `details` tell what was scored: the set, the checkpoint, the search. The TSV has a header; after source,
    hypothesis and score come as many references as a sentence has.
    """
    lines = ["source\thypothesis\tscore\treferences"]
    for row in rows:
        cells = (row.source, row.hypothesis, f"{row.score:.4f}", *row.references)
        lines.append("\t".join(map(_one_cell, cells)))
    write_text(directory / "translations.tsv", "\n".join(lines) + "\n")
    write_json(directory / "scores.json", {**scores.to_dict(), "evaluated": dict(details)})


def table(scores: Scores, *, title: str = "Scores") -> RenderableType:
    """Lay the scores out for the terminal; without one, rich prints the same as plain text."""
    metrics = Table.grid(padding=(0, 2))
    metrics.add_column()
    metrics.add_column(justify="right")
    metrics.add_column(style="dim")
    metrics.add_row("BLEU", _bold(scores.bleu), _interval(scores.bleu))
    metrics.add_row("chrF", _bold(scores.chrf), "")
    if scores.ter:
        metrics.add_row("TER", _bold(scores.ter), "lower is better")
    return Group(
        Text(f"{title} · {_count(scores.sentences)}", style="bold"),
        metrics,
        Text(f"Output is {scores.length_ratio:.2f} times as long as the references."),
        Text(),
        Text(f"BLEU by source length in {scores.length_unit}", style="bold"),
        _length_table(scores),
        Text(),
        Text("Signatures", style="bold"),
        _signatures(scores),
    )


def _length_table(scores: Scores) -> Table:
    lengths = Table.grid(padding=(0, 2))
    for _ in ("length", "sentences", "BLEU"):
        lengths.add_column(justify="right")
    lengths.add_column()
    best = max(bucket.bleu for bucket in scores.by_length)
    for bucket in scores.by_length:
        drawn = Text(bar(bucket.bleu / best if best else 0.0, _BAR_CELLS), style="blue")
        lengths.add_row(_range(bucket), _count(bucket.sentences), f"{bucket.bleu:.1f}", drawn)
    return lengths


def _signatures(scores: Scores) -> Table:
    """List the signatures; a narrow terminal folds them, it never cuts them."""
    signatures = Table.grid(padding=(0, 2))
    signatures.add_column(style="dim")
    signatures.add_column(style="dim", overflow="fold")
    for name, metric in (("BLEU", scores.bleu), ("chrF", scores.chrf), ("TER", scores.ter)):
        if metric:
            signatures.add_row(name, Text(metric.signature))
    return signatures


def _bold(metric: Score) -> Text:
    return Text(f"{metric.value:.1f}", style="bold")


def _interval(metric: Score) -> Text:
    if metric.low is None or metric.high is None:
        return Text()
    return Text(f"[{metric.low:.1f}–{metric.high:.1f}]  95 % interval")


def _count(sentences: int) -> str:
    return f"{sentences} sentence{'s' if sentences != 1 else ''}"


def _range(bucket: LengthBucket) -> str:
    if bucket.longest is None:
        return f"{bucket.shortest}+"
    return f"{bucket.shortest}–{bucket.longest}" if bucket.longest > bucket.shortest else str(bucket.shortest)


def _one_cell(text: str) -> str:
    """Keep a text in its cell: every kind of tab and line break becomes a space."""
    return " ".join(text.replace("\t", " ").splitlines())
