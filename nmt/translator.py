"""Translates text with a trained model, and gives scores and attention.

Imported whenever translate.py starts, so it imports nothing heavier than PyTorch and SentencePiece.
"""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nmt.config import Config
from nmt.data.batching import pad, sorted_batches
from nmt.data.bitext import clean
from nmt.data.tokenizer import Tokenizer
from nmt.device import choose_device
from nmt.ensemble import Ensemble
from nmt.errors import UserError
from nmt.factory import constructor, refusals
from nmt.run import OpenRun, Run
from nmt.search import Hypothesis, Search
from nmt.special import EOS, EOS_PIECE
from nmt.training.checkpoint import Checkpoints
from nmt.typed import written_to
from nmt.words import merge_words

log = logging.getLogger(__name__)

MAX_SOURCE_TOKENS = 1000  # far more than training sentences have; bounds time and memory for any input
# A piece has at most 16 characters, so no token is lost; bounds the time of encoding.
_MAX_SOURCE_CHARACTERS = 32 * MAX_SOURCE_TOKENS


@dataclass(frozen=True)
class Word:
    """A word of a translation."""

    text: str
    confidence: float  # its probability, given the source and the words before it
    spread: float | None = None  # standard deviation of that probability over samples of dropout, if any were drawn


@dataclass(frozen=True, eq=False)
class Translation:
    """One translation of one sentence."""

    text: str
    score: float  # length-normalised log probability
    source_tokens: list[str]  # pieces, where ▁ starts a word, and </s>
    target_tokens: list[str]
    attention: Any  # array (target tokens, source tokens), or None for a model without attention
    source_ids: list[int]  # the same tokens as ids, with EOS
    target_ids: list[int]
    log_probs: list[float]  # of each target token

    @property
    def confidence(self) -> float:
        """Probability of a token, in the geometric mean; 1 for an empty text."""
        return min(1.0, math.exp(float(np.mean(self.log_probs)))) if self.log_probs else 1.0

    @property
    def words(self) -> list[Word]:
        """Its words, each with its probability: the product of those of its pieces."""
        return [Word(text, p[0]) for text, p in self.word_probabilities(np.array([self.log_probs]))]

    def word_probabilities(self, log_probs: np.ndarray) -> list[tuple[str, list[float]]]:
        """Words without EOS, each with its probability by every row of log probabilities (N, target tokens)."""
        pieces = self.target_tokens[:-1]
        if not pieces:
            return []
        words, sums = merge_words(pieces, log_probs[:, : len(pieces)], axis=1)  # columns are summed
        return [(word, [min(1.0, math.exp(value)) for value in sums[:, i]]) for i, word in enumerate(words)]


EMPTY = Translation("", 0.0, [], [], None, [], [], [])  # the translation of an empty text


class Translator:
    """Translates sentences; results are in the order of the input and do not depend on batches."""

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
        self.model, self.search, self.device, self.checkpoint = model, search, device, checkpoint
        self.source_tokenizer, self.target_tokenizer = source_tokenizer, target_tokenizer
        self.languages = languages

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
        first, *others = members = [cls._load_one(run, device) for run in opened]
        first.search = (search or first.search).changed(**changes)
        if not others:
            return first
        check_same_pieces(opened)
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

    def translate(self, texts: str | Sequence[str], first: int = 0) -> list[Translation]:
        """The best translation of each text; `first`, the number of the first text, seeds random samples."""
        return [found[0] for found in self._find(_sentences(texts), 1, self.search, first)]

    def nbest(self, texts: str | Sequence[str], n: int | None = None, first: int = 0) -> list[list[Translation]]:
        """Up to `n` translations of each text, best first, with their attention; by default all that are found."""
        search = self.search if n is None else self.search.for_nbest(n)
        return self._find(_sentences(texts), n, search, first)

    def _find(
        self, texts: Sequence[str], n: int | None, search: Search, first: int, every: int = 1
    ) -> list[list[Translation]]:
        """Translate texts that have the numbers first, first + every, first + 2 · every and so on."""
        encoded = [self._encode(text) for text in texts]
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
                results[i] = [self._translation(encoded[i], hypothesis) for hypothesis in hypotheses[:n]]
        return results

    def _encode(self, text: str) -> list[int]:
        text = clean(text)
        ids = self.source_tokenizer.encode(text[:_MAX_SOURCE_CHARACTERS])
        if len(ids) > MAX_SOURCE_TOKENS:
            log.warning("A sentence of %d characters is cut to its first %d tokens.", len(text), MAX_SOURCE_TOKENS)
        return [*ids[:MAX_SOURCE_TOKENS], EOS] if ids else []

    def _translation(self, source: list[int], hypothesis: Hypothesis) -> Translation:
        return Translation(
            text=clean(self.target_tokenizer.decode(hypothesis.tokens)),
            score=hypothesis.score,
            source_tokens=[*self.source_tokenizer.pieces(source[:-1]), EOS_PIECE],
            target_tokens=[*self.target_tokenizer.pieces(hypothesis.tokens), EOS_PIECE],
            attention=None if hypothesis.weights is None else hypothesis.weights.float().numpy(),  # NumPy has no bf16
            source_ids=source,
            target_ids=[*hypothesis.tokens, EOS],
            log_probs=hypothesis.log_probs,
        )


def _sentences(texts: str | Sequence[str]) -> Sequence[str]:
    """A bare string is one sentence, not a sequence of letters."""
    return [texts] if isinstance(texts, str) else texts


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
