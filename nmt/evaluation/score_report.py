"""What an evaluation leaves behind: two files in the run directory, and a table on the terminal."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nmt.errors import UserError
from nmt.evaluation.metrics import LengthBucket, Score, Scores
from nmt.evaluation.text_bar import text_bar
from nmt.files import read_sealed, write_sealed, write_text

SCORES, TRANSLATIONS = "scores.json", "translations.tsv"
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
    text = "\n".join(lines) + "\n"
    write_text(directory / TRANSLATIONS, text)
    evaluated = {**details, "translations_sha256": hashlib.sha256(text.encode("utf-8")).hexdigest()}
    write_sealed(directory / SCORES, {**scores.to_dict(), "evaluated": evaluated})


def read_evaluation(directory: Path) -> tuple[dict[str, Any], list[Row]]:
    """What `write_evaluation` wrote.

    Raises:
        UserError: It is missing, not as it was written, or the two files are of different evaluations.
    """
    scores = read_sealed(directory / SCORES)
    try:
        content = (directory / TRANSLATIONS).read_bytes()
        if hashlib.sha256(content).hexdigest() != scores["evaluated"]["translations_sha256"]:
            raise UserError(f"{directory / TRANSLATIONS} is damaged, or not what {SCORES} has the scores of.")
        _, *lines = content.decode("utf-8").removesuffix("\n").split("\n")  # without the header
        cells = [line.split("\t") for line in lines]
        return scores, [Row(row[0], row[1], float(row[2]), tuple(row[3:])) for row in cells]
    except UserError:
        raise
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise UserError(f"{directory} holds no evaluation that can be read ({error!r}).") from error


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
    if scores.lc_tok:
        metrics.add_row("BLEU lc-tok", _bold(scores.lc_tok), _interval(scores.lc_tok))
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
        drawn = Text(text_bar(bucket.bleu / best if best else 0.0, _BAR_CELLS), style="blue")
        lengths.add_row(_range(bucket), _count(bucket.sentences), f"{bucket.bleu:.1f}", drawn)
    return lengths


def _signatures(scores: Scores) -> Table:
    """List the signatures; a narrow terminal folds them, it never cuts them."""
    signatures = Table.grid(padding=(0, 2))
    signatures.add_column(style="dim")
    signatures.add_column(style="dim", overflow="fold")
    named = {"BLEU": scores.bleu, "chrF": scores.chrf, "TER": scores.ter, "BLEU lc-tok": scores.lc_tok}
    for name, metric in named.items():
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
