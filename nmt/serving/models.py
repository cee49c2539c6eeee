"""The models that are served, one for each direction of translation, and their languages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from nmt import portable  # noqa: F401 - before numpy, for its number of threads
from nmt.commands import engines
from nmt.commands.engines import Loaded
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.files import read_listed
from nmt.languages import known_language
from nmt.run import Run
from nmt.serving.jobs import Packed
from nmt.translation import Engine
from nmt.unlike_training import TrainingData


class Label(NamedTuple):
    """A language as the API names it."""

    code: str  # two letters where the language has such a code
    name: str  # in English

    @classmethod
    def of(cls, text: str) -> Label:
        """The language of a code or a name; an unknown one is its own code and name."""
        language = known_language(text)
        if language is None:
            return cls(text.strip().casefold(), text.strip())
        return cls(language.short if language.short != "-" else language.code, language.names[0].capitalize())


class Model(NamedTuple):
    """One direction of translation."""

    place: Path
    languages: tuple[str, str]  # as the run names them
    source: Label
    target: Label
    tokenizers: tuple[Tokenizer, Tokenizer]
    data: TrainingData
    content: bytes  # of a portable file, empty if the run has none


class Models:
    """All models of a server, found by their languages."""

    def __init__(self, models: Sequence[Model]) -> None:
        """A UserError if two models have the same direction."""
        self.models = list(models)
        self._by_codes: dict[tuple[str, str], int] = {}
        for place, model in enumerate(self.models):
            other = self._by_codes.setdefault((model.source.code, model.target.code), place)
            if other != place:
                both = f"{self.models[other].place} and {model.place}"
                raise UserError(f"{both} both translate {model.source.name} to {model.target.name}: give one of them.")

    def find(self, source: str, target: str) -> int | None:
        """The place of the model for two codes."""
        return self._by_codes.get((source, target))

    @property
    def labels(self) -> list[Label]:
        """All languages, those with a model that translates from them first."""
        found = [model.source for model in self.models] + [model.target for model in self.models]
        return list(dict.fromkeys(found))

    def label(self, text: str) -> Label | None:
        """The served language that a code or a name means: en, eng, en-US and English do."""
        wanted = Label.of(text)
        return next((label for label in self.labels if label.code == wanted.code), None)

    def targets(self, source: Label) -> list[str]:
        """The codes of the languages that a language can be translated to; itself, which changes nothing, is one."""
        return sorted({source.code, *(each.target.code for each in self.models if each.source == source)})


def load_numpy(paths: Iterable[Path]) -> tuple[list[Model], list[Packed]]:
    """Exported files and runs: the models, and what the numpy engine needs of them."""
    models, packed = [], []
    for path in paths:
        opened = engines.open_portable(path)
        models.append(_model(path, opened, opened.known, opened.content))
        file = path if path.is_file() else Run(path).portable_file
        packed.append(Packed(file, hashlib.sha256(opened.content).digest(), opened.threshold))
    return models, packed


def load_torch(paths: Iterable[Path], device: str) -> tuple[list[Model], list[Loaded]]:
    """Runs: the models, and their PyTorch engines."""
    models, loaded = [], []
    for path in paths:
        if path.is_file():
            raise UserError(f"--engine torch needs a run directory, and {path} is an exported file.")
        one = engines.load_torch([path], device)
        file = Run(path).portable_file
        models.append(_model(path, one.engine, one.known, read_listed(file) if file.exists() else b""))
        loaded.append(one)
    return models, loaded


def _model(path: Path, engine: Engine, data: TrainingData, content: bytes) -> Model:
    source, target = engine.languages
    tokenizers = engine.source_tokenizer, engine.target_tokenizer
    return Model(path, engine.languages, Label.of(source), Label.of(target), tokenizers, data, content)
