"""Whether attention matters: how much worse a model gets with other weights than its own (after Jain and Wallace 2019).

Shapes: B batch, T target length, S source length, both with EOS; K heads; L steps of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from torch import Tensor

from nmt.data.batching import pad, sorted_batches
from nmt.data.heldout import HeldOut
from nmt.errors import UserError
from nmt.evaluation.evaluate import evaluate
from nmt.files import read_record, write_record
from nmt.metrics import MAIN
from nmt.search import Greedy
from nmt.special import BOS, EOS
from nmt.translator import Translator

FAITHFULNESS_FILE = "faithfulness.json"
SEED = 1

Ids: TypeAlias = "tuple[int, ...]"
Pair: TypeAlias = "tuple[Ids, Ids]"  # source and target, both with EOS
# For a source and a number of steps: weights (L, S) or (L, K, S), or as integers the place that each weight comes from.
Rows: TypeAlias = Callable[[Ids, int], np.ndarray]


@dataclass(frozen=True)
class Attended:
    """How well the model does with one kind of attention."""

    log_prob: float  # of a token of the references, in the mean
    bleu: float  # of greedy search


@dataclass(frozen=True)
class Faithfulness:
    """The model with its own attention, and with others."""

    own: Attended
    others: dict[str, Attended]  # by name: uniform, shuffled, permuted
    sentences: int
    seed: int


def measure(translator: Translator, examples: Sequence[HeldOut], seed: int = SEED) -> Faithfulness:
    """Score references, and greedy translations, with the model's own attention and with three others.

    - uniform: every source token has the same weight;
    - shuffled: the weights of each step are dealt to the source tokens at random;
    - permuted: the weights of the steps are put in a random order.
    """
    pairs = list(_pairs(translator, examples))
    if not pairs:
        raise UserError("--faithfulness needs a sentence with a reference.")
    translator = _changed(translator, translator.model)
    log_prob, looks = _forced(translator, pairs)
    evaluation = evaluate(translator, examples, metrics=[MAIN], bootstrap=0)
    said = [(tuple(each.source_ids), tuple(each.target_ids)) for each in evaluation.translations if each.target_ids]
    own = Attended(log_prob, evaluation.scores[MAIN].value)
    # Those of the references for their probability, those of the translations for BLEU.
    kinds = {
        "uniform": (_uniform, _uniform),
        "shuffled": (_shuffled(seed), _shuffled(seed)),
        "permuted": (_permuted(looks, seed), _permuted(_forced(translator, said)[1], seed)),
    }
    others = {}
    for name, (for_references, for_translations) in kinds.items():
        log_prob, _ = _forced(translator, pairs, for_references)
        changed = _changed(translator, Inattentive(translator, for_translations))
        others[name] = Attended(log_prob, evaluate(changed, examples, metrics=[MAIN], bootstrap=0).scores[MAIN].value)
    return Faithfulness(own, others, len(examples), seed)


class NoAttention(UserError):
    """The model has no weights that could be replaced."""


class Inattentive:
    """A model as a search sees it, whose attention weights are others than its own."""

    def __init__(self, translator: Translator, rows: Rows) -> None:
        self._model, self._rows, self._longest = translator.model, rows, translator.search.longest

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Any, Any]:
        """Memory and first state, with the rows of all steps and the number of the step."""
        memory, state = self._model.encode(source, lengths)
        sizes = lengths.tolist()
        sources = [tuple(ids[:size]) for ids, size in zip(source.tolist(), sizes, strict=True)]
        table = _table(self._rows, sources, self._longest(max(sizes)), source.device)
        return (memory, table), (state, torch.zeros(len(source), dtype=torch.long, device=source.device))

    def step(self, tokens: Tensor, memory: Any, state: Any) -> tuple[Tensor, Tensor | None, Any]:
        """A step with the weights that the table has for it."""
        (inner_memory, table), (inner, step) = memory, state
        now = int(step[0])
        with _attending(self._model, table[:, now : now + 1]):
            logits, weights, inner = self._model.step(tokens, inner_memory, inner)
        return logits, weights, (inner, step + 1)


def _changed(translator: Translator, model: Any) -> Translator:
    """A translator with this model and greedy search, which is fast."""
    tokenizers = translator.source_tokenizer, translator.target_tokenizer
    return Translator(model, *tokenizers, translator.search.converted(Greedy), translator.device)


def _pairs(translator: Translator, examples: Sequence[HeldOut]) -> Iterator[Pair]:
    """Ids of each source and its first reference; empty ones are left out."""
    for example in examples:
        source = translator.source_ids(example.source)
        target = translator.target_tokenizer.encode(example.references[0]) if example.references else []
        if source and target:
            yield tuple(source), (*target, EOS)


@torch.inference_mode()
def _forced(
    translator: Translator, pairs: Sequence[Pair], rows: Rows | None = None
) -> tuple[float, dict[Ids, np.ndarray]]:
    """Mean log probability of a target token, and the weights (T, S) or (T, K, S) by source."""
    total, looks = 0.0, {}
    model, device = translator.model, translator.device
    lengths = np.array([max(map(len, pair)) for pair in pairs], dtype=np.int64)
    for batch in sorted_batches(lengths, translator.search.batch_tokens):
        chosen = [pairs[i] for i in batch.tolist()]
        sources = [source for source, _ in chosen]
        source, source_lengths = pad(sources)
        target, target_lengths = pad([target for _, target in chosen])
        inputs = torch.cat([torch.full_like(target[:, :1], BOS), target[:, :-1]], dim=1).to(device)
        table = None if rows is None else _table(rows, sources, target.size(1), device)
        with _attending(model, table) as used:
            output = model(source.to(device), source_lengths, inputs)
        log_probs = model.output(output.readout).float().log_softmax(dim=-1)
        gained = log_probs.gather(-1, target.to(device).unsqueeze(-1)).squeeze(-1).cpu()
        total += float(gained[torch.arange(target.size(1)) < target_lengths.unsqueeze(1)].double().sum())
        weights = torch.cat(used, dim=-2).movedim(-2, 1).float().cpu().numpy()  # (B, T, S) or (B, T, K, S)
        for (ids, tokens), look in zip(chosen, weights, strict=True):
            looks[ids] = look[: len(tokens), ..., : len(ids)]
    return total / sum(len(target) for _, target in pairs), looks


def _uniform(source: Ids, steps: int) -> np.ndarray:
    return np.full((steps, len(source)), 1 / len(source), np.float32)


def _shuffled(seed: int) -> Rows:
    """Another order of the source tokens for each step; a sentence has the same ones in any batch."""

    def rows(source: Ids, steps: int) -> np.ndarray:
        random = np.random.default_rng([seed, *source])
        return random.permuted(np.tile(np.arange(len(source)), (steps, 1)), axis=1)

    return rows


def _permuted(looks: Mapping[Ids, np.ndarray], seed: int) -> Rows:
    """The weights of each sentence with its steps in another order, again and again."""

    def rows(source: Ids, steps: int) -> np.ndarray:
        look = looks[source]
        order = np.random.default_rng([seed, *source]).permutation(len(look))
        chosen: np.ndarray = look[order[np.arange(steps) % len(look)]]
        return chosen

    return rows


def _table(rows: Rows, sources: Sequence[Ids], steps: int, device: torch.device) -> Tensor:
    """Rows of several sentences (B, L, S) or (B, L, K, S); padding has no weight, and stays where it is."""
    each = [rows(source, steps) for source in sources]
    width = max(map(len, sources))
    shape = (len(each), *each[0].shape[:-1], width)
    is_order = each[0].dtype == np.int64
    table = np.broadcast_to(np.arange(width), shape).copy() if is_order else np.zeros(shape, np.float32)
    for place, row in zip(table, each, strict=True):
        place[..., : row.shape[-1]] = row
    return torch.from_numpy(table).to(device)


@contextmanager
def _attending(model: Any, table: Tensor | None = None) -> Iterator[list[Tensor]]:
    """Use the weights of a table (B, L, S) or (B, L, K, S) inside, if one is given; yields those that are used."""
    if (attention := getattr(model.decoder, "attention", None)) is None:
        raise NoAttention("This model has no attention to change: use a run with attention.")
    used: list[Tensor] = []

    def hook(_: Any, __: Any, output: tuple[Tensor, Any]) -> tuple[Tensor, Any]:
        own, state = output
        step = sum(each.size(-2) for each in used)
        weights = own if table is None else _replaced(own, table[:, step : step + own.size(-2)])
        used.append(weights)
        return weights, state

    handle = attention.alignment.register_forward_hook(hook)
    try:
        yield used
    finally:
        handle.remove()


def _replaced(own: Tensor, rows: Tensor) -> Tensor:
    """Rows (B, T, S) or (B, T, K, S) in the place of weights (B, T, S) or (B, K, T, S), or these in another order."""
    if own.dim() == 4:
        rows = rows.unsqueeze(1) if rows.dim() == 3 else rows.transpose(1, 2)
    rows = rows.expand_as(own)
    return rows.to(own.dtype) if rows.dtype.is_floating_point else own.gather(-1, rows)


def write_faithfulness(directory: Path, found: Faithfulness, details: Mapping[str, Any]) -> None:
    """Write the figures, with what was evaluated."""
    write_record(directory / FAITHFULNESS_FILE, {**asdict(found), "evaluated": _evaluated(details)})


def read_faithfulness(directory: Path, details: Mapping[str, Any]) -> Faithfulness | None:
    """The figures that were measured of the same model on the same sentences, if there are any."""
    if not (file := directory / FAITHFULNESS_FILE).exists():
        return None
    known = read_record(file)
    if _evaluated(known["evaluated"]) != _evaluated(details):
        return None
    others = {name: Attended(**other) for name, other in known["others"].items()}
    return Faithfulness(Attended(**known["own"]), others, known["sentences"], known["seed"])


def _evaluated(details: Mapping[str, Any]) -> dict[str, Any]:
    """What was evaluated; whatever the search of the run, that for the figures was greedy."""
    return {name: value for name, value in details.items() if name not in ("decode", "command")}


def faithfulness_table(found: Faithfulness) -> RenderableType:
    """The figures as a table for rich."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column()
    for _ in range(4):
        rows.add_column(justify="right")
    rows.add_row("attention", "log p", "drop", "BLEU", "drop", style="dim")
    rows.add_row("its own", f"{found.own.log_prob:.3f}", "", f"{found.own.bleu:.1f}", "")
    for name, other in found.others.items():
        drops = found.own.log_prob - other.log_prob, found.own.bleu - other.bleu
        rows.add_row(name, f"{other.log_prob:.3f}", f"{drops[0]:.3f}", f"{other.bleu:.1f}", f"{drops[1]:.1f}")
    title = f"Other attention · log p of a token of the references, BLEU of greedy search · {found.sentences} sentences"
    return Group(Text(), Text(title, style="bold"), rows)
