"""Translations, and what all engines share on the way from text to text; imports no PyTorch."""

from __future__ import annotations

import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from nmt.data.cleaning import clean
from nmt.data.tokenizer import Tokenizer
from nmt.special import EOS, EOS_PIECE
from nmt.words import merge_words

log = logging.getLogger(__name__)

MAX_SOURCE_TOKENS = 1000  # far more than training sentences have; bounds time and memory for any input
# A piece has at most 16 characters, so no token is lost; bounds the time of encoding.
_MAX_SOURCE_CHARACTERS = 32 * MAX_SOURCE_TOKENS

Prefix: TypeAlias = "str | Sequence[int]"  # text or token ids that a translation begins with
Overrides: TypeAlias = "Mapping[int, Any]"  # attention weights by step (0 for the first token)


@dataclass(frozen=True)
class Word:
    """A word of a translation."""

    text: str
    confidence: float  # its probability, given the source and the words before it


class WordAttention(NamedTuple):
    """The attention of a translation by words, EOS included on both sides."""

    source: list[str]
    target: list[str]
    weights: np.ndarray  # (target words, source words)


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

    def is_guess(self, threshold: float | None) -> bool | None:
        """Whether its confidence is at or below a threshold; None without one."""
        return None if threshold is None else bool(self.target_ids) and self.confidence <= threshold

    @property
    def words(self) -> list[Word]:
        """Its words, each with its probability: the product of those of its pieces."""
        pieces = self.target_tokens[:-1]  # without EOS
        if not pieces:
            return []
        words, sums = merge_words(pieces, np.array([self.log_probs[: len(pieces)]]), axis=1)  # columns are summed
        return [Word(word, min(1.0, math.exp(value))) for word, value in zip(words, sums[0], strict=True)]

    @property
    def word_attention(self) -> WordAttention | None:
        """Its attention with pieces merged to words; None without attention or words."""
        if self.attention is None or not self.target_tokens:
            return None
        source, weights = merge_words(self.source_tokens, np.asarray(self.attention, dtype=float), axis=1)
        target, weights = merge_words(self.target_tokens, weights, axis=0)
        return WordAttention(source, target, weights)


EMPTY = Translation("", 0.0, [], [], None, [], [], [])  # the translation of an empty text


class InspectedStep(NamedTuple):
    """What the model computed at one step of a given translation."""

    log_probs: np.ndarray  # (V,) of every token that could come next
    weights: np.ndarray | None  # (S,) attention, None without
    marks: dict[str, np.ndarray]  # intermediate values by name: query, energies, weights, context …


class Inspection(NamedTuple):
    """What the model computed while a translation was decoded again."""

    source: dict[str, np.ndarray]  # of the source tokens: states (S, H) and values
    steps: list[InspectedStep]


class Engine(ABC):
    """Translates sentences; results are in the order of the input.

    Attributes:
        search: The search method and its settings.
        checkpoint: Name of the checkpoint that was loaded, if any.
        languages: Source and target language.
    """

    def __init__(
        self,
        source_tokenizer: Tokenizer,
        target_tokenizer: Tokenizer,
        search: Any,  # SearchSettings, of a method that the engine can run
        checkpoint: str | None = None,
        languages: tuple[str, str] = ("source", "target"),
    ) -> None:
        self.source_tokenizer, self.target_tokenizer = source_tokenizer, target_tokenizer
        self.search, self.checkpoint, self.languages = search, checkpoint, languages

    def translate(self, texts: str | Sequence[str], first: int = 0) -> list[Translation]:
        """The best translation of each text; `first`, the number of the first text, seeds random samples."""
        return [found[0] for found in self._find(_sentences(texts), 1, self.search, first)]

    def nbest(self, texts: str | Sequence[str], n: int | None = None, first: int = 0) -> list[list[Translation]]:
        """Up to `n` translations of each text, best first, with their attention; by default all that are found."""
        search = self.search if n is None else self.search.for_nbest(n)
        return self._find(_sentences(texts), n, search, first)

    @abstractmethod
    def _find(self, texts: Sequence[str], n: int | None, search: Any, first: int) -> list[list[Translation]]:
        """Up to `n` translations of each text; `first` is the number of the first."""

    @abstractmethod
    def guided(self, text: str, prefix: Prefix = (), overrides: Overrides | None = None) -> list[Translation]:
        """Translate a text by beam search, best first, with a given beginning and other attention than the model's own.

        Every translation begins with `prefix`, text or token ids. `overrides` are weights over the source tokens by
        step (0 for the first token): a row for all heads, or one for each.
        """

    @abstractmethod
    def inspect(self, source: Sequence[int], target: Sequence[int], overrides: Overrides | None = None) -> Inspection:
        """Decode a translation again and keep what the model computed at each step, one for every target token.

        Source and target are token ids with EOS, such as `source_ids` and `target_ids` of a translation; a target
        without EOS is the beginning of one. `overrides` are as in `guided`.
        """

    @abstractmethod
    def formulas(self) -> dict[str, dict[str, str]]:
        """Of score, alignment, context and wiring: class, equation and docstring (`nmt.model.formulas`)."""

    def source_ids(self, text: str) -> list[int]:
        """Source ids with EOS, cut to the longest input; empty for an empty text."""
        text = clean(text)
        ids = self.source_tokenizer.encode(text[:_MAX_SOURCE_CHARACTERS])
        if len(ids) > MAX_SOURCE_TOKENS:
            log.warning("A sentence of %d characters is cut to its first %d tokens.", len(text), MAX_SOURCE_TOKENS)
        return [*ids[:MAX_SOURCE_TOKENS], EOS] if ids else []

    def _translation(
        self, source: list[int], tokens: list[int], score: float, attention: np.ndarray | None, log_probs: list[float]
    ) -> Translation:
        """A translation from a hypothesis: `tokens` without EOS; attention and log probabilities with it."""
        return Translation(
            text=clean(self.target_tokenizer.decode(tokens)),
            score=score,
            source_tokens=[*self.source_tokenizer.pieces(source[:-1]), EOS_PIECE],
            target_tokens=[*self.target_tokenizer.pieces(tokens), EOS_PIECE],
            attention=attention,
            source_ids=source,
            target_ids=[*tokens, EOS],
            log_probs=log_probs,
        )


def _sentences(texts: str | Sequence[str]) -> Sequence[str]:
    """A bare string is one sentence, not a sequence of letters."""
    return [texts] if isinstance(texts, str) else texts
