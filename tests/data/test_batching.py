from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from nmt.data.batching import BatchPlan, ReplayPlan, collate, sorted_batches
from nmt.data.store import TokenStore
from nmt.special import BOS, EOS, PAD

sequence = st.lists(st.integers(4, 60000), max_size=12)
pair_lists = st.lists(st.tuples(sequence, sequence), min_size=1, max_size=20)
lengths = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), max_size=300)


def stored(folder: Path, pairs: list[tuple[list[int], list[int]]], vocab: int = 2**16) -> TokenStore:
    blocks = [([s for s, _ in part], [t for _, t in part]) for part in (pairs[:7], pairs[7:]) if part]
    TokenStore.write(folder, "train", blocks, vocab, vocab)
    return TokenStore.open(folder, "train")


@given(pair_lists, st.sampled_from([2**16, 2**16 + 1]))
def test_the_store_gives_back_what_it_got(pairs: list[tuple[list[int], list[int]]], vocab: int) -> None:
    with TemporaryDirectory() as folder:
        store = stored(Path(folder), pairs, vocab)
        assert [(store.source[i], store.target[i]) for i in range(len(store))] == pairs
        assert store.source.lengths.tolist() == [len(source) for source, _ in pairs]
        if store.source.tokens.size:  # files without tokens say nothing
            assert store.source.tokens.dtype == ("<u2" if vocab == 2**16 else "<i4")
        assert len(stored(Path(folder), [])) == 0


@given(pair_lists, st.data())
def test_collate_equals_a_naive_loop(pairs: list[tuple[list[int], list[int]]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(pairs) - 1), min_size=1))
    with TemporaryDirectory() as folder:
        batch = collate(stored(Path(folder), pairs), np.array(chosen))

    def pad(rows: list[list[int]]) -> list[list[int]]:
        width = max(map(len, rows))
        return [row + [PAD] * (width - len(row)) for row in rows]

    assert batch.source.tolist() == pad([pairs[i][0] + [EOS] for i in chosen])
    assert batch.source_lengths.tolist() == [len(pairs[i][0]) + 1 for i in chosen]
    assert batch.target_in.tolist() == pad([[BOS] + pairs[i][1] for i in chosen])
    assert batch.target_out.tolist() == pad([pairs[i][1] + [EOS] for i in chosen])
    assert batch.tokens == sum(len(pairs[i][1]) + 1 for i in chosen)
    assert {t.dtype for t in (batch.source, batch.source_lengths, batch.target_in, batch.target_out)} == {torch.int64}


def plan(pairs: list[tuple[int, int]], size: int, unit: Literal["sentences", "tokens"], seed: int = 1) -> BatchPlan:
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return BatchPlan(table[:, 0], table[:, 1], size, unit, seed)


@given(lengths, st.integers(1, 300), st.sampled_from(["sentences", "tokens"]), st.integers(0, 3))
def test_every_pair_comes_once_and_the_budget_holds(
    pairs: list[tuple[int, int]], size: int, unit: Literal["sentences", "tokens"], epoch: int
) -> None:
    batches = plan(pairs, size, unit).epoch(epoch)
    assert sorted(i for batch in batches for i in batch.tolist()) == list(range(len(pairs)))
    for batch in batches:
        if unit == "sentences":
            assert len(batch) <= size
        else:
            widest = max(max(pairs[i]) + 1 for i in batch)
            assert len(batch) == 1 or widest * len(batch) <= size


def test_a_budget_is_used_to_the_last_token() -> None:
    batches = plan([(9, 5)] * 30, 100, "tokens").epoch(0)
    assert [len(batch) for batch in batches] == [10, 10, 10]


def test_an_epoch_is_a_function_of_seed_and_number() -> None:
    pairs = [(1 + i % 40, 1 + i % 37) for i in range(5000)]

    def order(seed: int, epoch: int) -> list[int]:
        return np.concatenate(plan(pairs, 500, "tokens", seed).epoch(epoch)).tolist()

    assert order(1, 2) == order(1, 2)
    assert order(1, 2) != order(1, 3)
    assert order(1, 2) != order(2, 2)


@pytest.mark.parametrize(("unit", "size"), [("sentences", 32), ("tokens", 640)])
def test_sorting_in_pools_saves_padding_and_stays_random(unit: Literal["sentences", "tokens"], size: int) -> None:
    random = np.random.default_rng(0)
    target = random.integers(1, 40, 20_000)
    batches = BatchPlan(target, target, size, unit, 0).epoch(0)
    real = (target + 1).sum()
    padded = sum(len(batch) * (target[batch].max() + 1) for batch in batches)
    assert padded < 1.05 * real
    # Early and late batches are of all lengths.
    means = np.array([target[batch].mean() for batch in batches])
    assert abs(means[: len(means) // 2].mean() - means[len(means) // 2 :].mean()) < 3
    if unit == "tokens":
        assert real / len(batches) > 0.85 * size


def test_batches_for_evaluation_go_from_long_to_short() -> None:
    batches = sorted_batches(np.array([3, 9, 1, 9, 5, 30]), 18)
    assert [batch.tolist() for batch in batches] == [[5], [1, 3], [4, 0, 2]]  # one of 30 is a batch of its own


@pytest.mark.parametrize(("old", "new", "replay", "expected"), [(90, 5, 3.0, 19), (90, 5, 0.0, 0), (4, 30, 3.0, 4)])
def test_every_epoch_has_all_new_pairs_and_its_own_sample_of_old_ones(
    old: int, new: int, replay: float, expected: int
) -> None:
    lengths = np.arange(old + new) % 7 + 1
    replayed = ReplayPlan(lengths, lengths, 8, "sentences", 1, new, replay)
    epochs = [np.concatenate(replayed.epoch(epoch)) for epoch in (0, 1, 0)]
    assert epochs[0].tolist() == epochs[2].tolist()
    for epoch in epochs:
        assert len(set(epoch.tolist())) == len(epoch) == new + expected  # 24: three full batches
        assert set(range(old, old + new)) <= set(epoch.tolist())
    assert (set(epochs[0].tolist()) != set(epochs[1].tolist())) == (0 < expected < old)
