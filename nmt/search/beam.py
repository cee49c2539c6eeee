"""Greedy and beam search.

Shapes: B sentences, K beam size, N hypotheses alive (N ≤ B·K), V vocabulary.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from nmt.search.base import Alive, Choice, Search
from nmt.search_settings import NEVER, BeamSettings
from nmt.special import EOS

_GROUP = 64  # tokens whose best is found together


@dataclass(frozen=True, kw_only=True)
class Greedy(Search):
    """The likeliest token at every step."""

    def choose(self, alive: Alive) -> Choice:
        log_probs, tokens = _continuations(alive.logits, alive.must_end, 1)
        rows = torch.arange(len(tokens), device=tokens.device)
        return Choice(rows, tokens.squeeze(1), alive.scores + log_probs.squeeze(1))

    def changed(self, **changes: Any) -> Search:
        """As for any method; with a beam size it becomes a beam search."""
        return self.converted(Beam, **changes) if "beam_size" in changes else super().changed(**changes)


@dataclass(frozen=True, kw_only=True)
class Beam(BeamSettings, Search):
    """The K likeliest hypotheses of a sentence are continued side by side (Sutskever 2014).

    A hypothesis that ends takes its place in the beam with it, so a sentence is done when K have ended.
    """

    def choose(self, alive: Alive) -> Choice:
        log_probs, tokens = _continuations(alive.logits, alive.must_end, self.beam_size)
        return _best(alive.scores.unsqueeze(1) + log_probs, tokens, alive.sentence, alive.room, self.beam_size)


def _continuations(logits: Tensor, must_end: Tensor, beam: int) -> tuple[Tensor, Tensor]:
    """The K best tokens after each hypothesis and their log probabilities, both (N, K).

    A row can win at most K places in the beam, so K tokens are enough. Where `must_end` (N,), only EOS may follow.
    """
    logits = logits.float()  # overwritten below, to save passes over the largest tensor
    never, end = logits[:, NEVER], logits[:, EOS : EOS + 1].clone()
    logits[:, NEVER] = float("-inf")
    values, tokens = _top(logits, min(beam, logits.size(1)))
    largest = torch.maximum(values[:, :1], never.amax(dim=1, keepdim=True))
    z = logits.sub_(largest).exp_().sum(dim=1, keepdim=True) + (never - largest).exp().sum(dim=1, keepdim=True)
    first, must_end = torch.arange(values.size(1), device=values.device) == 0, must_end.unsqueeze(1)
    values = torch.where(must_end, torch.where(first, end, float("-inf")), values)
    return values - largest - z.log(), torch.where(must_end & first, EOS, tokens)


def _top(values: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """`values.topk(k)` (N, k), several times faster: the k best lie in the k groups with the largest maxima.

    Maxima take one pass of plain comparisons over all values; topk then sees k groups only.
    """
    groups = values.size(1) // _GROUP
    if groups <= k:
        return values.topk(k, dim=1)
    maxima = values[:, : groups * _GROUP].unflatten(1, (groups, _GROUP)).amax(dim=-1)
    best = maxima.topk(k, dim=1).indices.unsqueeze(-1)  # (N, k, 1)
    inside = torch.arange(_GROUP, device=values.device)
    rest = torch.arange(groups * _GROUP, values.size(1), device=values.device).expand(len(values), -1)
    places = torch.cat([(best * _GROUP + inside).flatten(1), rest], dim=1)
    top, order = values.gather(1, places).topk(k, dim=1)
    return top, places.gather(1, order)


def _best(values: Tensor, tokens: Tensor, sentence: Tensor, room: Tensor, beam: int) -> Choice:
    """The best continuations of each sentence, at most `room` (B,) of them.

    `values` (N, K) are the scores of the best `tokens` (N, K) after every hypothesis; `sentence` (N,) is ascending.
    """
    width = values.size(1)
    present, group, counts = sentence.unique_consecutive(return_inverse=True, return_counts=True)
    first = counts.cumsum(0) - counts  # (G,) first row of each sentence that is left
    rank = torch.arange(len(sentence), device=sentence.device) - first[group]  # place of a row in its sentence
    grid = values.new_full((len(present), beam, width), float("-inf"))
    grid[group, rank] = values
    best, place = grid.flatten(1).topk(min(beam, beam * width), dim=1)  # (G, beam)
    order = torch.arange(best.size(1), device=best.device)
    chosen = (order < room[present].unsqueeze(1)) & best.isfinite()
    rows = (first.unsqueeze(1) + place // width)[chosen]
    return Choice(rows, tokens[rows, (place % width)[chosen]], best[chosen])
