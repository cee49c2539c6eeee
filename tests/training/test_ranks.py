"""Several processes make the update that one would: the arithmetic, without commands."""

import dataclasses
import json
import multiprocessing
import os
import socket
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from nmt.launch import Launch
from nmt.ranks import ALONE, Ranks
from nmt.sharing import from_message, to_message
from nmt.training.checkpoint import MODEL, TENSORS
from nmt.training.meter import Meter
from nmt.translation import EMPTY, Translation
from tests.conftest import assert_refused
from tests.training import rank_worker


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def train_on(size: int, directory: Path, steps: int, batch_size: int) -> Path:
    """Train the toy on so many processes; gives the directory of the last checkpoint."""
    directory.mkdir()
    if size == 1:
        rank_worker.main(directory, steps, batch_size)
        return directory / "checkpoints" / f"step-{steps:08d}"
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(size)}
    fork = multiprocessing.get_context("fork")  # PyTorch is imported already
    workers = [fork.Process(target=work_as, args=(rank, place, directory, steps, batch_size)) for rank in range(size)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=120)
    assert [worker.exitcode for worker in workers] == [0] * size
    return directory / "checkpoints" / f"step-{steps:08d}"


def work_as(rank: int, place: dict[str, str], *arguments: Any) -> None:
    os.environ |= place | {"RANK": str(rank), "LOCAL_RANK": str(rank)}
    rank_worker.main(*arguments)


@pytest.mark.parametrize(("size", "batch_size"), [(3, 2), pytest.param(2, 8, marks=pytest.mark.slow)])
def test_several_processes_make_the_update_of_one(tmp_path: Path, size: int, batch_size: int) -> None:
    """Fifty updates by AdamW, in double precision; batches of 2 leave the third of three ranks without a pair."""
    one = train_on(1, tmp_path / "one", 50, batch_size)
    many = train_on(size, tmp_path / "many", 50, batch_size)
    for name in (MODEL, TENSORS):
        a, b = load_file(one / name), load_file(many / name)
        assert a.keys() == b.keys()
        for key in a:
            if not key.startswith(("rng", "sums")):
                torch.testing.assert_close(a[key], b[key], rtol=0, atol=1e-9)
    seen = [json.loads((tmp_path / "many" / f"seen-{rank}.json").read_text()) for rank in range(size)]
    together = [pair for shares in seen for share in shares for pair in share]
    alone = [pair for batch in json.loads((tmp_path / "one/seen-0.json").read_text()) for pair in batch]
    assert Counter(together) == Counter(alone)  # nothing twice, nothing left out
    assert all(share for shares in seen for share in shares)
    sums = load_file(many / TENSORS)["sums"]
    assert len(sums) == size
    one_rank = load_file(one / TENSORS)["sums"]
    torch.testing.assert_close(sums[:, :3].sum(dim=0), one_rank[0, :3])
    torch.testing.assert_close(sums[:, 3:], one_rank[:, 3:].expand(size, -1))


@given(st.integers(1, 9), st.lists(st.integers(0, 10**6), max_size=40))
def test_shares_are_a_partition(size: int, items: list[int]) -> None:
    shares = [fake_rank(rank, size).share(np.array(items, dtype=np.int64)) for rank in range(size)]
    assert Counter(np.concatenate(shares).tolist()) == Counter(items)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def fake_rank(rank: int, size: int) -> Ranks:
    """A rank that was never connected: enough for what needs no exchange."""
    ranks = Ranks(Launch())
    ranks.rank, ranks.size, ranks._local_rank = rank, size, rank
    return ranks


@pytest.mark.parametrize(("before", "after"), [(2, 2), (2, 1), (1, 3), (3, 2)])
def test_the_sums_of_a_log_line_survive_another_number_of_ranks(before: int, after: int) -> None:
    rows = torch.arange(6.0).repeat(before, 1)
    rows[:, :3] += torch.arange(before).unsqueeze(1)  # what each rank has for itself
    meters = [Meter(torch.device("cpu"), fake_rank(rank, after)) for rank in range(after)]
    for meter in meters:
        meter.restore(rows, seconds=3.0)
    restored = torch.stack([meter.sums for meter in meters])
    assert torch.equal(restored[:, :3].sum(dim=0), rows[:, :3].sum(dim=0))
    assert torch.equal(restored[:, 3:], rows[:1, 3:].expand(after, -1))


def test_a_message_carries_translations_exactly() -> None:
    attention = torch.rand(3, 5).numpy()
    candidates = [
        Translation(
            "ça va\u2028?", -0.1 - 1e-17, ["▁how", "</s>"], ["▁ça", "</s>"], attention, [5, 3], [7, 3], [-0.1, -1e-17]
        ),
        Translation("", float("-inf"), [], [], None, [], [], []),
    ]
    found = from_message(to_message([candidates, [EMPTY], []]))
    assert [len(row) for row in found] == [2, 1, 0]
    first = found[0][0]
    assert (first.text, first.score, first.source_ids) == ("ça va\u2028?", candidates[0].score, [5, 3])
    assert first.attention.tobytes() == attention.tobytes()
    assert dataclasses.astuple(found[0][1]) == dataclasses.astuple(candidates[1])
    assert from_message(to_message([])) == []


def test_each_rank_takes_its_own_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ALONE.device_name("auto") == "auto"
    third = fake_rank(2, 4)
    assert (third.device_name("auto"), third.device_name("cuda"), third.device_name("cpu")) == ("cpu", "cuda:2", "cpu")
    assert_refused("one device for 4 processes", third.device_name, "cuda:0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert third.device_name("auto") == "cuda:2"


def test_torchruns_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_MAX_RESTARTS")
    for value, name in enumerate(names, start=3):
        monkeypatch.setenv(name, str(value))
    assert Launch.from_environment() == Launch(3, 4, 5, 6, 7)
    monkeypatch.setenv("RANK", "first")  # somebody else's variable
    assert Launch.from_environment() == Launch()
