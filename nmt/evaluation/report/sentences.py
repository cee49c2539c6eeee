"""The rows of the sentence table (nmt/web/report/table.js), with attention as bytes."""

import base64
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nmt.evaluation.report.matching import bags_of, nearest_reference
from nmt.evaluation.report.signs import trouble
from nmt.evaluation.report.words import bleu_tokens
from nmt.evaluation.score_report import read_evaluation
from nmt.evaluation.scores import source_lengths
from nmt.metrics import sentence_chrf
from nmt.translation import Translation


def sentence_row(
    translation: Translation,
    source: str,
    references: Sequence[str],
    nearest: int,
    chrf: float,
    length: int,
    signs: Sequence[str],
) -> dict[str, Any]:
    """One sentence; `nearest` is the reference to compare with, `length` that of the source."""
    row: dict[str, Any] = {
        "source": source,
        "references": list(references),
        "nearest": nearest,
        "translation": translation.text,
        "chrf": round(chrf, 4),
        "confidence": round(translation.confidence, 6),
        "length": int(length),
    }
    if signs:
        row["signs"] = list(signs)
    if attention := translation.word_attention:
        sure = [round(word.confidence, 2) for word in translation.words]
        row["attention"] = {
            "source": attention.source,
            "target": attention.target,
            "weights": as_bytes(attention.weights),
            "sure": sure,
        }
    return row


def as_bytes(weights: np.ndarray) -> str:
    """Weights from 0 to 1 as one byte each, row by row, in base64; no more than 1/510 is lost."""
    return base64.b64encode(np.round(np.clip(weights, 0, 1) * 255).astype(np.uint8).tobytes()).decode()


def recorded_rows(directory: Path) -> list[dict[str, Any]]:
    """The rows of an evaluation on disk, without attention; a UserError if there is none."""
    scores, found = read_evaluation(directory)
    cut = bleu_tokens(scores["tokenizer"])
    chrfs = sentence_chrf([row.hypothesis for row in found], [row.references for row in found])
    _, lengths = source_lengths([row.source for row in found])
    averaged = scores["evaluated"].get("decode", {}).get("length_penalty") == 1  # else it is no mean over tokens
    rows = []
    for row, chrf, length in zip(found, chrfs, lengths, strict=True):
        (words,) = bags_of(cut, [row.hypothesis])
        nearest = nearest_reference(words, bags_of(cut, row.references))
        signs = trouble(row.source, row.hypothesis, row.references, row.references[nearest])
        rows.append(
            {
                "source": row.source,
                "references": list(row.references),
                "nearest": nearest,
                "translation": row.hypothesis,
                "chrf": round(chrf, 4),
                **({"confidence": round(math.exp(row.score), 6)} if averaged else {}),
                "length": int(length),
                **({"signs": signs} if signs else {}),
            }
        )
    return rows
