"""Damaged requests, made at random from a seed."""

import json
import random
import re
import socket
import urllib.parse
from collections import Counter

from tests.serving.conftest import Serving, expected, translate

FIELDS = {"q": "I see a cat .", "source": "en", "target": "fr", "format": "html", "alternatives": 2, "api_key": ""}
TEXTS = ["", "\x00", "\ud800", "𝄞" * 9, "a" * 4000, "<b>", "</b>" * 99, "&#x110000;", "auto", "-1", "1e999", "null"]
ODD = [*TEXTS, None, 7, -1, 2**70, 1.5, [], [[]], {}, [None], ["a"] * 50, {"a": {"b": []}}, True]


def body(chance: random.Random) -> tuple[str, bytes]:
    """A content type and a body, which may fit together or be damaged."""
    fields: dict[str, object] = dict(FIELDS)
    for _ in range(chance.randrange(3)):
        fields[chance.choice([*fields, "s", "x"])] = chance.choice(ODD)
    kind = chance.choice(["json", "form", "multipart"])
    texts = {name: str(value).encode("utf-8", "replace").decode() for name, value in fields.items()}
    if kind == "json":
        content = json.dumps(fields, ensure_ascii=chance.random() < 0.7).encode("utf-8", "surrogatepass")
    elif kind == "form":
        content = urllib.parse.urlencode(texts).encode()
    else:
        parts = (f'--x\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in texts.items())
        content = ("".join(parts) + "--x--\r\n").encode()
    types = {
        "json": "application/json",
        "form": "application/x-www-form-urlencoded",
        "multipart": "multipart/form-data; boundary=x",
    }
    others = ["text/plain", "multipart/form-data", "application/json; charset=utf-16", "", "x" * 300]
    damaged = bytearray(content)
    for _ in range(chance.choice([0, 0, 1, 8])):
        place = chance.randrange(len(damaged) + 1)
        damaged[place : place + chance.randrange(9)] = chance.randbytes(chance.randrange(9))
    return types[kind] if chance.random() < 0.8 else chance.choice(others), bytes(damaged)


def answered(server: Serving, request: bytes, ends: bool) -> str:
    """The answer to a request; `ends` closes the sending side, as a client does that leaves."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request)
        if ends:
            connection.shutdown(socket.SHUT_WR)
        found = b""
        while part := connection.recv(2**16):
            found += part
    return found.decode("utf-8", "replace")


def fuzz(server: Serving, requests: int, seed: int) -> Counter[str]:
    """Send damaged requests; returns how often each status came."""
    chance, statuses = random.Random(seed), Counter[str]()
    for _ in range(requests):
        kind, content = body(chance)
        usual, unusual = ["translate", "detect", "explain", "suggest"], ["languages", "spec", "", "%00", "a/../b"]
        path = chance.choice(usual * 4 + unusual)
        length = len(content) + chance.choice([0, 0, 0, 0, -1, 5])
        head = f"POST /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {max(0, length)}\r\n"
        request = f"{head}Content-Type: {kind}\r\n\r\n".encode() + content
        damaged = chance.random() < 0.05
        if damaged:
            place = chance.randrange(len(request))
            request = request[:place] + chance.randbytes(4) + request[place:]
        found = answered(server, request, damaged or length > len(content))
        assert "Traceback" not in found
        assert not re.search(r'File "|\.py\b', found)
        statuses[found[9:12] or "none"] += 1
    assert {status for status in statuses if status.startswith("5")} <= {"503"}, statuses
    assert translate(server, "we see it .") == {"translatedText": expected("we see it .")}
    assert not any("failed:" in line or "unexpectedly" in line for line in server.lines)
    return statuses
