from pathlib import Path

import pytest

from nmt.errors import UserError
from nmt.files import check_sums, read_sums, sha256, write_bytes, write_sums, write_text


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
    write_sums(tmp_path, ["one", "two"])
    check_sums(tmp_path)
    assert read_sums(tmp_path)["one"] == sha256(tmp_path / "one")
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
