import os
import subprocess
from pathlib import Path
from random import Random
from typing import Literal

import pytest

import nmt.files
from nmt.errors import UserError
from nmt.files import (
    SUMS,
    check_sums,
    damage,
    new_directory,
    read_record,
    write_bytes,
    write_listed,
    write_record,
    write_sums,
    write_text,
)
from tests.conftest import assert_refused
from tests.damage import DAMAGES, damaged


def test_a_failed_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new" / "folder" / "scores.json"
    write_text(path, "é")
    assert path.read_bytes() == "é".encode()
    write_bytes(path, b"old")

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    assert_refused(r"scores\.json cannot be written \(No space left on device\)", write_bytes, path, b"new")
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_sums_are_compared_to_the_byte(tmp_path: Path) -> None:
    for name in ("b", "a/c", "a-d"):
        write_text(tmp_path / name, name)
    write_sums(tmp_path)
    subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=tmp_path, check=True, capture_output=True)
    content = (tmp_path / SUMS).read_bytes()
    lines = content.splitlines(keepends=True)
    others = [
        *(b"", b"nonsense", b"\xff\xfe", b"abc  one"),
        *(content[:-1], content + lines[0], content.upper(), b"".join(lines[1:]), b"".join(reversed(lines))),
        content.replace(b"  ", b" *", 1),  # read by sha256sum, not written by us
        content.replace(b"  b", b"  ./b"),
        content.replace(b"\n", b"\r\n"),
        content + b"0" * 64 + b"  ../elsewhere\n",
    ]
    for other in others:
        (tmp_path / SUMS).write_bytes(other)
        assert damage(tmp_path), other
    (tmp_path / SUMS).write_bytes(content)
    assert damage(tmp_path) is None


def test_other_files_are_allowed_only_where_names_are_given(tmp_path: Path) -> None:
    write_text(tmp_path / "one", "1")
    write_sums(tmp_path)
    write_text(tmp_path / "later/two", "2")
    assert damage(tmp_path) == f"{tmp_path / 'later/two'} is not listed in SHA256SUMS"
    assert damage(tmp_path, ["one"]) is None
    assert damage(tmp_path, ["one", "later/two"])


def test_links_and_pipes_are_refused(tmp_path: Path) -> None:
    write_text(tmp_path / "in/one", "1")
    write_sums(tmp_path / "in")
    for make in (lambda path: path.symlink_to(tmp_path / "in/one"), lambda path: os.mkfifo(path)):
        make(tmp_path / "in/odd")
        assert_refused(r"odd is .*nothing is read or written through it", check_sums, tmp_path / "in", ["one"])
        (tmp_path / "in/odd").unlink()


def test_every_damage_of_a_record_is_found(tmp_path: Path) -> None:
    path, other, random = tmp_path / "a.json", tmp_path / "other/a.json", Random(1)
    record = {"é": 1.1e-7, "list": [None, True, {"x": "ß\u2028"}], "large": 10**30}
    write_record(path, record)
    write_record(other, {"a": 1})
    for kind in DAMAGES * 10:
        assert read_record(path) == record
        with damaged(path, kind, random, other):
            if kind != "linked":  # which is refused where the run directory is checked
                assert_refused(r"a\.json is (missing|damaged)", read_record, path)


@pytest.mark.parametrize("content", [b"", b"[]", b"3", b"\xff", b"[" * 100_000, b"null", b"{} {}"])
def test_what_is_no_record_is_refused_whatever_its_checksum(tmp_path: Path, content: bytes) -> None:
    write_listed(tmp_path / "a.json", content)
    assert_refused(r"a\.json holds no record", read_record, tmp_path / "a.json")


@pytest.mark.parametrize("written", [1, 2])
def test_a_record_is_listed_if_its_writer_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    """After the new line, or after the new file too, but before the old line is gone."""
    path, other = tmp_path / "a.json", tmp_path / "b.json"
    write_record(other, {"other": 1})
    write_record(path, {"old": 1})
    files, writes = iter([write_bytes] * written), nmt.files.write_bytes

    def killed(target: Path, content: bytes) -> None:
        if next(files, None) is None:
            raise KeyboardInterrupt
        writes(target, content)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("nmt.files.write_bytes", killed)
        write_record(path, {"new": 1})
    assert read_record(path) == ({"old": 1} if written == 1 else {"new": 1})
    write_record(path, {"newer": 1})
    assert (read_record(path), read_record(other)) == ({"newer": 1}, {"other": 1})
    subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=tmp_path, check=True, capture_output=True)


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
    assert_refused("not an empty directory", fill, final, "second", "refuse")
    assert fill(final, "second", "keep") == "first"
    assert fill(final, "third", "replace") == "third"
    (final / "a").write_text("changed")
    assert fill(final, "fourth", "keep") == "fourth"  # a damaged one is not kept
    assert [path.name for path in tmp_path.iterdir()] == ["final"]
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UserError):
        fill(tmp_path / "file", "x", "refuse")
    assert (tmp_path / "file").read_text() == "mine"
