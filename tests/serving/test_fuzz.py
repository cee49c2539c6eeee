"""Hostile clients: no request may crash the server, bring a traceback to light, or hold others up."""

import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import urllib.parse
from collections import Counter
from pathlib import Path

import pytest

from nmt.serving.settings import BODY_SECONDS
from tests.serving.conftest import START, Serving, call, expected, translate

FIELDS = {"q": "I see a cat .", "source": "en", "target": "fr", "format": "html", "alternatives": 2, "api_key": ""}
TEXTS = ["", "\x00", "\ud800", "𝄞" * 9, "a" * 4000, "<b>", "</b>" * 99, "&#x110000;", "auto", "-1", "1e999", "null"]
ODD = [*TEXTS, None, 7, -1, 2**70, 1.5, [], [[]], {}, [None], ["a"] * 50, {"a": {"b": []}}, True]
PATHS = ["translate", "detect", "explain", "suggest"] * 4 + ["languages", "", "%00", "a/../b"]
TYPES = ["text/plain", "multipart/form-data", "application/json; charset=utf-16", "", "x" * 300]


def body(chance: random.Random) -> tuple[str, bytes]:
    """A content type and a body, which may fit together or be damaged."""
    fields: dict[str, object] = dict(FIELDS)
    for _ in range(chance.randrange(3)):
        fields[chance.choice([*fields, "s", "x"])] = chance.choice(ODD)
    texts = {name: str(value).encode("utf-8", "replace").decode() for name, value in fields.items()}
    parts = (f'--x\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in texts.items())
    kind, content = chance.choice(
        [
            ("application/json", json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")),
            ("application/json", json.dumps(fields).encode()),
            ("application/x-www-form-urlencoded", urllib.parse.urlencode(texts).encode()),
            ("multipart/form-data; boundary=x", ("".join(parts) + "--x--\r\n").encode()),
        ]
    )
    damaged = bytearray(content)
    for _ in range(chance.choice([0, 0, 1, 8])):
        place = chance.randrange(len(damaged) + 1)
        damaged[place : place + chance.randrange(9)] = chance.randbytes(chance.randrange(9))
    return kind if chance.random() < 0.8 else chance.choice(TYPES), bytes(damaged)


@pytest.mark.parametrize(("requests", "seed"), [(60, 1), pytest.param(3000, 2, marks=pytest.mark.slow)])
def test_damaged_bodies_get_errors_without_details(server: Serving, requests: int, seed: int) -> None:
    chance, statuses = random.Random(seed), Counter[int]()
    for _ in range(requests):
        kind, content = body(chance)
        status, answer, _ = call(server, chance.choice(PATHS), content, Content_Type=kind)
        assert not re.search(r'Traceback|File "|\.py\b', str(answer))
        statuses[status] += 1
    assert {status for status in statuses if status >= 500} <= {503}
    assert min(statuses[200], statuses[400]) > requests / 30  # some are whole, and some are not
    assert translate(server, "we see it .") == {"translatedText": expected("we see it .")}
    assert not any("failed:" in line or "unexpectedly" in line for line in server.lines)


# A form cannot say null: schemathesis would send the text "null", and take its translation for a mistake.
HOOKS = """
import schemathesis

@schemathesis.hook
def filter_case(context, case):
    form = case.media_type != "application/json" and isinstance(case.body, dict)
    return not (form and None in case.body.values())
"""


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
