"""Which language a text is in: by its script, and by how few pieces each vocabulary needs for it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection
from typing import Any, NamedTuple

from nmt.data.cleaning import clean
from nmt.languages import is_written_in
from nmt.serving.models import Label, Models
from nmt.writing_systems import scripts_of

_LOOKED_AT = 1000  # characters of a text
_STRICTNESS = 0.5  # tempers the probabilities, as pieces are not independent of each other
_FOREIGN = 8.0  # nats that a letter costs in a script that the language does not have


class Side(NamedTuple):
    """The source or the target side of a model."""

    model: int
    source: bool


class Detector:
    """Compares a text with all languages of a server."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self._sides: dict[Label, Side] = {}
        for place, model in enumerate(models.models):
            self._sides.setdefault(model.source, Side(place, True))
        for place, model in enumerate(models.models):
            self._sides.setdefault(model.target, Side(place, False))

    def detect(self, text: str, among: Collection[Label] | None = None) -> list[dict[str, Any]]:
        """Languages with confidences in percent, likeliest first; of all of them, or of those given.

        A text of N pieces has the probability V^-N in a vocabulary of V pieces, which compares large with small ones.
        """
        labels = [label for label in self._sides if among is None or label in among]
        text = clean(text[:_LOOKED_AT])
        costs = [self._cost(self._sides[label], text) for label in labels]
        weights = [math.exp(_STRICTNESS * (min(costs) - cost)) for cost in costs]
        found = [
            {"confidence": round(100 * weight / sum(weights), 1), "language": label.code}
            for label, weight in zip(labels, weights, strict=True)
        ]
        return sorted(found, key=lambda each: -each["confidence"])

    def _cost(self, side: Side, text: str) -> float:
        """Nats that a text takes in a language."""
        model = self.models.models[side.model]
        tokenizer = model.tokenizers[0 if side.source else 1]
        foreign = 0
        for script, count in scripts_of(Counter(text)).items():
            known = model.data.learnt(script) if side.source else is_written_in(model.languages[1], script)
            foreign += count if known is False else 0
        return len(tokenizer.encode(text)) * math.log(len(tokenizer)) + _FOREIGN * foreign
