"""Alignment error rate (Och & Ney 2003) of the attention against gold word alignments.

The reference is force-decoded, and each of its words is linked to the source word with the most attention, as in
Luong 2015, section 5.4. Shapes: B batch, T target length, S source length, both with EOS.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nmt.data.batching import pad, sorted_batches
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.evaluation.gold import AlignedPair
from nmt.evaluation.links import NO_ATTENTION, GoldLinks, Link, link_words, words_of_pieces
from nmt.files import write_record
from nmt.special import BOS, EOS
from nmt.translation import MAX_SOURCE_TOKENS
from nmt.translator import Translator

log = logging.getLogger(__name__)

ALIGNMENT_FILE = "alignment.json"


@dataclass(frozen=True)
class AlignmentScore:
    """Alignment error rate of a set of pairs, from 0 (perfect) to 1, with precision and recall."""

    aer: float
    precision: float  # share of the model's links that are possible
    recall: float  # share of the sure links that the model found
    pairs: int
    links: int  # by the model, at most one per target word
    gold: str  # name of the file of links


def score_alignment(found: Iterable[tuple[Sequence[Link], GoldLinks]], gold: str) -> AlignmentScore:
    """AER = 1 − (|A∩S| + |A∩P|) / (|A| + |S|) over all pairs: A predicted, S sure and P possible links."""
    pairs = links = sure = in_sure = in_possible = 0
    for predicted, truth in found:
        pairs, links, sure = pairs + 1, links + len(predicted), sure + len(truth.sure)
        in_sure += len(truth.sure.intersection(predicted))
        in_possible += len(truth.possible.intersection(predicted))
    if not links:
        raise UserError(f"None of the {pairs} pairs could be aligned: AER needs pairs with words on both sides.")
    if not sure:
        raise UserError(f"{gold} has no sure link (such as 0-0) for the {pairs} pairs to be scored: check the file.")
    aer = 1 - (in_sure + in_possible) / (links + sure)
    return AlignmentScore(aer, in_possible / links, in_sure / sure, pairs, links, gold)


def align(translator: Translator, pairs: Sequence[AlignedPair]) -> Iterator[tuple[list[Link], GoldLinks]]:
    """Predict the links of each pair from the model's attention; yields them with the gold links.

    Pairs with an empty side are skipped; so are, with a warning, pairs with too many pieces or with pieces that do not
    spell their words.
    """
    filled = [pair for pair in pairs if pair.source and pair.target]
    tokenizers = translator.source_tokenizer, translator.target_tokenizer
    read = [(_read(tokenizers[0], pair.source), _read(tokenizers[1], pair.target), pair.gold) for pair in filled]
    usable = [(source, target, gold) for source, target, gold in read if source and target]
    if left_out := len(filled) - len(usable):
        why = f"their pieces do not spell their words, or are more than {MAX_SOURCE_TOKENS}"
        log.warning("%d of %d pairs are left out of the alignment error rate: %s.", left_out, len(filled), why)
    if unlinked := sum(not gold.possible for _, _, gold in usable):
        log.warning("%d of %d pairs have no links at all: every word of them counts as wrong.", unlinked, len(usable))
    lengths = np.array([max(len(source.ids), len(target.ids)) + 1 for source, target, _ in usable], dtype=np.int64)
    for batch in sorted_batches(lengths, translator.search.batch_tokens):
        chosen = [usable[i] for i in batch.tolist()]
        weights = forced_attention(translator, [(source.ids, target.ids) for source, target, _ in chosen])
        for (source, target, gold), attention in zip(chosen, weights, strict=True):
            yield link_words(attention, source.words, target.words), gold


class _Sentence(NamedTuple):
    ids: list[int]
    words: list[int]  # of each piece


def _read(tokenizer: Tokenizer, text: str) -> _Sentence | None:
    """The ids of a sentence and the word of each piece; None if pieces and words do not match or are too many."""
    ids = tokenizer.encode(text)
    words = words_of_pieces(tokenizer.pieces(ids), text.split())
    return _Sentence(ids, words) if words and len(ids) <= MAX_SOURCE_TOKENS else None


@torch.inference_mode()
def forced_attention(translator: Translator, pairs: Sequence[tuple[list[int], list[int]]]) -> list[np.ndarray]:
    """Attention (T, S) while each target is force-decoded from its source; both are ids without EOS."""
    source, lengths = pad([[*ids, EOS] for ids, _ in pairs])
    target_in, target_lengths = pad([[BOS, *ids] for _, ids in pairs])
    weights = translator.model(source.to(translator.device), lengths, target_in.to(translator.device)).weights
    if weights is None:
        raise UserError(NO_ATTENTION)
    sizes = zip(weights.float().cpu().numpy(), target_lengths.tolist(), lengths.tolist(), strict=True)
    return [attention[:t, :s] for attention, t, s in sizes]


def write_alignment(directory: Path, score: AlignmentScore, details: Mapping[str, Any]) -> None:
    """Write the score with the test set and checkpoint it belongs to; no search is involved, so none is recorded."""
    evaluated = {name: value for name, value in details.items() if name != "decode"}
    write_record(directory / ALIGNMENT_FILE, {**asdict(score), "evaluated": evaluated})


def alignment_table(score: AlignmentScore) -> RenderableType:
    """The score as a table for rich."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column()
    rows.add_column(justify="right")
    rows.add_column(style="dim")
    rows.add_row("AER", Text(f"{score.aer:.3f}", style="bold"), "alignment error rate, lower is better")
    rows.add_row("precision", f"{score.precision:.3f}", f"of {score.links} links by attention")
    rows.add_row("recall", f"{score.recall:.3f}", "of the sure links")
    pairs = f"{score.pairs} pair{'s' if score.pairs != 1 else ''}"
    return Group(Text(), Text(f"Word alignment · {score.gold} · {pairs}", style="bold"), rows)
