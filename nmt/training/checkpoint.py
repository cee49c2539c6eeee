"""Checkpoints: tensors in safetensors, numbers in JSON, a SHA-256 for each; whole or not there.

A checkpoint is a directory `step-00001200`, written under a temporary name, flushed to the disk and renamed.
There is no pointer file to fall out of step: the last checkpoint is the one with the highest number, and it knows
which step was the best. Nothing is ever unpickled.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import load as from_bytes
from safetensors.torch import load_file, save_file
from safetensors.torch import save as to_bytes
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.files import check_sums, damage, new_directory, remove_leftovers, write_json
from nmt.ranks import Ranks
from nmt.training.state import TrainState

log = logging.getLogger(__name__)

MODEL, TENSORS, NUMBERS = "model.safetensors", "training.safetensors", "training.json"


class Snapshot(NamedTuple):
    """Everything besides the model that a run needs in order to go on."""

    state: TrainState
    numbers: dict[str, Any]
    tensors: dict[str, Tensor]


class Checkpoints:
    """The checkpoints of one run: the best, the last, and the one before it in case the last is damaged."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def path(self, step: int) -> Path:
        """Where the checkpoint of this step is."""
        return self.directory / f"step-{step:08d}"

    def save(self, model: nn.Module, snapshot: Snapshot) -> None:
        """Write a checkpoint, then remove those that are no longer needed."""
        final = self.path(snapshot.state.step)
        remove_leftovers(final)
        with new_directory(final, existing="replace") as directory:
            save_file(dict(model.named_parameters()), directory / MODEL)  # a tied parameter is named once
            save_file(snapshot.tensors, directory / TENSORS)
            write_json(directory / NUMBERS, {"state": dataclasses.asdict(snapshot.state), **snapshot.numbers})
        self._prune(snapshot.state)

    def steps(self) -> list[int]:
        """Steps that have a checkpoint, oldest first."""
        return sorted(int(path.name[5:]) for path in self.directory.glob("step-*") if path.name[5:].isdigit())

    def last_step(self) -> int | None:
        """The newest of them, if there is one."""
        return max(self.steps(), default=None)

    def load_last(self, model: nn.Module, device: torch.device) -> Snapshot:
        """Restore the newest checkpoint that is intact."""
        for step in reversed(self.steps()):
            if problem := damage(self.path(step)):
                log.warning("%s: going back to the checkpoint before it.", problem)
                continue
            load_weights(self.path(step), model, device, checked=True)
            numbers = json.loads((self.path(step) / NUMBERS).read_text(encoding="utf-8"))
            state = TrainState(**numbers.pop("state"))
            if state.best_step is not None and damage(self.path(state.best_step)):
                # The best of then was pruned for a better one, which is what got damaged: look for a new best.
                state.best = state.best_step = None
            return Snapshot(state, numbers, load_file(self.path(step) / TENSORS, device=str(device)))
        raise UserError(f"{self.directory} holds no intact checkpoint: start again with python train.py.")

    def _prune(self, state: TrainState) -> None:
        for step in self.steps()[:-2]:
            if step != state.best_step:
                shutil.rmtree(self.path(step))


def load_weights(checkpoint: Path, model: nn.Module, device: torch.device, checked: bool = False) -> None:
    """Fill `model` from a checkpoint whose checksums match."""
    if not checked:
        check_sums(checkpoint)
    tensors = load_file(checkpoint / MODEL, device=str(device))
    parameters = dict(model.named_parameters())
    if {name: p.shape for name, p in parameters.items()} != {name: t.shape for name, t in tensors.items()}:
        raise UserError(f"{checkpoint / MODEL} does not fit the model in config.yaml: the two are of different runs.")
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(tensors[name])


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """An optimiser's state as a flat mapping "parameter.name" → tensor."""
    state: Mapping[int, Mapping[str, Any]] = optimizer.state_dict()["state"]
    return {
        f"optimizer.{parameter}.{name}": torch.as_tensor(value)
        for parameter, values in state.items()
        for name, value in values.items()
        if value is not None
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """The inverse of `optimizer_tensors`; rates and the like come from the configuration and the schedule."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        if key.startswith("optimizer."):
            _, parameter, name = key.split(".", 2)
            state.setdefault(int(parameter), {})[name] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def spread_snapshot(found: Snapshot | None, ranks: Ranks, device: torch.device) -> Snapshot:
    """What rank 0 found, on every rank; the others need not see the run directory."""
    if ranks.size == 1:
        assert found is not None
        return found
    numbers, tensors = b"", b""
    if found is not None:
        numbers = json.dumps([dataclasses.asdict(found.state), found.numbers]).encode()
        tensors = to_bytes({name: tensor.contiguous() for name, tensor in found.tensors.items()})
    state, others = json.loads(ranks.first_bytes(numbers))
    received = from_bytes(ranks.first_bytes(tensors))
    return Snapshot(
        TrainState(**state), others, {name: tensor.to(device, copy=True) for name, tensor in received.items()}
    )
