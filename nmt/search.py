"""Greedy and beam search over any model with `encode` and `step`, attention kept through the beam.

Shapes: B sentences, K beam size, N hypotheses alive (N ≤ B·K), S source length, V vocabulary.
Only hypotheses that are still alive are computed: one that ends leaves the batch at once, and a sentence whose K
hypotheses have all ended costs nothing more. Greedy search is a beam of one.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from nmt.config import DecodeSettings
from nmt.special import BOS, EOS, PAD, UNK

_GROUP = 64  # tokens whose best is found together
NEVER = [PAD, BOS, UNK]  # no hypothesis contains these; byte fallback makes UNK needless


class Model(Protocol):
    """All that a search knows of a model."""

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Any, Any]:
        """Memory and first state of source tokens (B, S): nested tuples of tensors, batch first."""

    def step(self, tokens: Tensor, memory: Any, state: Any) -> tuple[Tensor, Tensor | None, Any]:
        """Logits (N, V), to be overwritten, attention weights (N, S) and the next state after the tokens (N,)."""


class Hypothesis(NamedTuple):
    """One translation of one sentence."""

    tokens: list[int]  # without BOS and EOS
    score: float  # log p / length^penalty, EOS included in both
    weights: Tensor | None  # (len(tokens) + 1, S) attention, one row per token and one for EOS
    log_probs: list[float]  # of each token and of EOS: their sum is log p


class _Step(NamedTuple):
    """What a step decided: enough to walk back from the end of a hypothesis to its beginning."""

    parents: Tensor  # (N,) of each hypothesis still alive, its row before the step
    tokens: Tensor  # (N,) and the token that it gained
    weights: Tensor | None  # (rows before the step, S)
    scores: Tensor  # (N,) its log probability so far
    ended: Tensor  # (M,) rows before the step whose hypothesis ended here
    ended_scores: Tensor  # (M,) log probabilities of these, with EOS
    ended_sentences: Tensor  # (M,)


@torch.inference_mode()
def search(model: Model, source: Tensor, lengths: Tensor, settings: DecodeSettings) -> list[list[Hypothesis]]:
    """Find up to K translations of each sentence, best first.

    A hypothesis that ends takes its place in the beam with it, so a sentence is done when K have ended. One that
    reaches the length limit can only end.

    Args:
        model: Something with `encode` and `step`, in evaluation mode.
        source: Source tokens (B, S), each sentence ending in EOS, padded.
        lengths: Real tokens of each sentence (B,), on the CPU.
        settings: Beam size, length normalisation and limits.
    """
    device, sentences = source.device, source.size(0)
    limits = (lengths * settings.max_length_ratio).long() + settings.max_length_extra
    limits = limits.to(device)
    room = torch.full((sentences,), settings.beam_size, device=device)  # (B,) hypotheses yet to end
    sentence = torch.arange(sentences, device=device)  # (N,) which sentence a hypothesis translates, ascending
    scores = torch.zeros(sentences, device=device)  # (N,) its log probability so far
    tokens = torch.full((sentences,), BOS, device=device)  # (N,) its last token
    memory, state = model.encode(source, lengths)
    steps: list[_Step] = []

    while sentence.numel():
        logits, weights, state = model.step(tokens, memory, state)
        must_end = limits[sentence] <= len(steps) + 1
        log_probs, candidates = _continuations(logits, must_end, settings.beam_size)
        parents, tokens, scores = _best(scores.unsqueeze(1) + log_probs, candidates, sentence, room, settings.beam_size)

        over, alive = tokens == EOS, tokens != EOS
        ended = (parents[over], scores[over], sentence[parents[over]])
        room -= torch.bincount(ended[2], minlength=sentences)
        parents, tokens, scores = parents[alive], tokens[alive], scores[alive]
        steps.append(_Step(parents, tokens, weights, scores, *ended))

        before, sentence = sentence, sentence[parents]
        state = select_rows(state, parents)
        if not torch.equal(before, sentence):  # memory depends on the sentence alone: copy it only when rows move
            memory = select_rows(memory, parents)
    return _walk_back(steps, lengths.tolist(), settings.length_penalty)


def _continuations(logits: Tensor, must_end: Tensor, beam: int) -> tuple[Tensor, Tensor]:
    """The K best tokens after each hypothesis and their log probabilities, both (N, K).

    No row can win more than K places in the beam, so nothing else is looked at. Where time is up (N,), only EOS may
    follow.
    """
    logits = logits.float()  # overwritten below: the widest tensor of all is passed over as little as possible
    never, end = logits[:, NEVER], logits[:, EOS : EOS + 1].clone()
    logits[:, NEVER] = float("-inf")
    values, tokens = _top(logits, min(beam, logits.size(1)))
    largest = torch.maximum(values[:, :1], never.amax(dim=1, keepdim=True))
    z = logits.sub_(largest).exp_().sum(dim=1, keepdim=True) + (never - largest).exp().sum(dim=1, keepdim=True)
    first, must_end = torch.arange(values.size(1), device=values.device) == 0, must_end.unsqueeze(1)
    values = torch.where(must_end, torch.where(first, end, float("-inf")), values)
    return values - largest - z.log(), torch.where(must_end & first, EOS, tokens)


def _top(values: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The same as `values.topk(k)` (N, k): the k best lie in the k groups with the best maxima.

    One pass that only compares is several times faster than one that keeps the best so far.
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


def _best(values: Tensor, tokens: Tensor, sentence: Tensor, room: Tensor, beam: int) -> tuple[Tensor, Tensor, Tensor]:
    """The best continuations of each sentence, as many as it has room for: their rows, tokens and scores.

    Args:
        values: Scores (N, K) of the best continuations of every hypothesis.
        tokens: These continuations (N, K).
        sentence: The sentence of each row (N,), ascending.
        room: How many continuations each sentence may keep (B,).
        beam: Beam size.
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
    return rows, tokens[rows, (place % width)[chosen]], best[chosen]


