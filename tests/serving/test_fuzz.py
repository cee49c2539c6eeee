"""Hostile clients: no request may crash the server, bring a traceback to light, or hold others up."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.serving.settings import BODY_SECONDS
from tests.serving.conftest import START, Serving, expected, translate
from tests.serving.fuzzing import fuzz

# A form cannot say null: schemathesis would send the text "null", and take its translation for a mistake.
HOOKS = """
import schemathesis

@schemathesis.hook
def filter_case(context, case):
    form = case.media_type != "application/json" and isinstance(case.body, dict)
    return not (form and None in case.body.values())
"""


@pytest.mark.slow
def test_many_damaged_bodies(server: Serving) -> None:
    statuses = fuzz(server, 3000, seed=2)
    assert min(statuses["200"], statuses["400"]) > 100  # some are whole, and some are not


@pytest.mark.slow
def test_schemathesis_finds_no_failure(server: Serving, tmp_path: Path) -> None:
    program = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
    assert program
    command = [program, "run", f"{server.url}spec", "--max-examples", "100", "--seed", "1"]
    (tmp_path / "hooks.py").write_text(HOOKS)
    settings = os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=550, env=settings)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_slow_bodies_are_refused_and_hold_nobody_up(server: Serving) -> None:
    drips = [socket.create_connection(("127.0.0.1", server.port), BODY_SECONDS + 30) for _ in range(400)]
    for each in drips:
        each.sendall(START + b"Content-Length: 1000\r\n\r\n{")
    assert translate(server, "we see it .") == {"translatedText": expected("we see it .")}
    for each in drips:
        each.send(b"x")
        assert each.recv(2**16).startswith(b"HTTP/1.1 408 ")
        each.close()
