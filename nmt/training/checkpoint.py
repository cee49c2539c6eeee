"""Checkpoints: tensors in safetensors, numbers in JSON, and a SHA-256 for each file; published atomically.

A checkpoint is a directory `step-00001200`, written under a temporary name, flushed to the disk and renamed. The last
checkpoint is the one with the highest number; each records its step, its run, and which step was the best. Checksums
are compared before a checkpoint is used, and nothing is ever unpickled.
"""

import copy
import dataclasses
import errno
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load as from_bytes
from safetensors.torch import load_file, save_file
from safetensors.torch import save as to_bytes
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.files import check_sums, new_directory, remove_directory, write_json
from nmt.ranks import Ranks
from nmt.shell import resume_command
from nmt.training.state import TrainState
from nmt.typed import NewerVersion, to_dataclass, written_to

log = logging.getLogger(__name__)

T = TypeVar("T")
MODEL, TENSORS, NUMBERS = "model.safetensors", "training.safetensors", "training.json"


class NotLoadable(UserError):
    """A checkpoint that may be intact, but cannot be loaded on this machine."""


class Snapshot(NamedTuple):
    """What a resumed run needs besides the model."""

    state: TrainState
    numbers: dict[str, Any]
    tensors: dict[str, Tensor]


class Checkpoints:
    """The checkpoints of one run: the best, the last, and the one before it in case the last is damaged."""

    def __init__(self, directory: Path, run: str = "", check_place: Callable[[], None] = lambda: None) -> None:
        """Keep checkpoints in `directory` for the run with this identity; those of other runs are refused.

        `check_place` is called before each save, and raises a UserError if the run directory is gone.
        """
        self.directory, self.run, self.check_place = directory, run, check_place

    def path(self, step: int) -> Path:
        """Where the checkpoint of this step is."""
        return self.directory / f"step-{step:08d}"

    def save(self, model: nn.Module, snapshot: Snapshot) -> None:
        """Write a checkpoint, then remove those that are no longer needed."""
        state = snapshot.state
        self.check_place()
        with new_directory(self.path(state.step), existing="replace") as directory:
            write_tensors(directory / MODEL, dict(model.named_parameters()))  # a tied parameter is named once
            write_tensors(directory / TENSORS, snapshot.tensors)
            numbers = {"run": self.run, "state": dataclasses.asdict(state), **snapshot.numbers}
            write_json(directory / NUMBERS, numbers)
        # Later steps than this are of damaged checkpoints, which do not count among the last two.
        for step in [step for step in self.steps() if step <= state.step][:-2]:
            if step != state.best_step:
                remove_directory(self.path(step))

    def steps(self) -> list[int]:
        """Steps that have a checkpoint, oldest first."""
        numbers = (re.fullmatch(r"step-([0-9]{8,})", path.name) for path in self.directory.glob("step-*"))
        return sorted(int(found[1]) for found in numbers if found and self.path(int(found[1])).name == found[0])

    def load_last(self, model: nn.Module) -> Snapshot:
        """Restore the newest checkpoint that is intact."""

        def load(step: int) -> Snapshot:
            state, numbers = self.check(step)
            tensors = _load_tensors(self.path(step) / TENSORS)
            load_weights(self.path(step), model)
            return Snapshot(state, numbers, tensors)

        step, snapshot = self._first_intact(self.steps()[::-1], load, "Going back to the checkpoint before it.")
        state = snapshot.state
        if state.best_step not in (None, step):
            try:
                self.check(state.best_step)
            except UserError as error:  # pruned for a better one that is lost, or damaged as well
                log.warning("%s It was the best so far: a new best will be looked for.", error)
                # Counts as not validated, so that a run that has reached its end validates once more.
                state.best, state.best_step, state.validated_step = None, None, 0
        return snapshot

    def load_best(self, best_step: int, model: nn.Module) -> str:
        """Load the best checkpoint into `model`, or else the newest intact one; return its name."""

        def load(step: int) -> None:
            self.check(step)
            load_weights(self.path(step), model)

        others = [step for step in reversed(self.steps()) if step != best_step]
        step, _ = self._first_intact([best_step, *others], load, "Another checkpoint is tried.")
        if step != best_step:
            advice = resume_command(self.directory.parent)
            log.warning("The best checkpoint is lost: using %s (`%s` finds a new best).", self.path(step), advice)
        return self.path(step).name

    def _first_intact(self, steps: Sequence[int], load: Callable[[int], T], notice: str) -> tuple[int, T]:
        """Load the first of these checkpoints that is intact, with a notice for each that is not.

        What may be intact but cannot be read here (permissions, memory, version) is an error: an older checkpoint would
        not help, and training again would not be needed.
        """
        for step in steps:
            try:
                return step, load(step)
            except (NewerVersion, NotLoadable):
                raise
            except UserError as error:
                log.warning("%s %s", error, notice)
        raise UserError(f"{self.directory} holds no intact checkpoint: restore one from a copy, or train again.")

    def check(self, step: int) -> tuple[TrainState, dict[str, Any]]:
        """Return the numbers of a checkpoint; a UserError if it is damaged, renamed or of another run."""
        check_sums(self.path(step))
        file = self.path(step) / NUMBERS
        try:
            numbers = json.loads(file.read_text(encoding="utf-8"))
            run, values = numbers.pop("run"), numbers.pop("state")
        except (ValueError, TypeError, KeyError) as error:
            raise UserError(f"{file} does not hold the numbers of a checkpoint.") from error
        with written_to(file):
            state = to_dataclass(TrainState, values, where="state")
        if run != self.run:
            raise UserError(f"{self.path(step)} belongs to another run.")
        if state.step != step:
            raise UserError(f"{self.path(step)} was renamed: it is the checkpoint of step {state.step}.")
        return state, numbers


