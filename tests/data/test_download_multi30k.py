import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data.downloads import Quiet, assert_nothing_but_a_sentence, downloader, site

run = downloader("download_multi30k.py")
LINES = {"train": 29_000, "val": 1_014, "test_2016_flickr": 1_000}
FILES = {f"/{name}.en.gz": gzip.compress(b"A dog.\n" * lines) for name, lines in LINES.items()}
FILES |= {"/train.de.gz": gzip.compress(b"Ein Hund.\n"), "/train.fr.gz": FILES["/train.en.gz"][:-20]}


class Site(Quiet):
    def do_GET(self) -> None:
        if self.path in FILES:
            self.send_file(FILES[self.path])
        else:
            self.send_error(404)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with site(Site) as address:
        yield address


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
    assert_nothing_but_a_sentence(run(tmp_path, language, "--url", url), tmp_path, message)
