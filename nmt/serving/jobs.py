"""Run jobs: numpy in several processes, or PyTorch in batches of what is waiting."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from nmt import portable  # noqa: F401 - before numpy, for its number of threads
from nmt.commands.engines import Loaded
from nmt.errors import UserError
from nmt.serving.results import Job, work

log = logging.getLogger(__name__)
_about_sentences = logging.getLogger("nmt.translation")

TOGETHER = 64  # sentences that PyTorch translates at once


class Packed(NamedTuple):
    """A portable file for processes to load; its content would not fit into the pipe that starts a process."""

    path: Path
    checksum: bytes  # SHA-256
    threshold: float | None  # confidence at or below which a translation is a guess


class Jobs(Protocol):
    """The interface of both."""

    name: str
    capacity: int  # jobs that are of use at once

    def check(self) -> None:
        """Wait until it can work; a UserError if it cannot."""

    async def start(self) -> None:
        """Begin, in the loop that will run jobs."""

    async def run(self, job: Job) -> Any:
        """Do a job."""

    def stop(self) -> None:
        """End what was started; nothing may be under way."""


class Processes:
    """The numpy engine in several processes, as Python runs one thread of a process at a time."""

    def __init__(self, models: Sequence[Packed], workers: int) -> None:
        self.capacity, self.name = workers, f"numpy, {workers} process{'es' * (workers > 1)}"
        self._models = models
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        spawn = multiprocessing.get_context("spawn")  # forking is not safe with threads
        pool = ProcessPoolExecutor(self.capacity, spawn, _begin, (self._models,))
        self._starting = [pool.submit(_ready) for _ in range(self.capacity)]  # each starts a process
        return pool

    def check(self) -> None:
        try:
            for started in self._starting:
                started.result()
        except BrokenProcessPool as error:
            raise UserError("The processes that translate could not be started: see above.") from error

    async def start(self) -> None:
        self._free = asyncio.Semaphore(self.capacity)  # waits in order, so that no request is overtaken

    async def run(self, job: Job) -> Any:
        for last in (False, True):
            pool = self._pool
            try:
                return await self._call(pool, _work, job)
            except BrokenProcessPool:  # a process was killed, as by the system when memory is short
                if self._pool is pool:
                    log.error("A process that translates has ended unexpectedly; new ones are started.")
                    self._pool = self._new()
                    pool.shutdown(wait=False)
                if last:
                    raise
        raise AssertionError("unreachable")

    async def _call(self, pool: Executor, function: Any, *arguments: Any) -> Any:
        await self._free.acquire()
        loop = asyncio.get_running_loop()

        def release(_: Future[Any]) -> None:
            loop.call_soon_threadsafe(self._free.release)

        try:
            future = pool.submit(function, *arguments)
        except RuntimeError:  # a pool that is broken or shut down
            self._free.release()
            raise
        # Not before the process is done, even if nobody waits for the result any more.
        future.add_done_callback(release)
        return await asyncio.wrap_future(future)

    def stop(self) -> None:
        self._pool.shutdown(cancel_futures=True)


_loaded: list[Loaded] = []  # of a process


def _begin(models: Sequence[Packed]) -> None:
    """Load the models in a new process; signals are for the server, which ends its processes."""
    from nmt.portable.translator import PortableTranslator

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_server, daemon=True).start()
    logging.disable(logging.CRITICAL)  # warnings may have text of requests in them
    for model in models:
        content = model.path.read_bytes()
        if hashlib.sha256(content).digest() != model.checksum:
            print(f"{model.path} has changed: start serve.py again.", file=sys.stderr)
            raise SystemExit(1)
        engine = PortableTranslator.from_content(content, model.path)
        _loaded.append(Loaded(engine, engine.known, model.threshold))


def _end_with_server() -> None:
    """End this process if the server is killed."""
    server = multiprocessing.parent_process()
    assert server is not None
    wait([server.sentinel])
    os._exit(1)


def _ready() -> None:
    """Does nothing: a process that answers is ready."""


def _work(job: Job) -> Any:
    return work(_loaded[job.model], [job])[0]


class Batches:
    """The PyTorch engine in a thread: translates together what came while it was busy."""

    capacity = TOGETHER

    def __init__(self, models: Sequence[Loaded], device: str) -> None:
        self.name = f"PyTorch, {device}"
        self._models = models
        self._waiting: deque[tuple[Job, asyncio.Future[Any]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1)
        self.batches = self.sentences = 0  # done so far

    def check(self) -> None:
        """A model that was loaded can work."""

    async def start(self) -> None:
        _about_sentences.setLevel(logging.ERROR)  # warnings may have text of requests in them

    async def run(self, job: Job) -> Any:
        result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((job, result))
        if self._task is None:
            self._task = asyncio.create_task(self._drain())
        return await result

    async def _drain(self) -> None:
        """Translate until nothing waits."""
        loop = asyncio.get_running_loop()
        while batch := self._next():
            jobs = [job for job, _ in batch]
            self.batches, self.sentences = self.batches + 1, self.sentences + len(jobs)
            try:
                values = await loop.run_in_executor(self._thread, work, self._models[jobs[0].model], jobs)
            except Exception as error:
                for _, result in batch:
                    if not result.done():
                        result.set_exception(error)
                continue
            for (_, result), value in zip(batch, values, strict=True):
                if not result.done():  # of a request that was given up
                    result.set_result(value)
        self._task = None

    def _next(self) -> list[tuple[Job, asyncio.Future[Any]]]:
        """The first that waits, and others that can be translated with it."""
        batch: list[tuple[Job, asyncio.Future[Any]]] = []
        others = []
        while self._waiting and len(batch) < TOGETHER:
            job, result = self._waiting.popleft()
            if result.done():
                continue
            if batch and (job.model, job.best) != (batch[0][0].model, batch[0][0].best):
                others.append((job, result))
            else:
                batch.append((job, result))
        self._waiting.extendleft(reversed(others))
        return batch

    def stop(self) -> None:
        self._thread.shutdown()
        _about_sentences.setLevel(logging.NOTSET)
