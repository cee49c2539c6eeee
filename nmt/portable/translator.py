"""Translates with a portable model in numpy: no PyTorch to import, so it starts in a fraction of a second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nmt.data.tokenizer import Tokenizer
from nmt.portable import file
from nmt.portable.beam import Beam, Hypothesis, log_softmax
from nmt.portable.model import PortableModel
from nmt.search_settings import UNGUIDED, Guide
from nmt.special import BOS, EOS
from nmt.translation import EMPTY, Engine, InspectedStep, Inspection, Overrides, Prefix, Translation
from nmt.unlike_training import TrainingData

SOURCE, TARGET = "tokenizer.source", "tokenizer.target"  # tensors with SentencePiece models


class PortableTranslator(Engine):
    """Translates one sentence after the other.

    Attributes:
        known: Scripts and lengths of the training data.
        threshold: Confidence at or below which a translation is a guess, if one is known.
        identity: Of the run that the model comes from.
        scores: Of the model on its test set, such as bleu.
        card: What to know about the model, by headings.
        content: The bytes of the file, if there was one; weights in fp32 are views of them.
    """

    search: Beam
    content: bytes = b""

    def __init__(self, tensors: Mapping[str, np.ndarray], record: Mapping[str, Any]) -> None:
        """Use the tensors and the record of a file; one of `file.MALFORMED` if they do not make a model."""
        source = Tokenizer(tensors[SOURCE].tobytes())
        target = Tokenizer(tensors[TARGET].tobytes()) if TARGET in tensors else source
        source_language, target_language = map(str, record["languages"])
        search = Beam.from_record(record["decode"])
        super().__init__(source, target, search, record["checkpoint"], (source_language, target_language))
        self.known = TrainingData.from_record(record)
        self.threshold = None if record["guessing"] is None else float(record["guessing"])
        self.identity, self.scores = str(record["identity"]), dict(record["scores"])
        self.card = {str(heading): str(text) for heading, text in record["card"].items()}
        self._formulas = {
            str(role): {name: str(part[name]) for name in ("name", "equation", "text")}
            for role, part in record["formulas"].items()
        }
        self.model = PortableModel(record["graphs"], tensors)
        memory, state = self.model.encode([EOS])  # try it, so that graphs that do not fit are found before use
        first = self.model.step([BOS], memory, state)
        if first.logits.shape != (1, len(target)):
            raise ValueError("a vocabulary of another size than the model's")
        self._heads = first.marks["weights"].size if "weights" in first.marks else None  # of one source token

    @classmethod
    def load(cls, path: Path) -> PortableTranslator:
        """Read a file; a UserError if it is damaged or something else."""
        return cls.from_content(file.content_of(path), path)

    @classmethod
    def from_content(cls, content: bytes, path: Path) -> PortableTranslator:
        """The same for the content of the file at `path`."""
        tensors, record = file.read_content(content, path)
        try:
            made = cls(tensors, record)
        except (*file.MALFORMED, RuntimeError) as error:  # RuntimeError: SentencePiece's
            raise file.malformed(path, error) from error
        made.content = content
        return made

    def _find(self, texts: Sequence[str], n: int | None, search: Beam, first: int) -> list[list[Translation]]:
        return [self._translations(self.source_ids(text), search, UNGUIDED)[:n] for text in texts]

    def _translations(self, source: list[int], search: Beam, guide: Guide) -> list[Translation]:
        if not source:
            return [EMPTY]
        return [self._from_hypothesis(source, found, search) for found in search(self.model, source, guide)]

    def _from_hypothesis(self, source: list[int], found: Hypothesis, search: Beam) -> Translation:
        attention = np.stack(found.weights) if found.weights else None
        score = found.score(search.length_penalty)
        return self._translation(source, list(found.tokens), score, attention, list(found.log_probs))

    def guided(self, text: str, prefix: Prefix = (), overrides: Overrides | None = None) -> list[Translation]:
        source = self.source_ids(text)
        tokens = self.target_tokenizer.encode(prefix) if isinstance(prefix, str) else prefix
        return self._translations(source, self.search, self._guide(tokens, overrides, source) if source else UNGUIDED)

    def inspect(self, source: Sequence[int], target: Sequence[int], overrides: Overrides | None = None) -> Inspection:
        guide = self._guide(target, overrides, source)
        memory, state = self.model.encode(source)
        steps = []
        for step, token in enumerate([BOS, *target][: len(target)]):
            logits, weights, state, marks = self.model.step([token], memory, state, guide.overrides.get(step))
            of_first = {name: value[0] for name, value in marks.items()}
            steps.append(InspectedStep(log_softmax(logits)[0], None if weights is None else weights[0], of_first))
        return Inspection(memory.marks, steps)

    def _guide(self, prefix: Sequence[int], overrides: Overrides | None, source: Sequence[int]) -> Guide:
        return Guide.of(prefix, overrides, len(source), len(self.target_tokenizer), self._heads)

    def formulas(self) -> dict[str, dict[str, str]]:
        return self._formulas
