"""The download scripts, with a site on this machine."""

import gzip
import hashlib
import io
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.conftest import ROOT


def anki_zip(member: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, "Go.\tVa !\tCC-BY\n")
        archive.writestr("_about.txt", "about")
    return buffer.getvalue()


LINES = {"train": 29_000, "val": 1_014, "test_2016_flickr": 1_000}
FILES = {"/fra-eng.zip": anki_zip("fra.txt"), "/deu-eng.zip": anki_zip("other.txt"), "/mar-eng.zip": b"<html>"}
FILES |= {f"/{name}.en.gz": gzip.compress(b"A dog.\n" * lines) for name, lines in LINES.items()}
FILES |= {"/train.de.gz": gzip.compress(b"Ein Hund.\n"), "/train.fr.gz": FILES["/train.en.gz"][:-20]}
# What is announced for files whose server does not tell the truth.
LENGTHS = {"/ita-eng.zip": "100000", "/spa-eng.zip": "abc", "/por-eng.zip": "-1", "/nld-eng.zip": "1" * 5000}


class Site(BaseHTTPRequestHandler):
    requests: list[str] = []  # noqa: RUF012 - shared on purpose

    def do_GET(self) -> None:
        Site.requests.append(self.path)
        if "python" in self.headers["User-Agent"].lower():
            self.send_error(406)
        elif self.path in LENGTHS:
            self.send_file(FILES["/fra-eng.zip"], LENGTHS[self.path])
        elif self.path in FILES:
            self.send_file(FILES[self.path], str(len(FILES[self.path])))
        else:
            self.send_error(404)

    def send_file(self, content: bytes, length: str) -> None:
        """Send a file, or less of it than was announced."""
        self.send_response(200)
        self.send_header("Content-Length", length)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    """The address of the site, which answers while a test lasts."""
    Site.requests.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def run(folder: Path, corpus: str, language: str, url: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / f"scripts/download_{corpus}.py"), language, "--url", url]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_zip_is_fetched_once_checked_and_what_is_next_is_said(tmp_path: Path, url: str) -> None:
    result = run(tmp_path, "anki", "fra", url)
    assert result.returncode == 0, result.stderr
    assert "train.py data=anki data.path=data/raw/fra-eng.zip" in result.stdout
    raw = tmp_path / "data" / "raw"
    assert (raw / "fra-eng.zip").read_bytes() == FILES["/fra-eng.zip"]
    digest = hashlib.sha256(FILES["/fra-eng.zip"]).hexdigest()
    assert (raw / "fra-eng.zip.sha256").read_text() == f"{digest}  fra-eng.zip\n"
    assert len(list(raw.iterdir())) == 2

    assert run(tmp_path, "anki", "fra", url).returncode == 0
    assert Site.requests == ["/fra-eng.zip"]  # not fetched again
    (raw / "fra-eng.zip").write_bytes(b"damaged")
    assert run(tmp_path, "anki", "fra", url).returncode == 0
    assert (raw / "fra-eng.zip").read_bytes() == FILES["/fra-eng.zip"]


def test_all_sets_of_a_language_are_fetched(tmp_path: Path, url: str) -> None:
    done = run(tmp_path, "multi30k", "en", url)
    assert done.returncode == 0, done.stderr
    assert "train.py experiment=multi30k_ende" in done.stdout
    folder = tmp_path / "data" / "raw" / "multi30k"
    assert {path.name for path in folder.glob("*.gz")} == {f"{name}.en.gz" for name in LINES}
    assert (folder / "val.en.gz").read_bytes() == FILES["/val.en.gz"]


@pytest.mark.parametrize(
    ("corpus", "language", "message"),
    [
        ("anki", "xxx", "HTTP 404"),
        ("anki", "mar", "mar-eng.zip arrived, but is no zip file"),
        ("anki", "deu", "without a sound deu.txt"),
        ("anki", "ita", "ita-eng.zip broke off after"),
        ("anki", "spa", "announced as 'abc'"),
        ("anki", "por", "announced as '-1'"),
        ("anki", "nld", "announced as '1111"),
        ("anki", "../../etc", "no three-letter language code"),
        ("multi30k", "de", "1 lines instead of 29000"),
        ("multi30k", "fr", "no gzip file"),
        ("multi30k", "xx", "HTTP 404"),
        ("anki", "fra", "check the network"),
    ],
)
def test_an_error_is_one_sentence_without_files(
    tmp_path: Path, url: str, corpus: str, language: str, message: str
) -> None:
    done = run(tmp_path, corpus, language, "http://127.0.0.1:9" if "network" in message else url)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