def write_tensors(path: Path, tensors: dict[str, Tensor]) -> None:
    """Write a safetensors file; its errors, such as a full disk, become OSErrors."""
    path.touch()
    mode = path.stat().st_mode  # by the umask, as of the files beside it; save_file lets only the owner read
    try:
        save_file(tensors, path)
    except SafetensorError as error:
        raise OSError(errno.EIO, str(error), str(path)) from error
    with suppress(OSError):  # some file systems have no modes
        path.chmod(mode)


def load_weights(checkpoint: Path, model: nn.Module) -> None:
    """Fill `model`, on whatever device it is, from a checkpoint that was checked before."""
    file = checkpoint / MODEL
    tensors, parameters = _load_tensors(file), dict(model.named_parameters())
    kinds = [{name: (each.shape, each.dtype) for name, each in group.items()} for group in (parameters, tensors)]
    if kinds[0] != kinds[1]:
        raise UserError(f"{file} does not fit the model in config.yaml: the two are of different runs.")
    with torch.no_grad(), _needing_memory(file):
        for name, parameter in parameters.items():
            parameter.copy_(tensors[name])


def _load_tensors(file: Path) -> dict[str, Tensor]:
    """Read the tensors of a safetensors file by name, into the memory of the CPU.

    Adam's step counts stay there; whoever uses the others copies them to their device.
    """
    with _needing_memory(file):
        try:
            tensors: dict[str, Tensor] = load_file(file)
            return tensors
        except (SafetensorError, ValueError, KeyError) as error:
            raise UserError(f"{file} is not a safetensors file that can be read ({error}).") from error


@contextmanager
def _needing_memory(file: Path) -> Iterator[None]:
    """Turn errors of reading `file` or of allocating memory into NotLoadable; its content is not their cause."""
    try:
        yield
    except (OSError, MemoryError, RuntimeError) as error:  # PyTorch's lack of memory is a RuntimeError
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0] or "out of memory"
        raise NotLoadable(f"{file} cannot be loaded here ({reason}): see to permissions and memory.") from error


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """An optimiser's state as a flat mapping "optimizer.PARAMETER.name" → tensor."""
    return {
        f"optimizer.{number}.{name}": torch.as_tensor(value)
        for number, values in optimizer.state_dict()["state"].items()
        for name, value in values.items()
        if value is not None
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Restore what `optimizer_tensors` gave; settings such as rates come from the configuration and the schedule.

    A ValueError if it is not the state of this optimiser, whose fused kernels do not check sizes.
    """
    found = {key: tensor for key, tensor in tensors.items() if key.startswith("optimizer.")}
    if not found:
        return  # saved before the first update
    kept = {key: (tensor.shape, tensor.dtype) for key, tensor in optimizer_tensors(stepped_twin(optimizer)).items()}
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in found.items():  # a parameter that has had no gradient yet has no state
        if kept.get(key) != (tensor.shape, tensor.dtype):
            raise ValueError(f"its {key} is not what this optimiser keeps")
        _, number, name = key.split(".", 2)
        state.setdefault(int(number), {})[name] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def stepped_twin(optimizer: torch.optim.Optimizer) -> torch.optim.Optimizer:
    """A copy of a new optimiser and its parameters after one step with gradients of 0, to see what state it keeps."""
    twin = copy.deepcopy(optimizer)
    for group in twin.param_groups:
        for parameter in group["params"]:
            parameter.grad = torch.zeros_like(parameter)
    twin.step()
    return twin


def broadcast_snapshot(found: Snapshot | None, ranks: Ranks) -> Snapshot:
    """Broadcast a snapshot from rank 0, the only rank that reads the run directory."""
    if ranks.size == 1:
        assert found is not None
        return found
    numbers, tensors = b"", b""
    if found is not None:
        numbers = json.dumps([dataclasses.asdict(found.state), found.numbers]).encode()
        tensors = to_bytes({name: tensor.contiguous() for name, tensor in found.tensors.items()})
    state, others = json.loads(ranks.broadcast_bytes(numbers))
    received = from_bytes(ranks.broadcast_bytes(tensors))
    return Snapshot(TrainState(**state), others, {name: tensor.clone() for name, tensor in received.items()})
