"""Measure how fast training, decoding, starting and serving are, in this checkout or in two of them by turns.

Every figure comes from commands or from `nmt.load` in a process of its own, so any version can be measured. On a busy
machine compare ratios: each is the median over rounds in which both checkouts had their turn.
"""

import argparse
import csv
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from nmt import cli
from nmt.commands.options import plain_parser
from nmt.config import ROOT
from nmt.data.heldout import read_held_out
from nmt.errors import UserError
from nmt.run import Run, newest_finished

EXAMPLES = """examples:
  python scripts/bench.py --quick
  python scripts/bench.py training --models bahdanau luong --set data.path=mine.csv
  python scripts/bench.py decoding starting serving --run outputs/RUN
  python scripts/bench.py --against ../before --csv speed.csv
"""
SENTENCE = "They are watching."
INTERVAL = 20  # updates between two lines of the log
CLIENTS = 8  # of the server, at once
DECODE = """
import sys, time, nmt
model, beam, *texts = sys.stdin.read().splitlines()
options = {"beam_size": int(beam)} | ({} if model.endswith(".nmt") else {"device": "cpu"})
translator = nmt.load(model, **options)
translator.translate(texts[:1])
began = time.perf_counter()
translator.translate(texts)
print(len(texts) / (time.perf_counter() - began))
"""
Figures = dict[str, float]


