"""The explorer as one HTML page: models of one or several runs, examples, and the code."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from nmt.portable.file import unpack
from nmt.web.assemble import assembled, embedded, language

PARTS = ("explorer", "picture", "transport", "step", "beam", "whatif", "compare", "tour", "contrast")
STYLES = ("report/sentences.css", *(f"explorer/{part}.css" for part in PARTS))


@dataclass(frozen=True)
class Snapshot:
    """A model at one moment of its training."""

    label: str
    model: bytes  # a portable file


@dataclass(frozen=True)
class ExploredRun:
    """A run in the page."""

    label: str
    models: Sequence[Snapshot]  # in the order of training
    own: int = -1  # which of them is the run's own, the best in validation
    sentences: Sequence[dict[str, Any]] = ()  # its test set: rows of the sentence table (nmt/web/report/table.js)


def explorer_page(runs: Sequence[ExploredRun], examples: Sequence[str], tour: bool = False) -> str:
    """A page that explores these runs, offline and on its own; all translate between the same languages.

    `tour` offers the guided tour, which is about the demo corpus.
    """
    _, record = unpack(runs[0].models[-1].model)
    (source, source_lang), (target, target_lang) = map(language, record["languages"])
    about: dict[str, Any] = {"runs": [], "examples": list(examples), "tour": tour}
    models = []
    for number, run in enumerate(runs):
        listed = []
        for place, snapshot in enumerate(run.models):
            name = f"{number}.{place}"
            content = base64.b64encode(snapshot.model).decode()
            models.append(f'<script type="text/plain" data-model="{name}">{content}</script>')
            listed.append({"name": name, "label": snapshot.label})
        own = run.own % len(listed)
        about["runs"].append({"label": run.label, "models": listed, "own": own, "sentences": list(run.sentences)})
    slots = {
        "title": escape(f"Attention: {source} → {target}"),
        "source_name": escape(source),
        "target_name": escape(target),
        "source_lang": escape(source_lang),
        "target_lang": escape(target_lang),
        "about": embedded(about),
        "models": "\n".join(models),
    }
    return assembled("explorer/explorer.html", STYLES, "explorer/explorer", slots, worker="explorer/worker")
