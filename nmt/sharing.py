"""Translation by several ranks: each translates its share of the sentences, and all-gathers the result."""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from nmt.ranks import Ranks
from nmt.search import Search
from nmt.translation import Translation
from nmt.translator import Translator

_TEXT = "text"  # key of everything but the attention in a message


class SharedTranslator(Translator):
    """A translator that all ranks must call with the same texts."""

    def __init__(self, ranks: Ranks, *arguments: Any, **options: Any) -> None:
        """Share the work of a `Translator` with these arguments."""
        super().__init__(*arguments, **options)
        self.ranks = ranks

    def _find(
        self, texts: Sequence[str], n: int | None, search: Search, first: int, every: int = 1
    ) -> list[list[Translation]]:
        rank, size = self.ranks.rank, self.ranks.size
        found = super()._find(self.ranks.share(texts), n, search, first + every * rank, every * size)
        if self.ranks.size == 1:
            return found
        merged: list[list[Translation]] = [[] for _ in texts]
        for rank, message in enumerate(self.ranks.all_gather_bytes(to_message(found))):
            merged[rank :: self.ranks.size] = from_message(message)
        return merged


def to_message(found: Sequence[Sequence[Translation]]) -> bytes:
    """Serialise translations: attention as arrays, the rest as JSON."""
    arrays: dict[str, np.ndarray] = {}
    rows = []
    for i, candidates in enumerate(found):
        for j, translation in enumerate(candidates):
            if translation.attention is not None:
                arrays[f"{i}.{j}"] = np.ascontiguousarray(translation.attention)
        rows.append([dataclasses.asdict(dataclasses.replace(each, attention=None)) for each in candidates])
    arrays[_TEXT] = np.frombuffer(json.dumps(rows).encode(), dtype=np.uint8)
    return save(arrays)


def from_message(message: bytes) -> list[list[Translation]]:
    """The inverse of `to_message`."""
    arrays = load(message)
    rows = json.loads(arrays[_TEXT].tobytes())
    return [
        [Translation(**each | {"attention": arrays.get(f"{i}.{j}")}) for j, each in enumerate(candidates)]
        for i, candidates in enumerate(rows)
    ]
