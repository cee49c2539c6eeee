"""What the benchmark compares must be the same thing."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.decoding import EndingOnTime
from benchmarks.naive import naive_loss
from benchmarks.yardstick import Arithmetic, Peak

from nmt.data.batching import collate
from nmt.search import Greedy
from nmt.training.loss import token_loss
from tests.commands import command, succeeded
from tests.conftest import MODELS, sentences, tiny_model
from tests.training.toys import VOCAB, toy_store


def test_the_naive_twin_has_the_same_loss_and_gradients() -> None:
    model = tiny_model("model=bahdanau", "model.tie=none", vocab=VOCAB).double()
    batch = collate(toy_store(9, lambda row: row[::-1]), np.arange(9))
    readout = model(batch.source, batch.source_lengths, batch.target_in).readout
    fast = token_loss(readout, batch.target_out, batch.real, model.output, 0.1).objective / batch.tokens
    naive = naive_loss(model, batch, 0.1)
    torch.testing.assert_close(fast, naive)
    parameters = list(model.parameters())
    for a, b in zip(torch.autograd.grad(fast, parameters), torch.autograd.grad(naive, parameters), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-7, atol=1e-10)


def test_the_arithmetic_of_the_yardstick() -> None:
    """About 48 million operations a target token, forward and backward, when both sides are equally long."""
    assert Arithmetic.of("bahdanau").update(1000, 1000, 66) / 1000 == pytest.approx(48e6, rel=0.02)
    assert Arithmetic.of("luong").update(1000, 1000, 66) < Arithmetic.of("luong, input feeding").update(1000, 1000, 66)


def test_hypotheses_end_at_the_length_asked_for() -> None:
    model = EndingOnTime(tiny_model("model=bahdanau").eval())
    model.lengths = torch.tensor([4, 2, 6])
    found = Greedy()(model, sentences([5, 5, 3]), torch.tensor([5, 5, 3]))
    assert [len(hypotheses[0].tokens) for hypotheses in found] == [4, 2, 6]
    assert model.rows == 5 + 3 + 7  # EOS is a step too


def test_the_peak_is_measured() -> None:
    peak = Peak(size=64)
    peak.measure()
    assert peak.rate > 1e6


@pytest.mark.slow
def test_a_quick_benchmark_measures_everything(tmp_path: Path) -> None:
    succeeded(command("scripts/bench.py", "--quick", "--json", str(tmp_path / "bench.json")))
    results = json.loads((tmp_path / "bench.json").read_text())
    assert set(results["training"]) >= {"seq2seq", "bahdanau", "luong", "luong, input feeding"}
    for figures in results["training"].values():
        assert figures["tokens_per_second"] > 0
        assert 0 < figures.get("utilisation", 0.5) < 1.5
    assert {"decoding", "preparing", "sgemm_gflops"} <= set(results)


@pytest.mark.slow
def test_a_trace_is_written(tmp_path: Path) -> None:
    assert command("scripts/bench.py", "--profile", str(tmp_path / "trace.json")).returncode == 0
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]


@pytest.mark.slow
def test_every_model_can_be_timed() -> None:
    done = succeeded(command("scripts/bench_attention.py", "--repeats", "1", "--updates", "1"))
    assert all(name in done.stdout for name in MODELS)
