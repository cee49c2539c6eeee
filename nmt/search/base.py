"""The loop that all search methods share: limits, hypotheses that are still alive, and ranking.

Shapes: B sentences, N hypotheses alive, S source length, V vocabulary.
A hypothesis that ends leaves the batch at once, so only those still alive are computed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from nmt.search_settings import NEVER, SearchSettings
from nmt.special import BOS, EOS


class Model(Protocol):
    """The interface of a model that a search uses."""

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Any, Any]:
        """Memory and first state of source tokens (B, S): nested tuples of tensors, batch first."""

    def step(self, tokens: Tensor, memory: Any, state: Any) -> tuple[Tensor, Tensor | None, Any]:
        """Logits (N, V), to be overwritten, attention weights (N, S) and the next state after the tokens (N,)."""


class Hypothesis(NamedTuple):
    """One translation of one sentence."""

    tokens: list[int]  # without BOS and EOS
    score: float  # log p / length^penalty, EOS included in both
    weights: Tensor | None  # (len(tokens) + 1, S) attention, one row per token and one for EOS
    log_probs: list[float]  # the model's, of each token and of EOS: their sum is log p


class Choice(NamedTuple):
    """Continuations of hypotheses; those with EOS end. Rows keep the order of their sentences."""

    parents: Tensor  # (M,) row of the hypothesis that is continued
    tokens: Tensor  # (M,) its next token
    scores: Tensor  # (M,) log probability with this token


class Alive(NamedTuple):
    """The hypotheses that are alive at one step, and the model's logits for their next token."""

    logits: Tensor  # (N, V), may be overwritten
    scores: Tensor  # (N,) log probability so far
    sentence: Tensor  # (N,) number of the sentence in the batch, ascending
    origin: Tensor  # (N,) its row at the first step
    must_end: Tensor  # (N,) whether the length limit allows nothing but EOS
    room: Tensor  # (B,) hypotheses of each sentence that have yet to end
    step: int  # tokens so far
    context: Any  # what `Search.begin` returned

    def log_probs(self) -> Tensor:
        """Log probabilities (N, V), −∞ for tokens that may not come next."""
        log_probs = self.logits.float().log_softmax(dim=1)
        log_probs[:, NEVER] = float("-inf")
        others = torch.arange(log_probs.size(1), device=log_probs.device) != EOS
        return log_probs.masked_fill_(self.must_end.unsqueeze(1) & others, float("-inf"))

    def extend(self, tokens: Tensor, log_probs: Tensor) -> Choice:
        """Continue every hypothesis with one token (N,), given log probabilities (N, V)."""
        gained = log_probs.gather(1, tokens.unsqueeze(1)).squeeze(1)
        return Choice(torch.arange(len(tokens), device=tokens.device), tokens, self.scores + gained)


class _Step(NamedTuple):
    """Back-pointers of one step, from which hypotheses are read after the search."""

    parents: Tensor  # (N,) of each hypothesis still alive, its row before the step
    tokens: Tensor  # (N,) and the token that it gained
    weights: Tensor | None  # (rows before the step, S)
    scores: Tensor  # (N,) its log probability so far
    ended: Tensor  # (M,) rows before the step whose hypothesis ended here
    ended_scores: Tensor  # (M,) log probabilities of these, with EOS
    ended_sentences: Tensor  # (M,)


