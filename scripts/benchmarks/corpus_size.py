"""Time and memory of real commands on corpora of several sizes; reads /proc, so it needs Linux."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from benchmarks.yardstick import Figures
from nmt.config import ROOT
from nmt.errors import UserError

UPDATES = 100  # after which the memory of a training process is read
_PREPARE = """
import sys
from pathlib import Path
from nmt.composition import composed
from nmt.config import load_config
from nmt.data.discovery import completed
from nmt.data.prepare import prepare
prepare(load_config(completed(composed(*sys.argv[1:]))).data)
print(Path("/proc/self/status").read_text(), end="")
"""


def write_nested(folder: Path, sizes: list[int]) -> dict[int, Path]:
    """Write demo corpora in random order, each the beginning of the next, so that their sentences are alike."""
    largest = folder / "all.tsv"
    if not largest.exists():
        write = [sys.executable, str(ROOT / "data/demo/write.py"), "--output", str(largest), "--pairs", str(max(sizes))]
        subprocess.run(write, check=True)
    lines = largest.read_bytes().splitlines(keepends=True)
    random.Random(0).shuffle(lines)
    files = {size: folder / f"{size}.tsv" for size in sizes}
    for size, file in files.items():
        file.write_bytes(b"".join(lines[:size]))
    return files


def settings(corpus: Path) -> list[str]:
    """Overrides for training on a corpus, prepared beside it, with the same model for every size."""
    own = [f"data.path={corpus}", "data.columns=[eng,fra]", f"data.prepared_dir={corpus.parent / 'prepared'}"]
    return [*own, "size=30k"]


def preparing(overrides: list[str]) -> Figures:
    """Prepare a corpus in a process of its own."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", _PREPARE, *overrides]
    status = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # Not ru_maxrss, which counts what the parent held when it started the process.
    return {"seconds": seconds, "cpu_seconds": cpu, "peak_mib": _mebibytes(status)["VmHWM"]}


def training(run: Path, overrides: list[str]) -> Figures:
    """Train to update UPDATES with `train.py`; returns the time to the first update and the memory after the last."""
    command = [
        *(sys.executable, str(ROOT / "train.py"), f"run_dir={run}", "threads=1", "train.log_every=1"),
        *("train.max_epochs=null", "train.max_steps=100000", "train.validate_every=100000", *overrides),
    ]
    began, environment = time.perf_counter(), os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stderr is not None
        process = Path("/proc") / str(child.pid)
        try:
            _wait_for(child.stderr, "step 1 ·")
            seconds = time.perf_counter() - began
            ticks = (process / "stat").read_text().rpartition(")")[2].split()[11:13]  # of the user and of the system
            _wait_for(child.stderr, f"step {UPDATES} ·")
            memory = _mebibytes((process / "status").read_text())
        finally:
            child.send_signal(signal.SIGTERM)
            child.stderr.read()
    cpu = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return {"first_update": seconds, "first_update_cpu": cpu, **memory}


def _mebibytes(status: str) -> Figures:
    """The memory of a process by its /proc/PID/status, in MiB."""
    lines = dict(line.split(":", 1) for line in status.splitlines())
    return {name: int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon", "RssFile", "VmHWM")}


def _wait_for(lines: IO[str], text: str) -> None:
    last = "no output"
    for last in lines:
        if text in last:
            return
    raise UserError(f"Training did not work: {last.strip()}")
