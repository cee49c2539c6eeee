"""Beam search for one sentence, written from its definition; greedy search is a beam of 1.

Shapes: N hypotheses, S source tokens, V target vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nmt.portable.model import PortableModel
from nmt.portable.ops import Array
from nmt.search_settings import NEVER, UNGUIDED, BeamSettings, Guide
from nmt.special import BOS, EOS


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

    def __call__(self, model: PortableModel, source: Sequence[int], guide: Guide = UNGUIDED) -> list[Hypothesis]:
        """Find up to `beam_size` translations of a source that ends in EOS, best first."""
        memory, state = model.encode(source)
        longest = self.longest(len(source))
        alive, tokens = [Hypothesis()], [BOS]
        done: list[Hypothesis] = []
        while alive:
            step = len(alive[0].tokens)
            logits, weights, state, _ = model.step(tokens, memory, state, guide.overrides.get(step))
            log_probs = log_softmax(logits)
            totals = np.array([[hypothesis.log_prob] for hypothesis in alive], np.float32) + log_probs
            totals[:, NEVER] = -np.inf
            if step < len(guide.prefix):
                _allow_only(guide.prefix[step], totals)
            elif step + 1 >= longest:
                _allow_only(EOS, totals)
            chosen = largest(totals, self.beam_size - len(done))
            going, rows, tokens = [], [], []
            for row, token in chosen:
                before = alive[row]
                gained = (*before.log_probs, float(log_probs[row, token]))
                attended = before.weights if weights is None else (*before.weights, weights[row])
                if token == EOS:
                    done.append(Hypothesis(before.tokens, gained, attended))
                else:
                    going.append(Hypothesis((*before.tokens, token), gained, attended))
                    rows.append(row)
                    tokens.append(token)
            alive, state = going, [part[rows] for part in state]
        return sorted(done, key=lambda hypothesis: -hypothesis.score(self.length_penalty))


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
