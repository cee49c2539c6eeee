"""A real server on loopback, in a process where PyTorch cannot be imported, with tiny models."""

import functools
import json
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nmt.data.tokenizer import Tokenizer
from nmt.portable.file import unpack
from nmt.portable.translator import PortableTranslator
from nmt.search import Beam
from nmt.translator import Translator
from tests.commands import ABSENT
from tests.conftest import ROOT, tiny_model
from tests.portable.models import packed
from tests.web.conftest import wordy, wordy_translator

START = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
RUSSIAN = ["я вижу кота .", "мы видим это .", "она любит море ."]


@functools.cache
def contents() -> tuple[bytes, bytes]:
    """English to French, and Russian to French."""
    french = wordy_translator()
    french.languages = ("eng", "fra")
    tokenizer = Tokenizer.train([*RUSSIAN, "je vois un chat ."] * 20, 300)
    built = wordy(tiny_model("model=luong", vocab=len(tokenizer), seed=5).eval(), tokenizer)
    russian = Translator(built, tokenizer, tokenizer, Beam(beam_size=2), french.device, None, ("rus", "fra"))
    return packed(french), packed(russian, scripts={"CYRILLIC": 1.0})


@functools.cache
def translators() -> list[PortableTranslator]:
    return [PortableTranslator(*unpack(content)) for content in contents()]


def expected(sentence: str, model: int = 0) -> str:
    """The translation of one sentence by the engine itself."""
    return translators()[model].translate(sentence)[0].text


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("served")
    paths = [folder / "eng-fra.nmt", folder / "rus-fra.nmt"]
    for path, content in zip(paths, contents(), strict=True):
        path.write_bytes(content)
    return paths


class Serving:
    """A server, and what it wrote on stderr."""

    def __init__(self, *options: str, without: Path | None = None) -> None:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(without or ""), str(ROOT)]))}
        command = [sys.executable, str(ROOT / "serve.py"), "--port", "0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=ROOT)
        self.lines: list[str] = []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)
            if found := re.search(r"at (http://\S+/)$", line):
                self.url = found[1]
                break
        else:
            raise AssertionError(f"serve.py ended: {''.join(self.lines)}")
        self.port = int(self.url.rsplit(":", 1)[1].strip("/"))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.lines += self.process.stderr

    def stop(self, timeout: float = 60) -> int:
        """SIGTERM; returns the exit code."""
        self.process.terminate()
        code = self.process.wait(timeout)
        self._reader.join(timeout)
        return code


@contextmanager
def serving(*options: Any, without: Path | None = None) -> Iterator[Serving]:
    server = Serving(*map(str, options), without=without)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()
        assert "Traceback" not in "".join(server.lines)


@pytest.fixture(scope="session")
def without_torch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of modules that cannot be imported, for the server and for its processes."""
    folder = tmp_path_factory.mktemp("absent")
    for name in ABSENT:
        (folder / f"{name}.py").write_text(f"raise ImportError('{name} must not be imported')")
    return folder


@pytest.fixture(scope="module")
def server(files: list[Path], without_torch: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Two models, corrections in `server.corrections`."""
    corrections = tmp_path_factory.mktemp("corrections")
    runs = [option for path in files for option in ("--run", path)]
    options = (*runs, "--suggestions", corrections, "--max-characters", 3000, "--log", "requests")
    with serving(*options, without=without_torch) as started:
        started.corrections = corrections  # type: ignore[attr-defined]
        yield started


def call(server: Serving, path: str, body: Any = None, **headers: str) -> tuple[int, Any, Any]:
    """Status, value and headers of an answer; a dictionary is sent as JSON."""
    kind = {"Content-Type": "application/json"} if isinstance(body, (dict, list)) else {}
    data = json.dumps(body).encode() if kind else body
    sent = kind | {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(server.url + path, data, sent)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read()), answer.headers
    except urllib.error.HTTPError as error:
        content = error.read().decode()
        assert "Traceback" not in content
        return error.code, json.loads(content) if content.startswith("{") else content, error.headers


def translate(server: Serving, q: Any, **fields: Any) -> Any:
    status, value, _ = call(server, "translate", {"q": q, "source": "en", "target": "fr", **fields})
    assert status == 200, value
    return value
