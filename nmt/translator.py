"""Translates text with a trained model in PyTorch: in batches, on a GPU, by any search method, and with ensembles.

Imported by translate.py, so it imports nothing heavier than PyTorch and SentencePiece.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nmt.config import Config
from nmt.data.batching import pad, sorted_batches
from nmt.data.tokenizer import Tokenizer
from nmt.device import choose_device
from nmt.ensemble import Ensemble
from nmt.errors import UserError
from nmt.factory import constructor, refusals
from nmt.portable.translator import PortableTranslator
from nmt.run import OpenRun, Run
from nmt.search import Hypothesis, Search
from nmt.training.checkpoint import Checkpoints
from nmt.translation import EMPTY, Engine, Inspection, Overrides, Prefix, Translation
from nmt.typed import written_to


class Translator(Engine):
    """Translates in batches with PyTorch; results do not depend on the batches."""

    def __init__(
        self,
        model: Any,
        source_tokenizer: Tokenizer,
        target_tokenizer: Tokenizer,
        search: Search,
        device: torch.device,
        checkpoint: str | None = None,
        languages: tuple[str, str] = ("source", "target"),
    ) -> None:
        """Use a model on `device`, in evaluation mode; `checkpoint` names the one that was loaded, if any."""
        super().__init__(source_tokenizer, target_tokenizer, search, checkpoint, languages)
        self.model, self.device = model, device
        self._portable: tuple[list[tuple[int, int]], PortableTranslator] | None = None  # with versions of its weights

    @classmethod
    def load(
        cls,
        runs: Run | str | Path | Sequence[Run | str | Path],
        device: str = "auto",
        search: Search | None = None,
        **changes: Any,
    ) -> Translator:
        """Load the best checkpoint of a finished run, or an ensemble of several; `nmt.load` explains the arguments."""
        paths = [runs] if isinstance(runs, (Run, str, Path)) else list(runs)
        opened = [Run.open(run) for run in paths]
        check_same_pieces(opened)
        first, *others = members = [cls._load_one(run, device) for run in opened]
        first.search = (search or first.search).changed(**changes)
        if not others:
            return first
        model = Ensemble([member.model for member in members]).eval()
        checkpoints = " + ".join(str(member.checkpoint) for member in members)
        tokenizers = first.source_tokenizer, first.target_tokenizer
        return cls(model, *tokenizers, first.search, first.device, checkpoints, first.languages)

    @classmethod
    def _load_one(cls, run: OpenRun, device: str) -> Translator:
        """The best checkpoint of a run, or the newest intact one, with a warning."""
        best_step = run.finished()["best_step"]
        source, target = Tokenizer.load(run.source_tokenizer), Tokenizer.load(run.target_tokenizer)
        chosen = choose_device(device)
        with written_to(run.config_file):
            search = build_search(run.config)
            model = build_model(run.config, len(source), len(target), initialise=False).to(chosen)
        checkpoint = Checkpoints(run.checkpoints, run.identity).load_best(best_step, model)
        direction = run.config.data.direction()
        return cls(model.eval(), source, target, search, chosen, checkpoint, (direction.source, direction.target))

    def _find(
        self, texts: Sequence[str], n: int | None, search: Search, first: int, every: int = 1
    ) -> list[list[Translation]]:
        """Translate texts that have the numbers first, first + every, first + 2 · every and so on."""
        encoded = [self.source_ids(text) for text in texts]
        results = [[EMPTY] for _ in texts]
        lengths = np.array([len(ids) for ids in encoded], dtype=np.int64)
        for batch in sorted_batches(lengths, search.batch_tokens // search.width):
            chosen = [i for i in batch.tolist() if encoded[i]]
            if not chosen:
                continue
            source, source_lengths = pad([encoded[i] for i in chosen])
            numbers = [first + every * i for i in chosen]
            found = search(self.model, source.to(self.device), source_lengths, numbers)
            for i, hypotheses in zip(chosen, found, strict=True):
                results[i] = [self._from_hypothesis(encoded[i], hypothesis) for hypothesis in hypotheses[:n]]
        return results

    def _from_hypothesis(self, source: list[int], hypothesis: Hypothesis) -> Translation:
        tokens, score, weights, log_probs = hypothesis
        attention = None if weights is None else weights.float().cpu().numpy()  # NumPy has no bf16
        return self._translation(source, tokens, score, attention, log_probs)

    def guided(self, text: str, prefix: Prefix = (), overrides: Overrides | None = None) -> list[Translation]:
        return self._in_numpy().guided(text, prefix, overrides)

    def inspect(self, source: Sequence[int], target: Sequence[int], overrides: Overrides | None = None) -> Inspection:
        return self._in_numpy().inspect(source, target, overrides)

    def formulas(self) -> dict[str, dict[str, str]]:
        return self._in_numpy().formulas()

    def _in_numpy(self) -> PortableTranslator:
        """The same model and search in numpy, which can look inside; made again when the weights have changed."""
        from nmt.portable.export import beam_of, in_numpy

        versions = [(each.data_ptr(), each._version) for each in self.model.parameters()]
        if self._portable is None or self._portable[0] != versions:
            self._portable = versions, in_numpy(self)
        portable = self._portable[1]
        portable.search = beam_of(self.search)
        return portable


def check_same_pieces(runs: Sequence[Run]) -> None:
    """Raise a UserError unless these runs have the same tokenizers."""
    pieces = [[file.read_bytes() for file in (run.source_tokenizer, run.target_tokenizer)] for run in runs]
    for run, others in zip(runs, pieces, strict=True):
        if others != pieces[0]:
            advice = "an ensemble needs runs on the same prepared corpus"
            raise UserError(f"{run.directory} cuts text into other pieces than {runs[0].directory}: {advice}.")


def build_model(config: Config, source_vocab: int, target_vocab: int, initialise: bool = True) -> Any:
    """Build the model of a configuration; `initialise=False` leaves the weights to be loaded."""
    build = functools.partial(constructor(config.model, "model"), joint_vocab=config.data.joint_vocab)
    with refusals(config.model, "model"):
        return build(source_vocab=source_vocab, target_vocab=target_vocab, initialise=initialise)


def build_search(config: Config) -> Search:
    """Build the search method of a configuration."""
    with refusals(config.decode, "decode"):
        return constructor(config.decode, "decode")()
