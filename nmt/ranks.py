"""Several processes that train one model together, started by torchrun; or one alone, for which all of this is free.

Every rank holds the whole model and takes its share of every batch. Gradients are sums over the batch's tokens, so
adding them up gives the update that one process would have made of the whole batch: the number of ranks changes the
speed, not the result. Rank 0 alone reads and writes the run directory.

What is exchanged is numbers and JSON: nothing is pickled. Counts and texts go through the host's memory, by gloo, so
that agreeing on something never makes a host wait for its GPU; gradients go by NCCL where there are GPUs.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.launch import Launch

log = logging.getLogger(__name__)

Many = TypeVar("Many", np.ndarray, Sequence[Any])


class RankLost(UserError):
    """Another process of this training has ended."""


class Ranks:
    """This process among its mates."""

    def __init__(self, launch: Launch) -> None:
        """Find the mates' meeting point; `connect` meets them."""
        self.rank, self.size, self._local_rank = launch.rank, launch.size, launch.local_rank
        self.is_first = self.rank == 0
        self._host: Any = None  # the group that talks through the hosts' memory
        if self.size == 1:
            return
        has_store = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"  # torchrun's own, else rank 0 opens one
        address, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
        with _losses_named():
            opens = self.is_first and not has_store
            store = dist.TCPStore(address, port, is_master=opens, wait_for_workers=False)  # type: ignore[attr-defined]
            # torchrun's outlives a restart, and so do the addresses of those that were lost.
            self._store: Any = dist.PrefixStore(f"attempt {launch.restarts}", store)  # type: ignore[attr-defined]

    def device_name(self, name: str) -> str:
        """The device for this rank."""
        if self.size == 1 or name == "cpu":
            return name
        if name not in ("auto", "cuda"):
            raise UserError(f"device={name} is one device for {self.size} processes: use device=cuda or device=cpu.")
        return f"cuda:{self._local_rank}" if name == "cuda" or torch.cuda.is_available() else "cpu"

    def same(self, value: Any) -> Any:
        """Rank 0's plain value on every rank, before they are connected."""
        if self.size == 1:
            return value
        with _losses_named():
            if self.is_first:
                self._store.set("settings", json.dumps(value))
            self._wait_for("settings")
            return json.loads(self._store.get("settings"))

    def connect(self, device: torch.device) -> None:
        """Wait for all ranks to come here, however long it takes them, and connect them."""
        if self.size == 1:
            return
        with _losses_named():
            self._store.set(f"ready {self.rank}", "")
            for rank in range(self.size):
                self._wait_for(f"ready {rank}")
            # An optimiser imports this sooner or later. If there is a group by then, it becomes a default argument in
            # there, and `close` could not let go of it.
            importlib.import_module("torch.distributed.nn.functional")
            backend = "nccl" if device.type == "cuda" else "gloo"
            dist.init_process_group(backend, store=self._store, rank=self.rank, world_size=self.size)
            self._host = dist.group.WORLD if backend == "gloo" else dist.new_group(backend="gloo")

    def close(self) -> None:
        """Take leave of the others.

        Whoever holds the group keeps its threads running, and Python must not end before them: it would be aborted.
        """
        if self._host is not None:
            dist.destroy_process_group()
            self._host = self._store = None

    def share(self, items: Many) -> Many:
        """This rank's share: every `size`-th item, so that shares of something sorted by length are alike."""
        return items[self.rank :: self.size]

    def add_up(self, tensors: Sequence[Tensor]) -> None:
        """Replace tensors on the device by their sums over all ranks, in one exchange."""
        if self.size == 1:
            return
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        with _losses_named():
            dist.all_reduce(flat)
        for tensor, total in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
            tensor.copy_(total.view_as(tensor))

    def add_up_gradients(self, model: nn.Module, objective: Tensor) -> None:
        """The same for all gradients of a model, where a rank without a pair has none, and an objective."""
        if self.size == 1:
            return
        parameters = list(model.parameters())
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        self.add_up([*(p.grad for p in parameters if p.grad is not None), objective])

    def spread(self, tensors: Iterable[Tensor]) -> None:
        """Replace tensors on the device by rank 0's."""
        if self.size == 1:
            return
        with _losses_named():
            for tensor in tensors:
                dist.broadcast(tensor, 0)

    def highest(self, *numbers: float) -> list[float]:
        """The highest of each number over all ranks, the same everywhere: how ranks agree."""
        if self.size == 1:
            return list(numbers)
        agreed = torch.tensor(numbers, dtype=torch.float64)
        with _losses_named():
            dist.all_reduce(agreed, dist.ReduceOp.MAX, group=self._host)
        return agreed.tolist()

    def rows(self, tensor: Tensor) -> Tensor:
        """One tensor of each rank, of one shape, as the rows of a tensor in the host's memory."""
        mine = tensor.detach().cpu()
        if self.size == 1:
            return mine.unsqueeze(0)
        found = [torch.empty_like(mine) for _ in range(self.size)]
        with _losses_named():
            dist.all_gather(found, mine.contiguous(), group=self._host)
        return torch.stack(found)

    def all_bytes(self, content: bytes) -> list[bytes]:
        """What each rank has to say, in the order of the ranks."""
        if self.size == 1:
            return [content]
        lengths = self.rows(torch.tensor([len(content)])).flatten().tolist()
        padded = torch.zeros(max(lengths), dtype=torch.uint8)
        padded[: len(content)] = torch.frombuffer(bytearray(content), dtype=torch.uint8) if content else padded[:0]
        return [row[:length].numpy().tobytes() for row, length in zip(self.rows(padded), lengths, strict=True)]

    def first_bytes(self, content: bytes) -> bytes:
        """What rank 0 has to say; the others' `content` is not looked at."""
        if self.size == 1:
            return content
        (length,) = self.highest(len(content) if self.is_first else 0)
        message = torch.empty(int(length), dtype=torch.uint8)
        if self.is_first:
            message.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))
        with _losses_named():
            dist.broadcast(message, 0, group=self._host)
        return message.numpy().tobytes()

    def _wait_for(self, key: str) -> None:
        """Wait in Python rather than in the store, so that a signal is heard at once."""
        while not self._store.check([key]):
            time.sleep(0.05)


ALONE = Ranks(Launch())


@contextmanager
def _losses_named() -> Iterator[None]:
    """A rank that ends, by a kill or an error of its own, shows as a broken connection in the others."""
    try:
        yield
    except RuntimeError as error:
        reason = re.sub(r"^\[.*?\] ", "", str(error)).partition(". ")[0]  # without the place in gloo's source
        raise RankLost(f"Another process of this training was lost ({reason}).") from error
