from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "download_multi30k.py"
LINES = {"train": 29_000, "val": 1_014, "test_2016_flickr": 1_000}
FILES = {f"/{name}.en.gz": gzip.compress(b"A dog.\n" * lines) for name, lines in LINES.items()}
FILES |= {"/train.de.gz": gzip.compress(b"Ein Hund.\n"), "/train.fr.gz": FILES["/train.en.gz"][:-20]}


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = FILES.get(self.path)
        self.send_response(200 if content else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_it_fetches_all_sets_of_a_language(tmp_path: Path, url: str) -> None:
    done = run(tmp_path, "en", "--url", url)
    assert done.returncode == 0, done.stderr
    assert "python train.py experiment=multi30k_ende" in done.stdout
    folder = tmp_path / "data" / "raw" / "multi30k"
    assert {path.name for path in folder.glob("*.gz")} == {f"{name}.en.gz" for name in LINES}
    assert (folder / "val.en.gz").read_bytes() == FILES["/val.en.gz"]


@pytest.mark.parametrize(
    ("language", "message"), [("de", "1 lines instead of 29000"), ("fr", "no gzip file"), ("xx", "HTTP 404")]
)
def test_errors_are_one_sentence_and_leave_nothing(tmp_path: Path, url: str, language: str, message: str) -> None:
    done = run(tmp_path, language, "--url", url)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