class Bench:
    """What is measured, with the options that all measurements share."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder
        self.prepared: dict[Path, str] = {}
        self.measures: dict[str, Callable[[Path], Figures]] = {
            "training": self.training,
            "decoding": self.decoding,
            "starting": self.starting,
            "serving": self.serving,
        }

    @property
    def run(self) -> Path:
        """The run that translates."""
        path: Path = self.options.run or newest_finished(ROOT / "outputs").directory
        return path.absolute()

    def texts(self, most: int) -> list[str]:
        """Sentences of the run's test set."""
        entries = read_held_out(Run(self.run).test_set)
        return [entry.source for entry, _ in zip(entries, range(60 if self.options.quick else most), strict=False)]

    def training(self, checkout: Path) -> Figures:
        """Target tokens a second of each model by train.py; the first interval of the log is left out."""
        prepared = self.prepared.setdefault(checkout, tempfile.mkdtemp(dir=self.folder))
        updates = INTERVAL * (2 if self.options.quick else 5)
        figures = {}
        for model in self.options.models:
            done = self._python(
                checkout,
                *(checkout / "train.py", f"run_dir={tempfile.mkdtemp(dir=self.folder)}", f"model={model}"),
                *(f"data.prepared_dir={prepared}", f"threads={self.options.threads}", "device=cpu"),
                *("data.val_size=20", "data.test_size=20", "train.max_epochs=null", f"train.max_steps={updates}"),
                *(f"train.log_every={INTERVAL}", f"train.validate_every={updates}", *self.options.set),
            )
            speeds = [float(speed.replace(",", "")) for speed in re.findall(r"([\d,]+) tokens/s", done.stderr)]
            figures[f"{model}, tokens/s"] = statistics.median(speeds[1:])
        return figures

    def decoding(self, checkout: Path) -> Figures:
        """Sentences a second of the run's test set, after loading."""
        figures = {}
        engines = {"PyTorch": (self.run, 500), "numpy": (self.run / "portable.nmt", 100)}
        for name, (model, most) in engines.items():
            for beam in (1, 5):
                lines = "\n".join([str(model), str(beam), *self.texts(most)])
                done = self._python(checkout, "-c", DECODE, stdin=lines)
                figures[f"{name}, beam {beam}, sentences/s"] = float(done.stdout)
        return figures

    def starting(self, checkout: Path) -> Figures:
        """Seconds from a cold start to the end of a command."""
        translate = [str(checkout / "translate.py"), "--run", str(self.run), SENTENCE]
        commands = {
            "import torch": ["-c", "import torch"],
            "translate.py": [*translate, "--engine", "numpy"],
            "translate.py --engine torch": [*translate, "--engine", "torch"],
            "train.py --help": [str(checkout / "train.py"), "--help"],
        }
        return {f"{name}, s": seconds(partial(self._python, checkout, *each)) for name, each in commands.items()}

    def serving(self, checkout: Path) -> Figures:
        """Requests a second and the latency that eight clients see, each with a connection of its own."""
        texts = self.texts(400)
        own = threading.local()
        with self._server(checkout) as port:

            def latency(text: str) -> float:
                own.connection = getattr(own, "connection", None) or http.client.HTTPConnection("127.0.0.1", port)
                body = json.dumps({"q": text, "source": "auto", "target": target})
                began = time.perf_counter()
                own.connection.request("POST", "/translate", body, {"Content-Type": "application/json"})
                answer = own.connection.getresponse()
                if "translatedText" not in json.load(answer):
                    raise UserError(f"serve.py answered {answer.status}: see its log with --log texts.")
                return time.perf_counter() - began

            languages = http.client.HTTPConnection("127.0.0.1", port)
            languages.request("GET", "/languages")
            (target, *_) = json.load(languages.getresponse())[0]["targets"]
            with ThreadPoolExecutor(CLIENTS) as clients:
                began = time.perf_counter()
                latencies = sorted(clients.map(latency, texts))
                total = time.perf_counter() - began
        return {
            "requests/s": len(texts) / total,
            "median latency, s": statistics.median(latencies),
            "latency of 99 %, s": latencies[int(0.99 * (len(latencies) - 1))],
        }

    @contextmanager
    def _server(self, checkout: Path) -> Iterator[int]:
        """The port of a server on this machine."""
        command = [sys.executable, str(checkout / "serve.py"), "--run", str(self.run), "--port", "0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=self._environment(checkout)) as server:
            assert server.stderr is not None
            try:
                line = next((line for line in server.stderr if line.startswith("Serving ")), None)
                if line is None:
                    raise UserError(f"serve.py of {checkout} did not start: try it alone.")
                yield int(line.rsplit(":", 1)[1].strip().strip("/"))
            finally:
                server.terminate()

    def _python(self, checkout: Path, *arguments: str | Path, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        """Run Python with the package of a checkout."""
        command = [sys.executable, *map(str, arguments)]
        environment = self._environment(checkout)
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, env=environment, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no output"])[-1]
            raise UserError(f"{' '.join(command[1:3])[:80]} failed in {checkout}: {last}")
        return done

    def _environment(self, checkout: Path) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": str(self.options.threads)}


def main() -> None:
    """Measure in turn, print a table, write a CSV file if asked to."""
    options = parse(sys.argv[1:])
    checkouts = [ROOT, *([options.against.absolute()] if options.against else [])]
    if not (checkouts[-1] / "train.py").is_file():
        raise UserError(f"{checkouts[-1]} is no checkout of this project: give the directory that holds train.py.")
    rows: dict[tuple[str, str], list[list[float]]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        bench = Bench(options, Path(folder))
        for round_ in range(1 if options.quick else options.rounds):
            for name in options.names or bench.measures:
                print(f"round {round_ + 1}: {name} …", file=sys.stderr, flush=True)
                turns = [bench.measures[name](checkout) for checkout in checkouts]
                for figure, value in turns[0].items():
                    values = [value, *(turn[figure] for turn in turns[1:])]
                    rows.setdefault((name, figure), []).append(values)
    header = ["", "figure", "here", *(["there", "here ÷ there"] if options.against else [])]
    table = Table(*header, title=f"{options.threads} thread(s), medians of {len(next(iter(rows.values())))}")
    for names, rounds in rows.items():
        table.add_row(*names, *(f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in summary(rounds)))
    Console().print(table)
    if options.csv:
        with options.csv.open("w", encoding="utf-8", newline="") as file:
            lines = ([*names, *summary(rounds)] for names, rounds in rows.items())
            csv.writer(file).writerows([["measure", *header[1:]], *lines])


def summary(rounds: list[list[float]]) -> list[float]:
    """The median of each checkout, and of the ratio in each round if there are two."""
    ratios = [statistics.median(here / there for here, there in rounds)] if len(rounds[0]) == 2 else []
    return [*(statistics.median(values) for values in zip(*rounds, strict=True)), *ratios]


def seconds(work: Callable[[], object]) -> float:
    """The time that some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = plain_parser("bench.py", (__doc__ or "").splitlines()[0], EXAMPLES)
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="training, decoding, starting, serving (default: all)")
    add("--against", type=Path, metavar="DIR", help="another checkout, measured by turns with this one")
    add("--quick", action="store_true", help="one short round: a minute or two, and noisier")
    add("--rounds", type=cli.positive, default=5, help="how often each has its turn (default: 5)")
    add(
        "--models",
        nargs="+",
        default=["bahdanau", "luong", "stacked"],
        help="to train (default: bahdanau luong stacked)",
    )
    add("--set", nargs="+", default=[], metavar="SETTING", help="settings of train.py, such as data.path=mine.csv")
    add("--run", type=Path, help="a run that translates (default: the newest finished one)")
    add("--threads", type=cli.positive, default=1)
    add("--csv", type=Path, metavar="FILE", help="write the table as CSV too")
    options = parser.parse_intermixed_args(arguments)
    unknown = set(options.names) - {"training", "decoding", "starting", "serving"}
    if unknown:
        raise UserError(f"There is no measurement {min(unknown)}: choose training, decoding, starting or serving.")
    return options


if __name__ == "__main__":
    cli.run(main)
