"""Beam search for one sentence, written from its definition; greedy search is a beam of 1.

Shapes: N hypotheses, S source tokens, V target vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from nmt.portable.ops import Array
from nmt.search_settings import NEVER, UNGUIDED, BeamSettings, Guide
from nmt.special import BOS, EOS

LEAST_CONSIDERED = 3  # continuations of each hypothesis in a tree, so that greedy search shows what it left


class Model(Protocol):
    """The interface of a model that the search uses."""

    def encode(self, source: Sequence[int]) -> tuple[Any, list[Array]]:
        """Memory and first state of a sentence."""

    def step(
        self, tokens: Sequence[int], memory: Any, state: Sequence[Array], given: Array | None = None
    ) -> tuple[Array, Array | None, list[Array]]:
        """Logits (N, V), attention weights (N, S), in place of which some may be given, and the next state."""


class Hypothesis(NamedTuple):
    """A translation, or the beginning of one."""

    tokens: tuple[int, ...] = ()  # without BOS and EOS
    log_probs: tuple[float, ...] = ()  # of each token, and of EOS at the end
    weights: tuple[Array, ...] = ()  # attention of each of these steps (S,)
    branch: int = -1  # its place in the recorded tree

    @property
    def log_prob(self) -> float:
        """The log probability of all tokens so far."""
        return sum(self.log_probs)

    def score(self, length_penalty: float) -> float:
        """The score log p / length^penalty, with EOS included in both."""
        return self.log_prob / len(self.log_probs) ** length_penalty


class Branch(NamedTuple):
    """A continuation that a search considered: one node of the tree of its hypotheses."""

    parent: int  # place of the node before it in the tree, -1 at the first step
    token: int
    log_prob: float  # of the token
    total: float  # of all tokens so far
    kept: bool  # whether the search went on with it, or it ended as a translation


@dataclass(frozen=True, kw_only=True)
class Beam(BeamSettings):
    """The likeliest continuations of all hypotheses are kept; one that ends takes its place with it."""

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Beam:
        """The search of `record`, as `SearchSettings.record` gives it."""
        settings = {name: value for name, value in record.items() if name != "_target_"}
        return cls(**settings)

    def __call__(
        self, model: Model, source: Sequence[int], guide: Guide = UNGUIDED, tree: list[Branch] | None = None
    ) -> list[Hypothesis]:
        """Find up to `beam_size` translations of a source that ends in EOS, best first.

        A given `tree` receives every continuation that was kept, and the `beam_size` likeliest of each, at least three.
        """
        memory, state = model.encode(source)
        longest = self.longest(len(source))
        alive, tokens = [Hypothesis()], [BOS]
        done: list[Hypothesis] = []
        while alive:
            step = len(alive[0].tokens)
            logits, weights, state = model.step(tokens, memory, state, guide.overrides.get(step))
            log_probs = log_softmax(logits)
            totals = np.array([[hypothesis.log_prob] for hypothesis in alive], np.float32) + log_probs
            totals[:, NEVER] = -np.inf
            allowed = totals.copy()
            if step < len(guide.prefix):
                _allow_only(guide.prefix[step], allowed)
            elif step + 1 >= longest:
                _allow_only(EOS, allowed)
            chosen = largest(allowed, self.beam_size - len(done))
            places = {} if tree is None else self._record(tree, alive, chosen, totals, log_probs)
            going, rows, tokens = [], [], []
            for row, token in chosen:
                before, branch = alive[row], places.get((row, token), -1)
                gained = (*before.log_probs, float(log_probs[row, token]))
                looks = before.weights if weights is None else (*before.weights, weights[row])
                if token == EOS:
                    done.append(Hypothesis(before.tokens, gained, looks, branch))
                else:
                    going.append(Hypothesis((*before.tokens, token), gained, looks, branch))
                    rows.append(row)
                    tokens.append(token)
            alive, state = going, [part[rows] for part in state]
        return sorted(done, key=lambda hypothesis: -hypothesis.score(self.length_penalty))

    def _record(
        self,
        tree: list[Branch],
        alive: Sequence[Hypothesis],
        chosen: Sequence[tuple[int, int]],
        totals: Array,
        log_probs: Array,
    ) -> dict[tuple[int, int], int]:
        """Add the continuations of one step to a tree; returns the places of those chosen, by row and token."""
        places = {}
        for row, before in enumerate(alive):
            likeliest = [token for _, token in largest(totals[row : row + 1], max(self.beam_size, LEAST_CONSIDERED))]
            kept = [token for parent, token in chosen if parent == row]
            for token in dict.fromkeys([*likeliest, *kept]):
                if token in kept:
                    places[row, token] = len(tree)
                numbers = float(log_probs[row, token]), float(totals[row, token])
                tree.append(Branch(before.branch, token, *numbers, token in kept))
        return places


def _allow_only(token: int, totals: Array) -> None:
    """Set all other columns of (N, V) to −∞."""
    totals[:, :token] = totals[:, token + 1 :] = -np.inf


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
