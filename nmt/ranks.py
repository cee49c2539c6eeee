"""Data-parallel training by several processes that torchrun started; with one process every call is a no-op.

Every rank holds the whole model and takes its share of every batch. Gradients are sums over the batch's tokens, so
their all-reduced sum is the update that one process would make from the whole batch: the number of ranks changes the
speed, not the result. Only rank 0 reads and writes the run directory.

Ranks exchange tensors and JSON, never pickles. Counts and texts use gloo and host memory, so that no host waits for
its GPU; gradients use NCCL where there are GPUs.
"""

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
    """The group of processes, as this one sees it."""

    def __init__(self, launch: Launch) -> None:
        """Open the key-value store of the group; `connect` sets up communication."""
        self.rank, self.size, self._local_rank = launch.rank, launch.size, launch.local_rank
        self.is_first = self.rank == 0
        self._host: Any = None  # process group for tensors in host memory
        if self.size == 1:
            return
        has_store = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"  # torchrun's; otherwise rank 0 opens one
        address, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
        with _broken_connections():
            opens = self.is_first and not has_store
            store = dist.TCPStore(address, port, is_master=opens, wait_for_workers=False)  # type: ignore[attr-defined]
            # torchrun's store outlives a restart and still holds the addresses of processes that were lost.
            self._store: Any = dist.PrefixStore(f"attempt {launch.restarts}", store)  # type: ignore[attr-defined]

    def device_name(self, name: str) -> str:
        """The device of this rank, given the setting `device`."""
        if self.size == 1 or name == "cpu":
            return name
        if name not in ("auto", "cuda"):
            raise UserError(f"device={name} is one device for {self.size} processes: use device=cuda or device=cpu.")
        return f"cuda:{self._local_rank}" if name == "cuda" or torch.cuda.is_available() else "cpu"

    def broadcast_json(self, value: Any) -> Any:
        """Broadcast a JSON value from rank 0; works before `connect`."""
        if self.size == 1:
            return value
        with _broken_connections():
            if self.is_first:
                self._store.set("settings", json.dumps(value))
            self._wait_for("settings")
            return json.loads(self._store.get("settings"))

    def connect(self, device: torch.device) -> None:
        """Wait for all ranks, without a time limit, and set up communication between them."""
        if self.size == 1:
            return
        with _broken_connections():
            self._store.set(f"ready {self.rank}", "")
            for rank in range(self.size):
                self._wait_for(f"ready {rank}")
            # Optimisers import this module, which keeps the group as a default argument if there is one by then;
            # `close` could not release it.
            importlib.import_module("torch.distributed.nn.functional")
            backend = "nccl" if device.type == "cuda" else "gloo"
            dist.init_process_group(backend, store=self._store, rank=self.rank, world_size=self.size)
            self._host = dist.group.WORLD if backend == "gloo" else dist.new_group(backend="gloo")

    def close(self) -> None:
        """Destroy the process group and every reference to it: its threads would abort Python at exit."""
        if self._host is not None:
            dist.destroy_process_group()
            self._host = self._store = None

    def share(self, items: Many) -> Many:
        """This rank's share: every `size`-th item, which balances items that are sorted by length."""
        return items[self.rank :: self.size]

    def all_reduce(self, tensors: Sequence[Tensor]) -> None:
        """Sum tensors on the device over all ranks, in place and in one all-reduce."""
        if self.size == 1:
            return
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        with _broken_connections():
            dist.all_reduce(flat)
        for tensor, total in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
            tensor.copy_(total.view_as(tensor))

    def all_reduce_gradients(self, model: nn.Module, objective: Tensor) -> None:
        """All-reduce a model's gradients, 0 on a rank that had no pair, together with the objective."""
        if self.size == 1:
            return
        parameters = list(model.parameters())
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        self.all_reduce([*(p.grad for p in parameters if p.grad is not None), objective])

    def broadcast(self, tensors: Iterable[Tensor]) -> None:
        """Broadcast tensors on the device from rank 0, in place."""
        if self.size == 1:
            return
        with _broken_connections():
            for tensor in tensors:
                dist.broadcast(tensor, 0)

    def all_reduce_max(self, *numbers: float) -> list[float]:
        """The maximum of each number over all ranks."""
        if self.size == 1:
            return list(numbers)
        agreed = torch.tensor(numbers, dtype=torch.float64)
        with _broken_connections():
            dist.all_reduce(agreed, dist.ReduceOp.MAX, group=self._host)
        return agreed.tolist()

    def all_gather(self, tensor: Tensor) -> Tensor:
        """All-gather tensors of one shape, stacked in rank order in host memory."""
        mine = tensor.detach().cpu()
        if self.size == 1:
            return mine.unsqueeze(0)
        found = [torch.empty_like(mine) for _ in range(self.size)]
        with _broken_connections():
            dist.all_gather(found, mine.contiguous(), group=self._host)
        return torch.stack(found)

    def all_gather_bytes(self, content: bytes) -> list[bytes]:
        """All-gather byte strings, in rank order."""
        if self.size == 1:
            return [content]
        lengths = self.all_gather(torch.tensor([len(content)])).flatten().tolist()
        padded = torch.zeros(max(lengths), dtype=torch.uint8)
        padded[: len(content)] = torch.frombuffer(bytearray(content), dtype=torch.uint8) if content else padded[:0]
        return [row[:length].numpy().tobytes() for row, length in zip(self.all_gather(padded), lengths, strict=True)]

    def broadcast_bytes(self, content: bytes) -> bytes:
        """Broadcast a byte string from rank 0; the `content` of other ranks is ignored."""
        if self.size == 1:
            return content
        (length,) = self.all_reduce_max(len(content) if self.is_first else 0)
        message = torch.empty(int(length), dtype=torch.uint8)
        if self.is_first:
            message.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))
        with _broken_connections():
            dist.broadcast(message, 0, group=self._host)
        return message.numpy().tobytes()

    def _wait_for(self, key: str) -> None:
        """Wait for a key by polling: signals are handled between polls, but not inside the store's own wait."""
        while not self._store.check([key]):
            time.sleep(0.05)


ALONE = Ranks(Launch())


@contextmanager
def _broken_connections() -> Iterator[None]:
    """Turn a broken connection, which means that another rank has ended, into RankLost."""
    try:
        yield
    except RuntimeError as error:
        reason = re.sub(r"^\[.*?\] ", "", str(error)).partition(". ")[0]  # without the position in gloo's source
        raise RankLost(f"Another process of this training was lost ({reason}).") from error
