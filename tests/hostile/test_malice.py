"""Files made to run code or to write where they should not: they are read as data, and refused in one sentence."""

import gzip
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from nmt.data.bitext import Bitext
from nmt.data.heldout import given_set
from nmt.data.prepare import prepare
from nmt.data.settings import DataSettings
from nmt.errors import UserError
from nmt.files import SUMS, write_sums
from tests.commands import corpus_lines
from tests.conftest import assert_refused


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A file that the payload creates, should it ever run."""
    return tmp_path / "the payload ran"


@pytest.fixture
def payload(marker: Path) -> bytes:
    """A pickle that creates the marker when it is loaded, proved to work."""
    content = f"cposix\nsystem\n(S'touch \"{marker}\"'\ntR.".encode()
    subprocess.run([sys.executable, "-c", f"import pickle; pickle.loads({content!r})"], check=True)
    marker.unlink()  # it was there
    return content


def settings(folder: Path, path: Path) -> DataSettings:
    return DataSettings("x", str(path), columns=["eng", "fra"], vocab_size=300, prepared_dir=str(folder / "prepared"))


@pytest.mark.parametrize("name", ["pairs.tsv", "raw.gz", "packed.gz", "raw.zip", "packed.zip", "weights.pt", "x.npy"])
@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_a_pickle_as_corpus_is_not_run(tmp_path: Path, payload: bytes, marker: Path, name: str, on_error: str) -> None:
    path = tmp_path / name
    if name == "packed.zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("data.pkl", payload)
    else:
        path.write_bytes(gzip.compress(payload) if name == "packed.gz" else payload)
    with pytest.raises(UserError, match=name):
        prepare(DataSettings(name="x", path=str(path), on_error=on_error, prepared_dir=str(tmp_path / "prepared")))  # type: ignore[arg-type]
    assert not marker.exists()
    assert all(name.endswith(".lock") for name in os.listdir(tmp_path / "prepared"))


def test_a_zip_writes_nothing_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    content = "\n".join(corpus_lines())
    for number, member in enumerate(["../../evil.txt", str(tmp_path / "evil.txt"), "../evil.txt/../../evil.txt"]):
        with zipfile.ZipFile(inner / f"{number}.zip", "w") as archive:
            archive.writestr(member, content)
        corpus = prepare(settings(inner, inner / f"{number}.zip"))
        assert len(corpus.train) > 100
    assert sorted(os.listdir(tmp_path)) == ["a"]
    assert sorted(os.listdir(tmp_path / "a")) == ["b"]
    assert sorted(os.listdir(inner)) == ["0.zip", "1.zip", "2.zip", "prepared"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_python_unpacks_without_bound_are_refused(tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr("a.txt", "one\tun\n")
    with pytest.raises(UserError, match=r"a\.zip: member a\.txt is packed in an unusual way: unpack it first"):
        prepare(settings(tmp_path, tmp_path / "a.zip"))


def test_a_held_out_bomb_is_stopped(tmp_path: Path) -> None:
    """A kilobyte that unpacks to a million lines, all of which would be kept."""
    files = []
    for side in "ab":
        files.append(tmp_path / f"{side}.gz")
        with gzip.open(files[-1], "wb", compresslevel=1) as file:
            file.write(b"\n" * 2**20)
    bitext = Bitext(tuple(map(str, files)), (0, 1), "stop", max_megabytes=4096)
    assert_refused(r"a\.gz and .*b\.gz: line 671089 is beyond what a held-out set may hold", given_set, bitext)


def place_of_a_corpus(folder: Path) -> tuple[DataSettings, Path]:
    """Settings of a corpus, and where it would be prepared: known, but empty."""
    path = folder / "pairs.tsv"
    path.write_text("\n".join(corpus_lines()))
    data = settings(folder, path)
    directory = prepare(data).directory
    shutil.rmtree(directory)
    return data, directory


def test_a_link_at_the_name_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    data, directory = place_of_a_corpus(tmp_path)
    lock = directory.parent / f".{directory.name}.lock"
    lock.unlink()
    lock.symlink_to(tmp_path / "created")
    assert_refused(r"data\.prepared_dir=.* cannot be written", prepare, data)
    assert not (tmp_path / "created").exists()


def test_a_link_at_the_name_of_a_prepared_corpus_is_not_written_through(tmp_path: Path) -> None:
    data, directory = place_of_a_corpus(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("mine")
    write_sums(elsewhere)
    (elsewhere / "precious").write_text("changed")
    directory.symlink_to(elsewhere)
    assert prepare(data).directory == directory
    assert not directory.is_symlink()
    assert sorted(os.listdir(elsewhere)) == [SUMS, "precious"]
    assert (elsewhere / "precious").read_text() == "changed"


@pytest.mark.parametrize("field", ["path", "prepared_dir"])
def test_the_home_of_nobody(tmp_path: Path, field: str) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tb\n" * 3)
    values = {"path": str(path), "prepared_dir": str(tmp_path / "prepared")} | {field: "~no-such-user/x"}
    assert_refused("~no-such-user/x: there is no such user", prepare, DataSettings(name="x", **values))
