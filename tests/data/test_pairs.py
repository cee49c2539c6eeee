"""Training pairs with made-up words: the same on both sides, new in every epoch, batched by their new lengths."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from nmt.data import pairs as pairs_module
from nmt.data.batching import BatchPlan, collate
from nmt.data.pairs import TrainingPairs
from nmt.data.store import Replaced, Sequences, TokenStore
from nmt.data.tokenizer import Tokenizer

TEXTS = [
    f"the {size} {animal} sleeps in the {place}"
    for size in ("small", "large", "old")
    for animal in ("tiger", "elephant", "butterfly")
    for place in ("garden", "kitchen", "mountains")
]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(TEXTS, vocab_size=400)


def pairs(tokenizer: Tokenizer, made_up: float, seed: int = 1) -> TrainingPairs:
    side = Sequences.of(tokenizer.encode_batch(TEXTS), np.int64)
    store = TokenStore(side, side)

    def plan(store: TokenStore) -> BatchPlan:
        return BatchPlan(store.source.lengths, store.target.lengths, 8, "sentences", seed)

    return TrainingPairs(store, (tokenizer, tokenizer), plan, made_up, seed)


def texts_of(tokenizer: Tokenizer, batch: Any) -> list[str]:
    return [tokenizer.decode([i for i in row if i > 3]) for row in batch.source.tolist()]


def test_made_up_words_are_the_same_on_both_sides_and_new_in_every_epoch(tokenizer: Tokenizer) -> None:
    changing, again = pairs(tokenizer, 0.5), pairs(tokenizer, 0.5)
    indices = np.arange(len(TEXTS))
    seen = []
    for epoch in (0, 1):
        changing.epoch(epoch)
        again.epoch(epoch)
        batch = changing.batch(indices)
        assert torch.equal(batch.source, again.batch(indices).source)
        sources = texts_of(tokenizer, batch)
        assert sources == [tokenizer.decode([i for i in row if i > 3]) for row in batch.target_out.tolist()]
        seen.append(sources)
        changed = [new for old, new in zip(TEXTS, sources, strict=True) if new != old]
        assert 0.2 < len(changed) / len(TEXTS) < 0.8
        assert changing.tokens(indices) == batch.tokens
    assert seen[0] != seen[1]
    changing.epoch(0)  # the number decides, not what came before
    assert texts_of(tokenizer, changing.batch(indices)) == seen[0]


def test_pairs_go_together_by_the_lengths_that_made_up_words_give_them(tokenizer: Tokenizer) -> None:
    changing = pairs(tokenizer, 0.5)
    for epoch in range(3):
        order = changing.epoch(epoch)
        widths = [changing.batch(indices).target_out.size(1) for indices in order]
        lengths = np.sort(changing.batch(np.arange(len(TEXTS))).source_lengths.numpy())
        assert sorted(np.concatenate(order).tolist()) == list(range(len(TEXTS)))
        assert sorted(widths) == [int(lengths[i : i + 8].max()) for i in range(0, len(lengths), 8)]  # none is wider


def test_pairs_are_read_and_encoded_in_blocks(tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    indices, batches = np.arange(len(TEXTS)), []
    for block in (4096, 4):
        monkeypatch.setattr(pairs_module, "_BLOCK", block)
        changing = pairs(tokenizer, 0.5)
        changing.epoch(0)
        batches.append(changing.batch(indices))
    assert torch.equal(batches[0].source, batches[1].source)
    assert torch.equal(batches[0].target_out, batches[1].target_out)


@given(st.lists(st.lists(st.integers(4, 99), max_size=5), min_size=1, max_size=9), st.data())
def test_replaced_sequences_read_like_new_ones(sequences: list[list[int]], data: st.DataObject) -> None:
    indices = st.integers(0, len(sequences) - 1)
    new = data.draw(st.dictionaries(indices, st.lists(st.integers(4, 99), max_size=7)))
    at = sorted(new)
    replaced = Replaced(
        Sequences.of(sequences, np.uint16), np.array(at, np.int64), Sequences.of([new[i] for i in at], np.uint16)
    )
    expected = [new.get(i, old) for i, old in enumerate(sequences)]
    assert [replaced[i] for i in range(len(replaced))] == expected
    chosen = data.draw(st.lists(indices, min_size=1))
    batch = collate(TokenStore(replaced, replaced), np.array(chosen))
    plain = Sequences.of(expected, np.uint16)
    assert torch.equal(batch.source, collate(TokenStore(plain, plain), np.array(chosen)).source)
