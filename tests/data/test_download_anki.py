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

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "download_anki.py"


def anki_zip(member: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, "Go.\tVa !\tCC-BY\n")
        archive.writestr("_about.txt", "about")
    return buffer.getvalue()


FILES = {"/fra-eng.zip": anki_zip("fra.txt"), "/deu-eng.zip": anki_zip("other.txt"), "/mar-eng.zip": b"<html>"}


class Site(BaseHTTPRequestHandler):
    requests: list[str] = []  # noqa: RUF012 - shared on purpose

    def do_GET(self) -> None:
        Site.requests.append(self.path)
        content = FILES.get(self.path, b"")
        if "python" in self.headers["User-Agent"].lower():
            self.send_error(406)
        elif self.path == "/ita-eng.zip":  # breaks off
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(FILES["/fra-eng.zip"])
        elif not content:
            self.send_error(404)
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    Site.requests.clear()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_it_fetches_checks_and_says_what_is_next(tmp_path: Path, url: str) -> None:
    result = run(tmp_path, "fra", "--url", url)
    assert result.returncode == 0, result.stderr
    assert "python train.py data=anki data.path=data/raw/fra-eng.zip" in result.stdout
    raw = tmp_path / "data" / "raw"
    assert (raw / "fra-eng.zip").read_bytes() == FILES["/fra-eng.zip"]
    digest = hashlib.sha256(FILES["/fra-eng.zip"]).hexdigest()
    assert (raw / "fra-eng.zip.sha256").read_text() == f"{digest}  fra-eng.zip\n"
    assert len(list(raw.iterdir())) == 2

    assert run(tmp_path, "fra", "--url", url).returncode == 0
    assert Site.requests == ["/fra-eng.zip"]  # not fetched again
    (raw / "fra-eng.zip").write_bytes(b"damaged")
    assert run(tmp_path, "fra", "--url", url).returncode == 0
    assert (raw / "fra-eng.zip").read_bytes() == FILES["/fra-eng.zip"]


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("xxx", "HTTP 404"),
        ("mar", "mar-eng.zip arrived, but is no zip file"),
        ("deu", "without a sound deu.txt"),
        ("ita", "ita-eng.zip broke off after"),
        ("../../etc", "no three-letter language code"),
    ],
)
def test_errors_are_one_sentence_and_leave_nothing(tmp_path: Path, url: str, language: str, message: str) -> None:
    result = run(tmp_path, language, "--url", url)
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_no_network(tmp_path: Path) -> None:
    result = run(tmp_path, "fra", "--url", "http://127.0.0.1:9")
    assert result.returncode == 2
    assert "check the network" in result.stderr
