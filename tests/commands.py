"""The real commands on a corpus of a few hundred pairs, within the test's process or in one of their own."""

import io
import json
import logging
import os
import runpy
import signal
import subprocess
import sys
import traceback
import unittest.mock
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from hydra.core.global_hydra import GlobalHydra

from nmt.interrupt import SIGNALS
from nmt.lock import Lock
from tests.conftest import ROOT

Finished = tuple[Path, subprocess.CompletedProcess[str]]  # a run directory, and what train.py printed

# What an installation for translating alone does not have.
ABSENT = (
    *("torch", "hydra", "omegaconf", "yaml", "rich", "sacrebleu", "sacremoses", "safetensors"),
    *("tensorboard", "matplotlib"),
)

ENGLISH = ["I", "you", "we", "they"]
FRENCH = ["je", "tu", "nous", "elles"]
VERBS = [("see", "vois"), ("hear", "entends"), ("like", "aime"), ("want", "veux"), ("know", "sais")]
THINGS = [("a cat", "un chat"), ("a dog", "un chien"), ("the sea", "la mer"), ("tea", "du thé"), ("it", "ça")]


def corpus_lines() -> list[str]:
    return [
        f"{who} {verb} {thing}{end}\t{qui} {verbe} {chose}{fin}\tAttribution #{number}"
        for number, (who, qui) in enumerate(zip(ENGLISH, FRENCH, strict=True))
        for verb, verbe in VERBS
        for thing, chose in THINGS
        for end, fin in ((".", "."), ("!", "\u202f!"), ("?", "\u202f?"))
    ]


def command(name: str, *arguments: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    """What a command prints and its exit code: run in this process, which has imported PyTorch already."""
    content = stdin.encode() if isinstance(stdin, str) else stdin
    streams = [io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", write_through=True) for data in (content, b"", b"")]
    code: Any = 0
    with _restored(), unittest.mock.patch.multiple(sys, stdin=streams[0], stdout=streams[1], stderr=streams[2]):
        sys.argv = [str(ROOT / name), *arguments]
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            code = 1
            traceback.print_exc()
    out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(sys.argv, code, out, err)


def translate(run: Path, *arguments: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    """`command` of translate.py with a run."""
    return command("translate.py", "--run", str(run), *arguments, stdin=stdin)


def evaluate(run: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`command` of evaluate.py with a run."""
    return command("evaluate.py", "--run", str(run), *arguments)


@contextmanager
def _restored() -> Iterator[None]:
    """Put back what a command changes in its process."""
    log, argv, rng = logging.getLogger("nmt"), sys.argv, torch.get_rng_state()
    level, handlers, propagate = log.level, log.handlers[:], log.propagate
    signals = {number: signal.getsignal(number) for number in SIGNALS}
    with unittest.mock.patch.dict(os.environ):
        try:
            yield
        finally:
            GlobalHydra.instance().clear()
            for handler in set(log.handlers) - set(handlers):
                handler.close()
            log.level, log.handlers[:], log.propagate = level, handlers, propagate
            sys.argv = argv
            torch.set_rng_state(rng)
            torch.set_num_threads(1)
            for number, handler in signals.items():
                signal.signal(number, handler)


def process(name: str, *arguments: str, stdin: str | bytes = "", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own, as a user starts it."""
    content = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, str(ROOT / name), *arguments],
        input=content,
        capture_output=True,
        cwd=cwd,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        timeout=300,
        check=False,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def pipe(text: str) -> str:
    """The path of a pipe that holds a short text, as a shell makes one for <(…)."""
    reader, writer = os.pipe()
    os.write(writer, text.encode())
    os.close(writer)
    return f"/dev/fd/{reader}"


def train_arguments(folder: Path, *more: str) -> list[str]:
    corpus = folder / "fra-eng.txt"
    if not corpus.exists():
        corpus.write_text("\n".join(corpus_lines()) + "\n", encoding="utf-8")
    return [
        "experiment=smoke",
        "size=30k",
        "data=anki",
        f"data.path={corpus}",
        f"data.prepared_dir={folder / 'prepared'}",
        f"run_dir={folder / 'run'}",
        *more,
    ]


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """One finished run for all tests of all workers, which copy it before they change anything."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "finished"
    with Lock(folder.with_name("finished.lock"), "Waiting for the finished run."):
        record = folder / "output.json"
        if not record.exists():
            folder.mkdir()
            done = process("train.py", *train_arguments(folder))
            assert done.returncode == 0, done.stderr
            record.write_text(json.dumps([done.stdout, done.stderr]))
        out, err = json.loads(record.read_text())
    return folder / "run", subprocess.CompletedProcess([], 0, out, err)


@pytest.fixture(scope="session")
def run(finished: Finished) -> Path:
    """The directory of the finished run."""
    return finished[0]


def assert_fails(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """One sentence on stderr, exit code 2, nothing on stdout."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    for word in words:
        assert word in last


def succeeded(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    """What a command printed, if its exit code is 0."""
    assert done.returncode == 0, done.stderr
    return done
