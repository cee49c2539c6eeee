"""scripts/download.py, with a site on this machine."""

import gzip
import io
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.commands import assert_fails, command, succeeded

_ARCHIVE = io.BytesIO()
with zipfile.ZipFile(_ARCHIVE, "w") as archive:
    archive.writestr("fra.txt", "Go.\tVa !\tCC-BY\n")
ZIP, GZIP = _ARCHIVE.getvalue(), gzip.compress(b"A dog.\n" * 1000)
FILES = {"/fra-eng.zip": ZIP, "/mar-eng.zip": b"<html>", "/ita-eng.zip": ZIP}
FILES |= {f"/{name}.en.gz": GZIP for name in ("train", "val", "test_2016_flickr")} | {"/train.fr.gz": GZIP[:-20]}


class Site(BaseHTTPRequestHandler):
    requests: list[str] = []  # noqa: RUF012 - shared on purpose

    def do_GET(self) -> None:
        Site.requests.append(self.path)
        if self.path not in FILES or "python" in self.headers["User-Agent"].lower():
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", "100000" if "ita" in self.path else str(len(FILES[self.path])))
        self.end_headers()
        self.wfile.write(FILES[self.path])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    """The address of the site, which answers while a test lasts."""
    Site.requests.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_files_are_fetched_once_and_what_is_next_is_said(tmp_path: Path, url: str) -> None:
    places = ["--url", url, "--directory", str(tmp_path)]
    for _ in range(2):
        done = succeeded(command("scripts/download.py", "fra", *places))
    assert f"train.py data.path={tmp_path / 'fra-eng.zip'}" in done.stdout
    assert (tmp_path / "fra-eng.zip").read_bytes() == ZIP
    assert Site.requests == ["/fra-eng.zip"]
    assert "experiment=multi30k_ende" in succeeded(command("scripts/download.py", "multi30k", "en", *places)).stdout
    assert {path.name for path in (tmp_path / "multi30k").iterdir()} == {name[1:] for name in FILES if ".en." in name}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["xxx"], "(HTTP 404): see https"),
        (["multi30k", "xx"], "(HTTP 404): the languages are en, de, fr and cs"),
        (["mar"], "is damaged"),
        (["ita"], "broke off after"),
        (["multi30k", "fr"], "is damaged"),
        (["../../etc"], "neither multi30k nor three letters"),
        (["fra", "deu"], "Only multi30k"),
        (["fra", "--url", "http://127.0.0.1:9"], "check the network"),
    ],
)
def test_an_error_is_one_sentence_without_files(tmp_path: Path, url: str, words: list[str], message: str) -> None:
    assert_fails(command("scripts/download.py", "--url", url, "--directory", str(tmp_path), *words), message)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
