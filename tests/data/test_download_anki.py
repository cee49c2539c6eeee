import hashlib
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data.downloads import Quiet, assert_nothing_but_a_sentence, downloader, site

run = downloader("download_anki.py")


def anki_zip(member: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, "Go.\tVa !\tCC-BY\n")
        archive.writestr("_about.txt", "about")
    return buffer.getvalue()


FILES = {"/fra-eng.zip": anki_zip("fra.txt"), "/deu-eng.zip": anki_zip("other.txt"), "/mar-eng.zip": b"<html>"}


class Site(Quiet):
    requests: list[str] = []  # noqa: RUF012 - shared on purpose

    def do_GET(self) -> None:
        Site.requests.append(self.path)
        if "python" in self.headers["User-Agent"].lower():
            self.send_error(406)
        elif self.path == "/ita-eng.zip":
            self.send_file(FILES["/fra-eng.zip"], length=100_000)  # breaks off
        elif self.path in FILES:
            self.send_file(FILES[self.path])
        else:
            self.send_error(404)


@pytest.fixture
def url() -> Iterator[str]:
    Site.requests.clear()
    with site(Site) as address:
        yield address


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
    assert_nothing_but_a_sentence(run(tmp_path, language, "--url", url), tmp_path, message)


def test_no_network(tmp_path: Path) -> None:
    result = run(tmp_path, "fra", "--url", "http://127.0.0.1:9")
    assert result.returncode == 2
    assert "check the network" in result.stderr
