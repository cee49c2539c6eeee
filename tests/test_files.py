from pathlib import Path
from typing import Literal

import pytest

from nmt.errors import UserError
from nmt.files import SUMS, check_sums, damage, new_directory, sha256, write_bytes, write_sums, write_text


def test_a_failed_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.json"
    write_bytes(path, b"old")

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(UserError, match=r"scores\.json cannot be written \(No space left on device\)"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    write_text(tmp_path / "a" / "b" / "c.txt", "é")
    assert (tmp_path / "a/b/c.txt").read_bytes() == "é".encode()


def test_sums_name_the_file_that_changed(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    write_sums(tmp_path)
    check_sums(tmp_path)
    assert f"{sha256(tmp_path / 'one')}  one\n" in (tmp_path / SUMS).read_text()
    (tmp_path / "two").write_text("twO")
    with pytest.raises(UserError, match="two is damaged"):
        check_sums(tmp_path)
    (tmp_path / "two").unlink()
    with pytest.raises(UserError, match="two is missing"):
        check_sums(tmp_path)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xfe", b"abc  one"])
def test_a_damaged_list_of_sums_is_found(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "one").write_text("one")
    (tmp_path / "SHA256SUMS").write_bytes(content)
    with pytest.raises(UserError):
        check_sums(tmp_path)


def test_a_new_directory_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    final = tmp_path / "final"
    with pytest.raises(ZeroDivisionError), new_directory(final, "keep") as directory:
        (directory / "a").write_text("half")
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())
    with new_directory(final, "keep") as directory:
        (directory / "a").write_text("whole")
        assert not final.exists()
    assert damage(final) is None
    assert [path.name for path in tmp_path.iterdir()] == ["final"]


def fill(final: Path, text: str, existing: Literal["keep", "replace", "refuse"]) -> str:
    with new_directory(final, existing) as directory:
        (directory / "a").write_text(text)
    assert damage(final) is None
    return (final / "a").read_text()


def test_what_happens_to_a_directory_that_is_there_already(tmp_path: Path) -> None:
    final = tmp_path / "final"
    final.mkdir()
    assert fill(final, "first", "refuse") == "first"  # into an empty directory
    with pytest.raises(UserError, match="not an empty directory"):
        fill(final, "second", "refuse")
    assert fill(final, "second", "keep") == "first"
    assert fill(final, "third", "replace") == "third"
    (final / "a").write_text("changed")
    assert fill(final, "fourth", "keep") == "fourth"  # a damaged one is not kept
    assert [path.name for path in tmp_path.iterdir()] == ["final"]
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UserError):
        fill(tmp_path / "file", "x", "refuse")
    assert (tmp_path / "file").read_text() == "mine"
