"""Hostile clients: no request may crash the server, bring a traceback to light, or hold others up."""

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nmt.serving.settings import BODY_SECONDS, HEADER_SECONDS
from tests.serving.conftest import START, Serving, expected, translate
from tests.serving.fuzzing import fuzz


@pytest.mark.slow
def test_many_damaged_bodies(server: Serving, capsys: pytest.CaptureFixture[str]) -> None:
    statuses = fuzz(server, 3000, seed=2)
    with capsys.disabled():
        print(f"\nbodies: {dict(statuses)}")


@pytest.mark.slow
def test_schemathesis_finds_no_failure(server: Serving, tmp_path: Path) -> None:
    program = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
    assert program
    command = [program, "run", f"{server.url}spec", "--max-examples", "100", "--seed", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=550)
    _, *failures = done.stdout.split("Test Case ID: ")
    # In a form, null and numbers are texts like any other, which schemathesis takes for mistakes (ST201).
    failures = [each for each in failures if "- ST201" not in each or "application/json" in each]
    assert not failures, done.stdout
    assert "generated" in done.stdout
    print(done.stdout)


@pytest.mark.slow
def test_slow_clients_are_closed_and_hold_nobody_up(server: Serving) -> None:
    """Slow loris: headers or bodies that come byte by byte, more of them than the server takes connections."""
    drips = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(400)]
    for number, each in enumerate(drips):
        each.sendall(b"GET / HTTP/1.1\r\nX: " if number % 2 else START + b"Content-Length: 1000\r\n\r\n{")
        each.setblocking(False)
    begin = time.monotonic()
    longest = 0.0
    while (alive := still_open(drips)) and time.monotonic() - begin < HEADER_SECONDS + BODY_SECONDS + 30:
        asked = time.monotonic()
        assert translate(server, "we see it .") == {"translatedText": expected("we see it .")}
        longest = max(longest, time.monotonic() - asked)
        for each in alive:
            each.send(b"x")
        time.sleep(0.5)
    assert not alive
    print(f"400 slow clients were closed in {time.monotonic() - begin:.0f} s; others waited {longest:.2f} s at most")
    assert longest < 5


def still_open(connections: list[socket.socket]) -> list[socket.socket]:
    """The connections that the server has not closed."""
    found = []
    for each in connections:
        try:
            if each.recv(2**16, socket.MSG_PEEK):
                each.send(b"")
                each.recv(2**16)
                found.append(each)
        except BlockingIOError:
            found.append(each)
        except OSError:
            pass
    return found
