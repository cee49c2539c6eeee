"""What tests of reports and of comparisons share: the data in a page, and made-up translations."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from nmt.data.heldout import HeldOut
from nmt.evaluation.evaluate import Evaluation
from nmt.evaluation.scores import score
from nmt.special import EOS_PIECE
from nmt.translation import EMPTY, Translation

DETAILS = {"run": "x", "examples": "test.tsv", "split_hash": "y", "checkpoint": "step-1", "decode": {"beam_size": 5}}


def content(page: Path) -> dict[str, Any]:
    """The data in a page."""
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(encoding="utf-8"))
    assert match
    found: dict[str, Any] = json.loads(match[1])
    return found


def figures(data: dict[str, Any]) -> dict[str, Any]:
    return {figure["id"]: figure for section in data["sections"] for figure in section["figures"]}


def translated(text: str, source: str, confidence: float = 0.9) -> Translation:
    """A translation whose words are single pieces, with attention on the diagonal."""
    given, said = ([*(f"▁{word}" for word in each.split()), EOS_PIECE] for each in (source, text))
    return replace(
        EMPTY,
        text=text,
        source_tokens=given,
        target_tokens=said,
        attention=np.eye(len(said), len(given)),
        target_ids=[9] * len(said),
        log_probs=[float(np.log(confidence))] * len(said),
    )


def evaluation(triples: list[tuple[str, str, list[str]]]) -> Evaluation:
    """The evaluation of made-up translations: source, translation, references."""
    examples = [HeldOut(source, tuple(group)) for source, _, group in triples]
    texts = [text for _, text, _ in triples]
    groups, sources = [each.references for each in examples], [each.source for each in examples]
    scores = score(texts, groups, sources, metrics=["bleu"], bootstrap=0)
    return Evaluation(scores, [translated(text, source) for source, text, _ in triples], examples)


SMALL = [
    ("I see Tom .", "je vois Tom .", ["je vois Tom ."]),
    ("I see 12 cats .", "je vois des chats .", ["je vois 12 chats .", "je regarde 12 chats ."]),
    ("we hear a dog", "nous nous nous", ["nous entendons un chien"]),
]
