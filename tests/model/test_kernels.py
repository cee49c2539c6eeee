"""Hand-written forward and backward against plain formulas and autograd, in float64."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from nmt.model import products
from nmt.model.gru import gru_cell, gru_sequence
from nmt.model.products import PLAIN, LoopProducts, Products
from nmt.model.recurrence import run_packed
from tests.conftest import MODELS, ROOT, logits_of, sentences, tiny_model


def numbers(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def assert_same(a: list[Tensor], b: list[Tensor], inputs: list[Tensor]) -> None:
    """Equal outputs, and equal gradients in a random direction."""
    directions = [torch.randn_like(x) for x in a]
    gradients = []
    for outputs in (a, b):
        value = sum((x * d).sum() for x, d in zip(outputs, directions, strict=True))
        gradients.append(torch.autograd.grad(value, inputs, retain_graph=True, allow_unused=True))
    for x, y in zip([*a, *gradients[0]], [*b, *gradients[1]], strict=True):
        torch.testing.assert_close(x, y, rtol=1e-9, atol=1e-11)


def test_gru_cell() -> None:
    from_x, from_h, h = numbers(3, 12), numbers(3, 12), numbers(3, 4)
    (x_r, x_z, x_n), (h_r, h_z, h_n) = from_x.split(4, -1), from_h.split(4, -1)
    r, z = (x_r + h_r).sigmoid(), (x_z + h_z).sigmoid()
    naive = (1 - z) * (x_n + r * h_n).tanh() + z * h
    assert_same([gru_cell(from_x, from_h, h)], [naive], [from_x, from_h, h])


@pytest.mark.parametrize("reverse", [False, True])
def test_gru_sequence_is_the_cell_step_after_step(reverse: bool) -> None:
    sizes = [3, 3, 2, 1]
    from_x, first, weight, bias = numbers(9, 12), numbers(3, 4), numbers(12, 4), numbers(12)
    fast = gru_sequence(from_x, first, weight, bias, sizes, reverse)
    h, outputs = list(first), [first[0]] * 9
    starts = [0, 3, 6, 8]
    for step in reversed(range(4)) if reverse else range(4):
        for row in range(sizes[step]):
            x = from_x[starts[step] + row]
            h[row] = gru_cell(x[None], (weight @ h[row] + bias)[None], h[row][None])[0]
            outputs[starts[step] + row] = h[row]
    assert_same(list(fast), [torch.stack(outputs), torch.stack(h)], [from_x, first, weight, bias])


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_run_packed_equals_pytorchs_gru(layers: int, bidirectional: bool) -> None:
    rnn = nn.GRU(5, 4, layers, batch_first=True, bidirectional=bidirectional).double()
    packed = pack_padded_sequence(numbers(3, 6, 5), torch.tensor([6, 4, 1]), batch_first=True)
    inputs = packed.data.detach().requires_grad_()
    outputs, last = rnn(packed._replace(data=inputs))
    fast = run_packed(rnn, inputs, packed.batch_sizes)
    assert_same(list(fast), [outputs.data, last], [inputs, *rnn.parameters()])


def wander(products: Products, x: Tensor, weight: Tensor, bias: Tensor, keys: Tensor, values: Tensor, v: Tensor) -> Any:
    """A loop that uses every product, the first one twice a step, and one tensor on both sides: keys as values."""
    seen = []
    for _ in range(3):
        x = products.linear(products.linear(x, weight, bias).tanh(), weight, bias)
        energies = products.match(x, keys) + products.additive(x, keys, v)
        x = x + products.weigh(energies.softmax(-1), values) + products.weigh(energies.softmax(-1), keys)
        seen.append(x)
    return torch.cat(seen, dim=1)


def loop_inputs() -> list[Tensor]:
    torch.manual_seed(1)
    return [numbers(2, 1, 4), numbers(4, 4), numbers(4), numbers(2, 5, 4), numbers(2, 5, 4), numbers(4)]


def naive_additive(queries: Tensor, keys: Tensor, v: Tensor) -> Tensor:
    return (queries.unsqueeze(2) + keys.unsqueeze(1)).tanh() @ v


class Naive(Products):
    """The formulas, for autograd to differentiate."""

    def additive(self, queries: Tensor, keys: Tensor, v: Tensor) -> Tensor:
        return naive_additive(queries, keys, v)


@pytest.mark.parametrize("budget", [0, 2**20], ids=["recomputed", "stored"])
def test_a_loops_products_have_autograds_gradients(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "KEEP_HIDDEN", budget)
    inputs = loop_inputs()
    fast = wander(LoopProducts(3), *inputs)
    assert_same([fast], [wander(Naive(), *inputs)], inputs)
    assert_same([fast], [wander(Naive(), *inputs)], inputs)  # and again, of the same graph


def test_a_frozen_matrix_gets_no_gradient() -> None:
    inputs = loop_inputs()
    inputs[1].requires_grad_(False)
    inputs[4].requires_grad_(False)
    trained = [x for x in inputs if x.requires_grad]
    assert_same([wander(LoopProducts(3), *inputs)], [wander(Naive(), *inputs)], trained)


@pytest.mark.parametrize("grad", [True, False])
def test_additive_energies_of_many_queries(grad: bool) -> None:
    queries, keys, v = numbers(2, 3, 4), numbers(2, 5, 4), numbers(4)
    naive = naive_additive(queries, keys, v)
    with torch.set_grad_enabled(grad):
        fast = PLAIN.additive(queries, keys, v)
    if grad:
        assert_same([fast], [naive], [queries, keys, v])
    else:
        torch.testing.assert_close(fast, naive)


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize("name", MODELS)
def test_autocast_trains_in_its_own_type(name: str) -> None:
    """Half-precision products, full-precision gradients, close to those of full precision."""
    model = tiny_model(f"model={name}")
    with torch.no_grad():  # attention far from even, so that its gradients are not mere rounding
        for parameter in model.parameters():
            parameter *= 2
    arguments = sentences([5, 3]), torch.tensor([5, 3]), torch.tensor([[1, 7, 9, 4], [1, 5, 5, 8]])
    exact = gradients(model, lambda: logits_of(model, *arguments))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = logits_of(model, *arguments)
    assert logits.dtype == torch.bfloat16
    rough = gradients(model, lambda: logits.float())
    for a, b in zip(exact, rough, strict=True):
        assert b.dtype == torch.float32
        assert (a - b).norm() < 0.3 * a.norm()  # it was 0.15 at most; a lost gradient is off by 1


def gradients(model: nn.Module, logits: Callable[[], Tensor]) -> list[Tensor]:
    return list(torch.autograd.grad(logits().square().mean(), list(model.parameters())))


@pytest.mark.parametrize(("budget", "kept"), [(4 * 6 * 8 * 3 - 1, False), (4 * 6 * 8 * 3, True)])
def test_the_scores_hidden_layer_is_stored_within_its_budget(
    budget: int, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "KEEP_HIDDEN", budget)
    model = tiny_model("model=bahdanau", "model.score.size=8")
    weights = model(sentences([6] * 4), torch.tensor([6] * 4), torch.ones(4, 3, dtype=torch.int64)).weights
    steps = [node for node in graph_of(weights) if type(node).__name__ == "_AdditiveBackward"]
    assert len(steps) == 3
    assert {step.work for step in steps} == {steps[0].work}
    assert len(steps[0].work.hidden) == (3 if kept else 1)


def graph_of(tensor: Tensor) -> set[Any]:
    """All nodes that a tensor's gradient passes through."""
    found, todo = set(), [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.add(node)
            todo += [parent for parent, _ in node.next_functions]
    return found


LONG = """
import resource, torch
from tests.conftest import tiny_model
from nmt.training.loss import token_loss
sizes = ["embedding_size=256", "readout_size=512", "tie=none", "encoder.hidden_size=256", "decoder.hidden_size=512"]
model = tiny_model("model=bahdanau", "model.score.size=512", *(f"model.{size}" for size in sizes), vocab=8000)
tokens = torch.randint(4, 8000, (64, 200))
output = model(tokens, torch.full((64,), 200), tokens)
token_loss(output.readout, tokens, torch.arange(64 * 200), model.output, 0.1).objective.backward()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_sentences_of_200_tokens_train_within_4_gib() -> None:
    """64 of them at once, at the benchmark's size; the score's hidden layer alone would be 5 GiB."""
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(done.stdout) < 4 * 2**20  # KiB
