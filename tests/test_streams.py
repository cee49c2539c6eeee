"""Standard streams that are closed, full, in another encoding, or without a reader."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import assert_fails
from tests.conftest import ROOT

# Everything that commands use for notices and results, between the opening of a file and its last line.
SOURCE = """
import contextlib, logging, os, pathlib, sys, warnings
from rich.console import Console
from rich.progress import Progress
from nmt import cli, console

def work():
    with open(sys.argv[1], "w") as file:
        console.log_to_console()
        console.log_to_file(pathlib.Path("/dev/full"))
        for _ in range(2):
            logging.getLogger("nmt").info("é from a log")
            print("é from print", file=sys.stderr)
            warnings.warn("a warning")
        with Progress(console=console.stderr), contextlib.suppress(OSError):
            os.write(2, b"as C code writes")
        Console().print("résultat")
        sys.stdout.flush()
        file.write("whole")

cli.run(work, results_on_disk=len(sys.argv) > 2)
"""
COMMAND = ("-c", f"exec({SOURCE!a})")  # ASCII, for locales that are


def broken_pipe() -> int:
    """A pipe without a reader."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def closed_terminal() -> int:
    """A terminal whose window was closed: writing to it is an input/output error."""
    controller, terminal = os.openpty()
    os.close(controller)
    return terminal


def full_disk() -> int:
    """A file that cannot grow."""
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    return os.open("/dev/full", os.O_WRONLY)


def run(
    *arguments: str, out: int = subprocess.PIPE, err: int = subprocess.PIPE, closed: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python with these streams; `closed` are redirections that close some, as a shell writes them."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" "$@" {closed}', sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"} | environment,
        timeout=120,
        check=False,
    )
    for stream in (out, err):
        if stream >= 0:
            os.close(stream)
    shown = [(content or b"").decode("utf-8") for content in (done.stdout, done.stderr)]
    return subprocess.CompletedProcess(arguments, done.returncode, *shown)


@pytest.mark.parametrize("lost", [broken_pipe, closed_terminal])
def test_a_command_goes_on_when_nobody_reads_it(lost: Callable[[], int], tmp_path: Path) -> None:
    file = tmp_path / "file"
    assert run(*COMMAND, str(file), "results on disk", out=lost(), err=lost()).returncode == 0
    assert file.read_text() == "whole"


@pytest.mark.parametrize("lost", [broken_pipe, full_disk])
def test_results_are_printed_though_notices_cannot_be(lost: Callable[[], int], tmp_path: Path) -> None:
    done = run(*COMMAND, str(tmp_path / "file"), err=lost())
    assert (done.returncode, done.stdout) == (0, "résultat\n")


def test_a_command_without_open_streams_does_its_work(tmp_path: Path) -> None:
    """No notice may get into the file that is opened next, which would have the number of a closed stream."""
    done = run(*COMMAND, str(tmp_path / "file"), "results on disk", closed="<&- >&- 2>&-")
    assert (done.returncode, (tmp_path / "file").read_text()) == (0, "whole")


def test_the_end_of_the_reader_of_results_is_a_quiet_end(tmp_path: Path) -> None:
    done = run(*COMMAND, str(tmp_path / "file"), out=broken_pipe())
    assert (done.returncode, (tmp_path / "file").read_text()) == (0, "")
    assert done.stderr.endswith("as C code writes\n")
    assert "Logging error" not in done.stderr  # a full disk of the log ends nothing


@pytest.mark.parametrize("more", [[], ["results on disk"]])
def test_results_on_a_full_disk_are_an_error(more: list[str], tmp_path: Path) -> None:
    done = run(*COMMAND, str(tmp_path / "file"), *more, out=full_disk())
    assert_fails(done, "standard output: No space left on device")


@pytest.mark.parametrize(("closed", "stream"), [(">&-", "output"), ("<&-", "input")])
def test_translating_with_a_closed_stream_is_one_sentence(closed: str, stream: str) -> None:
    done = run("translate.py", closed=closed)
    assert_fails(done, f"Standard {stream} is closed")
    assert len(done.stderr.splitlines()) == 1


def test_an_error_without_stderr_is_not_printed_among_results() -> None:
    done = run("-c", "from nmt import cli; cli.run(lambda: cli.fail('wrong'))", closed="2>&-")
    assert (done.returncode, done.stdout) == (2, "")


def test_output_is_utf8_in_every_locale(tmp_path: Path) -> None:
    another = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = run(*COMMAND, str(tmp_path / "file"), **another)
    assert (done.returncode, done.stdout) == (0, "résultat\n")
    assert all(line in done.stderr.splitlines() for line in ("é from a log", "é from print"))
