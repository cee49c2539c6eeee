"""Decoding: sentences per second, the share of the machine's arithmetic, and whether batches change a text."""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from benchmarks.yardstick import Arithmetic, Figures, Peak, in_turn, medians, timed
from nmt.config import Config
from nmt.data.batching import pad
from nmt.data.prepare import PreparedCorpus
from nmt.run import Run
from nmt.search import Beam, Greedy, Search
from nmt.special import EOS
from nmt.translator import Translator, build_model, build_search


class EndingOnTime:
    """A model whose hypotheses end at the length of the reference: untrained weights, a translator's workload."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.rows = 0  # hypotheses × steps
        self.lengths = torch.empty(0)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Any, Any]:
        """Memory and first state, and how many tokens each sentence is to get."""
        memory, state = self.model.encode(source, lengths)
        return memory, (state, self.lengths)

    def step(
        self, tokens: Tensor, memory: Any, state: Any, given: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None, Any]:
        """A step in which time is up for some."""
        inner, left = state
        self.rows += len(tokens)
        logits, weights, inner = self.model.step(tokens, memory, inner, given)
        logits[:, EOS] = torch.where(left > 0, float("-inf"), 1e4)
        return logits, weights, (inner, left - 1)


def measure(config: Config, corpus: PreparedCorpus, sentences: int, repeats: int, peak: Peak) -> dict[str, Figures]:
    """Greedy and beam 5, on sentences of the training set and at the lengths of their references."""
    torch.manual_seed(1)
    model = build_model(config, len(corpus.source_tokenizer), len(corpus.target_tokenizer)).eval()
    arithmetic = Arithmetic.of("bahdanau")
    step = max(1, len(corpus.train) // sentences)
    pairs = [(corpus.train.source[i], len(corpus.train.target[i])) for i in range(0, len(corpus.train), step)]
    pairs = sorted(pairs[:sentences], key=lambda pair: -len(pair[0]))

    def turn(method: type[Search], chosen: list[tuple[list[int], int]]) -> Figures:
        before, ending = peak.measure(), EndingOnTime(model)
        seconds = timed(lambda: _search_all(ending, chosen, build_search(config).converted(method)))
        rate = (before + peak.measure()) / 2
        source_tokens = sum(len(ids) + 1 for ids, _ in chosen)
        work = arithmetic.target_token * ending.rows + arithmetic.source_token * source_tokens
        return {
            "sentences_per_second": len(chosen) / seconds,
            "share of the arithmetic limit": work / seconds / rate,
        }

    fewer = pairs[:: 1 if sentences < 200 else 4]
    rows = in_turn({"greedy": partial(turn, Greedy, pairs), "beam 5": partial(turn, Beam, fewer)}, repeats)
    return {name: medians(each) for name, each in rows.items()}


def _search_all(model: EndingOnTime, pairs: list[tuple[list[int], int]], search: Search) -> None:
    """What `Translator.translate` does, without the text."""
    start = 0
    while start < len(pairs):
        width = len(pairs[start][0]) + 1
        batch = pairs[start : start + max(1, search.batch_tokens // search.width // width)]
        source, lengths = pad([[*ids, EOS] for ids, _ in batch])
        model.lengths = torch.tensor([length for _, length in batch])
        search(model, source, lengths)
        start += len(batch)


def texts_that_change(run: Run, sentences: int) -> tuple[int, int]:
    """How many of a run's test sentences get another text when they are searched for one by one."""
    texts = [line.split("\t")[0] for line in (run.directory / "data/test.tsv").read_text("utf-8").splitlines()]
    together, alone = (Translator.load(run, "cpu", batch_tokens=tokens) for tokens in (4096, 1))
    texts = texts[:sentences]
    pairs = zip(together.translate(texts), alone.translate(texts), strict=True)
    return sum(a.text != b.text for a, b in pairs), len(texts)
