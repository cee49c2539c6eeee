"""The rows of the sentence table (nmt/web/report/table.js), with attention as bytes."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from nmt.evaluation.report.coverage import WordAttention
from nmt.translation import Translation


def sentence_row(
    translation: Translation,
    source: str,
    references: Sequence[str],
    nearest: int,
    chrf: float,
    length: int,
    signs: Sequence[str],
    attention: WordAttention | None,
) -> dict[str, Any]:
    """One sentence; `nearest` is the reference to compare with, `length` that of the source."""
    row: dict[str, Any] = {
        "source": source,
        "references": list(references),
        "nearest": nearest,
        "translation": translation.text,
        "chrf": round(chrf, 1),
        "confidence": round(translation.confidence, 3),
        "length": int(length),
    }
    if signs:
        row["signs"] = list(signs)
    if attention is not None:
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
