"""Half precision, and memory."""

import subprocess
import sys
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from tests.conftest import CELLS, MODELS, ROOT, logits_of, sentences, tiny_model


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize("choice", [*(f"model={name}" for name in MODELS), *(f"model/cell={name}" for name in CELLS)])
def test_autocast_trains_in_its_own_type(choice: str) -> None:
    """Half-precision products, full-precision gradients, close to those of full precision."""
    model = tiny_model(choice)
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


LONG = """
import resource, torch
from tests.conftest import tiny_model
from nmt.memory import map_large_tensors
from nmt.training.loss import token_loss
map_large_tensors()
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
