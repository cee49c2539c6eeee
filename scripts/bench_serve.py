"""serve.py under load on loopback, against one translate.py process that is fed the same sentences.

Every answer is compared with the translation of translate.py: none may be lost, or be that of another request.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from nmt import cli
from nmt.commands.engines import open_portable
from nmt.config import ROOT
from nmt.data.heldout import read_held_out
from nmt.run import Run, newest_finished
from nmt.serving.models import Label
from nmt.serving.sentences import cut


@dataclass
class Load:
    """What clients saw."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)  # of right answers, in seconds
    wrong: int = 0  # another text than that of translate.py
    refused: int = 0  # 503
    failed: int = 0  # any other status, or no answer
    computing: float = 0.0  # seconds of all processors, in the server

    def row(self) -> str:
        """Requests per second, median and 99th percentile of the latency, and what went wrong."""
        ordered = sorted(self.latencies) or [float("nan")]
        p50, p99 = (1000 * ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.99))
        rate = len(self.latencies) / self.seconds
        each = 1000 * self.computing / max(1, len(self.latencies))
        return f"{rate:10.1f} {p50:8.1f} {p99:8.1f} {each:8.1f} {self.wrong:7d} {self.refused:8d} {self.failed:7d}"


HEAD = "requests/s   p50 ms   p99 ms   CPU ms   wrong  refused  failed"


class Server(NamedTuple):
    """A server that is ready."""

    pid: int
    port: int
    ready: float  # seconds that it took
    languages: tuple[str, str]


class Client:
    """A connection that is kept open."""

    def __init__(self, port: int, languages: tuple[str, str]) -> None:
        self.port, self.languages = port, languages

    async def translate(self, text: str) -> tuple[int, str]:
        """Status and translation."""
        if not hasattr(self, "reader"):
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        source, target = self.languages
        body = json.dumps({"q": text, "source": source, "target": target}).encode()
        head = f"POST /translate HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
        self.writer.write(head.encode() + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        headers = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"(?i)content-length: (\d+)", headers)
        assert length, headers
        content = json.loads(await self.reader.readexactly(int(length[1])))
        return int(headers.split()[1]), content.get("translatedText", "")


def loaded(server: Server, expected: dict[str, str], clients: int, requests: int) -> Load:
    """Send requests by so many clients, each waiting for its answer before the next one."""
    before = computing(server.pid)
    load = asyncio.run(_loaded(server.port, server.languages, expected, clients, requests))
    load.computing = computing(server.pid) - before
    return load


async def _loaded(port: int, languages: tuple[str, str], expected: dict[str, str], clients: int, requests: int) -> Load:
    load, texts, numbers = Load(), list(expected), iter(range(requests))

    async def client() -> None:
        connection = Client(port, languages)
        for number in numbers:
            text, begin = texts[number % len(texts)], time.perf_counter()
            try:
                status, answer = await connection.translate(text)
            except (OSError, EOFError, ValueError):
                load.failed += 1
                connection = Client(port, languages)
                continue
            if status == 200 and answer == expected[text]:
                load.latencies.append(time.perf_counter() - begin)
            elif status == 200:
                load.wrong += 1
            elif status == 503:
                load.refused += 1
            else:
                load.failed += 1

    begin = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    load.seconds = time.perf_counter() - begin
    return load


