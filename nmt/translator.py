"""A trained model as a function from text to text, with scores and attention.

Imported at the cold start of translate.py: nothing here pulls in more than PyTorch and SentencePiece.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nmt.config import Config, DecodeSettings
from nmt.data.batching import pad, sorted_batches
from nmt.data.bitext import clean
from nmt.data.tokenizer import Tokenizer
from nmt.device import choose_device
from nmt.ensemble import Ensemble
from nmt.errors import UserError
from nmt.factory import constructor
from nmt.run import Run
from nmt.search import Hypothesis, search
from nmt.special import EOS, EOS_PIECE
from nmt.training.checkpoint import Checkpoints
from nmt.typed import written_to

log = logging.getLogger(__name__)

MAX_SOURCE_TOKENS = 1000  # recurrent models have seen nothing near it; a bound keeps any input harmless
# More than so many tokens can hold, as a piece has 16 characters at most: a text of any size is encoded in no time.
_MAX_SOURCE_CHARACTERS = 32 * MAX_SOURCE_TOKENS


@dataclass(frozen=True, eq=False)
class Translation:
    """One translation of one sentence."""

    text: str
    score: float  # length-normalised log probability
    source_tokens: list[str]  # pieces, where ▁ starts a word, and </s>
    target_tokens: list[str]
    attention: Any  # array (target tokens, source tokens), or None for a model without attention
    source_ids: list[int]  # the same tokens as numbers, the ends of the sentences included
    target_ids: list[int]
    log_probs: list[float]  # of each target token


EMPTY = Translation("", 0.0, [], [], None, [], [], [])  # the translation of nothing


class Translator:
    """Translates sentences, in the order given, whatever the batches."""

    def __init__(
        self,
        model: Any,
        source_tokenizer: Tokenizer,
        target_tokenizer: Tokenizer,
        settings: DecodeSettings,
        device: torch.device,
        checkpoint: str | None = None,
    ) -> None:
        """Use a model that lies on `device` and is in evaluation mode while `translate` runs.

        `checkpoint` is the name of the one that its weights are from, where they are from one.
        """
        self.model, self.settings, self.device, self.checkpoint = model, settings, device, checkpoint
        self.source_tokenizer, self.target_tokenizer = source_tokenizer, target_tokenizer

    @classmethod
    def load(cls, run: str | Path | Run, device: str = "auto", **overrides: Any) -> Translator:
        """The best checkpoint of a finished run, or with a notice the newest intact one.

        `overrides` replace the run's decode settings.
        """
        run = Run.open(run)
        best_step = run.finished()["best_step"]
        source, target = Tokenizer.load(run.source_tokenizer), Tokenizer.load(run.target_tokenizer)
        chosen = choose_device(device)
        with written_to(run.config_file):
            model = build_model(run.config, len(source), len(target), initialise=False).to(chosen)
        checkpoint = Checkpoints(run.checkpoints, run.identity).load_best(best_step, model, chosen)
        settings = dataclasses.replace(run.config.decode, **overrides)
        return cls(model.eval(), source, target, settings, chosen, checkpoint)

    @classmethod
    def load_all(cls, runs: Sequence[Run], device: str = "auto", **overrides: Any) -> Translator:
        """One run, or an ensemble of several that share their pieces; the first tells how to search."""
        first, *others = members = [cls.load(run, device, **overrides) for run in runs]
        if not others:
            return first
        check_same_pieces(runs)
        model = Ensemble([member.model for member in members]).eval()
        checkpoints = " + ".join(str(member.checkpoint) for member in members)
        tokenizers = first.source_tokenizer, first.target_tokenizer
        return cls(model, *tokenizers, first.settings, first.device, checkpoints)

    def translate(self, texts: Sequence[str], nbest: int | None = None) -> list[list[Translation]]:
        """Up to `nbest` (or all `beam_size`) translations of each text, best first; an empty text has the empty one.

        Each has its attention with it, which takes memory: ask for no more than are needed.
        """
        encoded = [self._encode(text) for text in texts]
        results = [[EMPTY] for _ in texts]
        lengths = np.array([len(ids) for ids in encoded], dtype=np.int64)
        for batch in sorted_batches(lengths, self.settings.batch_tokens // self.settings.beam_size):
            chosen = [i for i in batch.tolist() if encoded[i]]
            for i, hypotheses in zip(chosen, self._search([encoded[i] for i in chosen]), strict=True):
                results[i] = [self._translation(encoded[i], hypothesis) for hypothesis in hypotheses[:nbest]]
        return results

    def _encode(self, text: str) -> list[int]:
        text = clean(text)
        ids = self.source_tokenizer.encode(text[:_MAX_SOURCE_CHARACTERS])
        if len(ids) > MAX_SOURCE_TOKENS:
            log.warning("A sentence of %d characters is cut to its first %d tokens.", len(text), MAX_SOURCE_TOKENS)
        return [*ids[:MAX_SOURCE_TOKENS], EOS] if ids else []

    def _search(self, sentences: list[list[int]]) -> list[list[Hypothesis]]:
        if not sentences:
            return []
        source, lengths = pad(sentences)
        return search(self.model, source.to(self.device), lengths, self.settings)

    def _translation(self, source: list[int], hypothesis: Hypothesis) -> Translation:
        return Translation(
            text=clean(self.target_tokenizer.decode(hypothesis.tokens)),
            score=hypothesis.score,
            source_tokens=[*self.source_tokenizer.pieces(source[:-1]), EOS_PIECE],
            target_tokens=[*self.target_tokenizer.pieces(hypothesis.tokens), EOS_PIECE],
            attention=None if hypothesis.weights is None else hypothesis.weights.float().numpy(),  # which knows no bf16
            source_ids=source,
            target_ids=[*hypothesis.tokens, EOS],
            log_probs=hypothesis.log_probs,
        )


def check_same_pieces(runs: Sequence[Run]) -> None:
    """Raise a UserError unless these runs, whose files have been checked, can translate as one."""

    def pieces(run: Run) -> list[bytes]:
        return [file.read_bytes() for file in (run.source_tokenizer, run.target_tokenizer)]

    for run in runs[1:]:
        if pieces(run) != pieces(runs[0]):
            raise UserError(
                f"{run.directory} cuts text into other pieces than {runs[0].directory}: an ensemble needs runs on the "
                "same prepared corpus."
            )


def build_model(config: Config, source_vocab: int, target_vocab: int, initialise: bool = True) -> Any:
    """The model that a configuration describes, with first weights unless others are about to be loaded."""
    build = constructor(config.model, "model")
    joint = config.data.joint_vocab
    try:
        return build(source_vocab=source_vocab, target_vocab=target_vocab, joint_vocab=joint, initialise=initialise)
    except UserError:
        raise
    except (TypeError, ValueError, RuntimeError) as error:  # a class that refuses what it is given
        raise UserError(f"The settings of model do not work: {error}") from error