@dataclass(frozen=True, kw_only=True)
class Search(SearchSettings, ABC):
    """A search method, whose settings are dataclass fields; subclasses write `choose`."""

    @property
    def starts(self) -> int:
        """Hypotheses per sentence before the first step."""
        return 1

    def begin(self, numbers: Sequence[int], limits: Sequence[int], device: torch.device) -> Any:
        """Prepare what `choose` needs for a batch, given its sentences' numbers and longest lengths."""
        return None

    @abstractmethod
    def choose(self, alive: Alive) -> Choice:
        """Choose the continuations of the hypotheses that are alive."""

    @torch.inference_mode()
    def __call__(
        self, model: Model, source: Tensor, lengths: Tensor, numbers: Sequence[int] | None = None
    ) -> list[list[Hypothesis]]:
        """Find up to `width` translations of each sentence, best first, with a model in evaluation mode.

        `source` (B, S) ends in EOS and is padded; `lengths` (B,) are on the CPU; `numbers`, those of the sentences in
        the whole input (default: 0 to B − 1), seed random numbers.
        """
        device, sentences = source.device, source.size(0)
        longest = [self.longest(length) for length in lengths.tolist()]
        context = self.begin(range(sentences) if numbers is None else numbers, longest, device)
        limits = torch.tensor(longest, device=device)
        room = torch.full((sentences,), self.width, device=device)
        origin = torch.arange(sentences * self.starts, device=device)
        sentence = origin // self.starts
        scores = torch.zeros(len(origin), device=device)
        tokens = torch.full_like(origin, BOS)
        memory, state = model.encode(source, lengths)
        if self.starts > 1:
            memory, state = select_rows(memory, sentence), select_rows(state, sentence)
        steps: list[_Step] = []

        while origin.numel():
            logits, weights, state = model.step(tokens, memory, state)
            must_end = limits[sentence] <= len(steps) + 1
            alive = Alive(logits, scores, sentence, origin, must_end, room, len(steps), context)
            parents, tokens, scores = self.choose(alive)

            over, on = tokens == EOS, tokens != EOS
            ended = (parents[over], scores[over], sentence[parents[over]])
            room -= torch.bincount(ended[2], minlength=sentences)
            parents, tokens, scores = parents[on], tokens[on], scores[on]
            steps.append(_Step(parents, tokens, weights, scores, *ended))

            before, origin = sentence, origin[parents]
            sentence = sentence[parents]
            state = select_rows(state, parents)
            if not torch.equal(before, sentence):  # memory depends on the sentence alone: copy it only when rows move
                memory = select_rows(memory, parents)
        return _walk_back(steps, lengths.tolist(), self.length_penalty)


def _walk_back(steps: list[_Step], source_lengths: list[int], length_penalty: float) -> list[list[Hypothesis]]:
    """Follow the back-pointers of every ended hypothesis."""
    steps = [step if step.weights is None else step._replace(weights=step.weights.cpu()) for step in steps]
    parents = [step.parents.tolist() for step in steps]
    tokens = [step.tokens.tolist() for step in steps]
    scores = [step.scores.tolist() for step in steps]
    hypotheses: list[list[Hypothesis]] = [[] for _ in source_lengths]
    for end, step in enumerate(steps):
        ends = zip(step.ended.tolist(), step.ended_scores.tolist(), step.ended_sentences.tolist(), strict=True)
        for row, score, sentence in ends:
            path, rows = [], [row]  # rows: where the hypothesis stood before each step, last step first
            sums = [score]  # its log probability after each step, last step first
            for t in range(end - 1, -1, -1):
                path.append(tokens[t][rows[-1]])
                sums.append(scores[t][rows[-1]])
                rows.append(parents[t][rows[-1]])
            path_steps = zip(steps, reversed(rows), strict=False)  # up to the end of this hypothesis
            attended = [each.weights[row] for each, row in path_steps if each.weights is not None]
            weights = torch.stack(attended)[:, : source_lengths[sentence]] if attended else None
            log_probs = [after - before for after, before in zip(sums, [*sums[1:], 0.0], strict=True)]
            normalised = score / (end + 1) ** length_penalty
            hypotheses[sentence].append(Hypothesis(path[::-1], normalised, weights, log_probs[::-1]))
    return [sorted(each, key=lambda hypothesis: -hypothesis.score) for each in hypotheses]


def select_rows(tree: Any, rows: Tensor) -> Any:
    """The given rows of every tensor in nested tuples."""
    if isinstance(tree, Tensor):
        return tree.index_select(0, rows)
    parts = [select_rows(part, rows) for part in tree]
    return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