@contextmanager
def serving(run: Path, *options: str) -> Iterator[Server]:
    """A server."""
    begin = time.perf_counter()
    command = [sys.executable, str(ROOT / "serve.py"), "--run", str(run), "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = next((line for line in process.stderr if line.startswith("Serving ")), "")
        if not line:
            raise SystemExit("serve.py did not start.")
        port = int(line.rsplit(":", 1)[1].strip().strip("/"))
        yield Server(process.pid, port, time.perf_counter() - begin, codes(run))
    finally:
        process.terminate()
        process.wait()


def family(pid: int) -> list[int]:
    """A process and those that it started."""
    found = [pid]
    for each in found:
        found += map(int, Path(f"/proc/{each}/task/{each}/children").read_text().split())
    return found


def computing(pid: int) -> float:
    """Seconds that all processors have computed for a process and those that it started."""
    ticks = [Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()[11:13] for each in family(pid)]
    return sum(int(tick) for both in ticks for tick in both) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Megabytes of memory of a process and of those that it started, with shared pages counted once."""
    total = 0.0
    for each in family(pid):
        share = re.search(r"Pss: +(\d+)", Path(f"/proc/{each}/smaps_rollup").read_text())
        total += int(share[1]) / 1024 if share else 0
    return total


def translate(run: Path, texts: Sequence[str], engine: str) -> tuple[dict[str, str], str]:
    """The translations by one process of translate.py, and a row of the table, start included."""
    command = [sys.executable, str(ROOT / "translate.py"), "--run", str(run), "--engine", engine]
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, input="\n".join(texts), capture_output=True, text=True, check=True)
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
    computed = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    row = f"{len(texts) / seconds:10.1f} {'':8} {'':8} {1000 * computed / len(texts):8.1f}"
    return dict(zip(texts, done.stdout.splitlines(), strict=True)), row


def codes(run: Path) -> tuple[str, str]:
    """The languages of a model as the API names them."""
    source, target = (Label.of(language).code for language in open_portable(run).languages)
    return source, target


def measure(run: Path, options: argparse.Namespace) -> None:
    """Print a row for each number of clients, and the memory over many requests."""
    if options.file:
        sources = options.file.read_text(encoding="utf-8").splitlines()
    else:
        sources = [example.source for example in read_held_out(Run(run).test_set)]
    texts = [text for text in dict.fromkeys(sources) if cut(text).sentences == [text]][: options.sentences]
    for engine in options.engine:
        start = ["--engine", engine, "--max-requests", "100"]
        start += ["--workers", options.workers] if options.workers and engine == "numpy" else []
        print(f"\n{engine}\n{'':24} {HEAD}", flush=True)
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import torch"], check=True)
        import_torch = time.perf_counter() - begin
        with serving(run, *start) as server:
            for _ in range(options.rounds):  # in turn, as the speed of a machine changes
                expected, row = translate(run, texts, engine)
                print(f"{'translate.py':24} {row}", flush=True)
                for clients in options.clients:
                    load = loaded(server, expected, clients, options.requests)
                    print(f"{f'{clients} client(s)':24} {load.row()}", flush=True)
            print(f"{'300 clients, 100 allowed':24} {loaded(server, expected, 300, options.requests).row()}")
            print(f"ready in {server.ready:.2f} s (import torch: {import_torch:.2f} s)")
            print(f"memory {resident(server.pid):.0f} MB", flush=True)
            for tenth in range(1, 11 if options.soak else 1):
                load = loaded(server, expected, 8, options.soak // 10)
                memory = f"{tenth * options.soak // 10} requests, {resident(server.pid):.1f} MB"
                print(f"{memory:24} {load.row()}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add(
        "--run",
        type=Path,
        help="run with a portable.nmt, or an exported file with --file (default: the newest finished run)",
    )
    add("--engine", nargs="+", choices=("numpy", "torch"), default=["numpy", "torch"])
    add("--clients", nargs="+", type=int, default=[1, 8, 64])
    add("--file", type=Path, help="sentences, one on each line (default: the run's test set)")
    add("--sentences", type=int, default=500, help="of these, each of them different")
    add("--requests", type=int, default=500, help="for each number of clients")
    add("--rounds", type=int, default=3, help="of all these, in turn")
    add("--soak", type=int, default=0, metavar="N", help="then send N requests, and look at the memory")
    add("--workers", help="processes of the numpy engine (default: one for each processor)")
    options = parser.parse_args()
    print(f"{len(os.sched_getaffinity(0))} processors")
    measure(options.run or newest_finished(ROOT / "outputs").directory, options)


if __name__ == "__main__":
    cli.run(main)