def _walk_back(steps: list[_Step], source_lengths: list[int], length_penalty: float) -> list[list[Hypothesis]]:
    """Read every ended hypothesis from its end to its beginning."""
    steps = [step if step.weights is None else step._replace(weights=step.weights.cpu()) for step in steps]
    parents = [step.parents.tolist() for step in steps]
    tokens = [step.tokens.tolist() for step in steps]
    scores = [step.scores.tolist() for step in steps]
    found: list[list[Hypothesis]] = [[] for _ in source_lengths]
    for end, step in enumerate(steps):
        ends = zip(step.ended.tolist(), step.ended_scores.tolist(), step.ended_sentences.tolist(), strict=True)
        for row, score, sentence in ends:
            path, rows = [], [row]  # rows: where the hypothesis stood before each step, last step first
            sums = [score]  # its log probability after each step, last step first
            for t in range(end - 1, -1, -1):
                path.append(tokens[t][rows[-1]])
                sums.append(scores[t][rows[-1]])
                rows.append(parents[t][rows[-1]])
            weights = _attention(steps[: end + 1], rows[::-1], source_lengths[sentence])
            log_probs = [after - before for after, before in zip(sums, [*sums[1:], 0.0], strict=True)]
            normalised = score / (end + 1) ** length_penalty
            found[sentence].append(Hypothesis(path[::-1], normalised, weights, log_probs[::-1]))
    return [sorted(hypotheses, key=lambda h: -h.score) for hypotheses in found]


def _attention(steps: list[_Step], rows: list[int], source_length: int) -> Tensor | None:
    weights = [step.weights[row] for step, row in zip(steps, rows, strict=True) if step.weights is not None]
    return torch.stack(weights)[:, :source_length] if weights else None


def select_rows(tree: Any, rows: Tensor) -> Any:
    """The given rows of every tensor in nested tuples."""
    if isinstance(tree, Tensor):
        return tree.index_select(0, rows)
    parts = [select_rows(part, rows) for part in tree]
    return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
