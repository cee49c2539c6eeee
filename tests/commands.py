"""The real commands, as a user types them, on a corpus of a few hundred pairs."""

from __future__ import annotations

import importlib
import io
import logging
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from nmt.errors import UserError
from tests.conftest import ROOT

Finished = tuple[Path, subprocess.CompletedProcess[str]]  # a run directory, and what train.py printed

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


def command(name: str, *arguments: str, stdin: str | bytes = "", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
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


def called(name: str, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The same in this process, which is much faster: `main` of nmt.commands, with the streams of a process."""
    main = importlib.import_module(f"nmt.commands.{name.removesuffix('.py')}").main
    streams = [io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="") for text in (stdin.encode(), b"", b"")]
    logger, before = logging.getLogger("nmt"), sys.stdin
    handlers, level, propagate, code = list(logger.handlers), logger.level, logger.propagate, 0
    with redirect_stdout(streams[1]), redirect_stderr(streams[2]):
        sys.stdin = streams[0]
        try:
            main(list(arguments))
        except UserError as error:
            code = 2
            print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            sys.stdin, logger.handlers[:], logger.level, logger.propagate = before, handlers, level, propagate
    for stream in streams:
        stream.flush()
    stdout, stderr = (stream.buffer.getvalue().decode() for stream in streams[1:])  # type: ignore[attr-defined]
    return subprocess.CompletedProcess([name, *arguments], code, stdout, stderr)


def train_arguments(folder: Path, *more: str) -> list[str]:
    corpus = folder / "fra-eng.txt"
    if not corpus.exists():
        corpus.write_text("\n".join(corpus_lines()) + "\n", encoding="utf-8")
    return [
        "experiment=smoke",
        "data=anki",
        f"data.path={corpus}",
        f"data.prepared_dir={folder / 'prepared'}",
        f"run_dir={folder / 'run'}",
        *more,
    ]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("finished")
    done = command("train.py", *train_arguments(folder))
    assert done.returncode == 0, done.stderr
    return folder / "run", done


def assert_fails(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """One sentence on stderr, exit code 2, nothing on stdout."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    for word in words:
        assert word in last
