"""Beam search for one sentence, written from its definition; greedy search is a beam of 1.

Shapes: N hypotheses, S source tokens, V target vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from nmt.portable.ops import Array
from nmt.search_settings import NEVER, BeamSettings
from nmt.special import BOS, EOS


class Model(Protocol):
    """The interface of a model that the search uses."""

    def encode(self, source: Sequence[int]) -> tuple[Any, list[Array]]:
        """Memory and first state of a sentence."""

    def step(
        self, tokens: Sequence[int], memory: Any, state: Sequence[Array]
    ) -> tuple[Array, Array | None, list[Array]]:
        """Logits (N, V), attention weights (N, S) and the next state after these tokens."""


class Hypothesis(NamedTuple):
    """A translation, or the beginning of one."""

    tokens: tuple[int, ...] = ()  # without BOS and EOS
    log_probs: tuple[float, ...] = ()  # of each token, and of EOS at the end
    weights: tuple[Array, ...] = ()  # attention of each of these steps (S,)

    @property
    def log_prob(self) -> float:
        """The log probability of all tokens so far."""
        return sum(self.log_probs)

    def score(self, length_penalty: float) -> float:
        """The score log p / length^penalty, with EOS included in both."""
        return self.log_prob / len(self.log_probs) ** length_penalty


@dataclass(frozen=True, kw_only=True)
class Beam(BeamSettings):
    """The likeliest continuations of all hypotheses are kept; one that ends takes its place with it."""

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Beam:
        """The search of `record`, as `SearchSettings.record` gives it."""
        settings = {name: value for name, value in record.items() if name != "_target_"}
        return cls(**settings)

    def __call__(self, model: Model, source: Sequence[int]) -> list[Hypothesis]:
        """Find up to `beam_size` translations of a source that ends in EOS, best first."""
        memory, state = model.encode(source)
        longest = self.longest(len(source))
        alive, tokens = [Hypothesis()], [BOS]
        done: list[Hypothesis] = []
        while alive:
            logits, weights, state = model.step(tokens, memory, state)
            log_probs = log_softmax(logits)
            allowed = log_probs.copy()
            allowed[:, NEVER] = -np.inf
            if len(alive[0].tokens) + 1 >= longest:
                allowed[:, :EOS] = allowed[:, EOS + 1 :] = -np.inf
            totals = np.array([[hypothesis.log_prob] for hypothesis in alive], np.float32) + allowed
            going, rows, tokens = [], [], []
            for row, token in largest(totals, self.beam_size - len(done)):
                before = alive[row]
                gained = (*before.log_probs, float(log_probs[row, token]))
                looks = before.weights if weights is None else (*before.weights, weights[row])
                if token == EOS:
                    done.append(Hypothesis(before.tokens, gained, looks))
                else:
                    going.append(Hypothesis((*before.tokens, token), gained, looks))
                    rows.append(row)
                    tokens.append(token)
            alive, state = going, [part[rows] for part in state]
        return sorted(done, key=lambda hypothesis: -hypothesis.score(self.length_penalty))


def log_softmax(logits: Array) -> Array:
    """Log probabilities (N, V)."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    result: Array = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return result


def largest(totals: Array, count: int) -> list[tuple[int, int]]:
    """Rows and columns of the largest finite numbers, largest first."""
    flat = totals.ravel()
    count = min(count, len(flat))
    places = np.argpartition(-flat, count - 1)[:count]
    ordered = places[np.argsort(-flat[places], kind="stable")]
    return [divmod(int(place), totals.shape[1]) for place in ordered if np.isfinite(flat[place])]
