import gzip
import unicodedata
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.data.bitext import usable_pairs
from nmt.data.cleaning import clean
from nmt.data.readers import Tsv
from nmt.errors import UserError
from tests.conftest import assert_refused

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def rows(path: Path | str, on_error: str = "stop") -> list[list[str]]:
    return list(Tsv((str(path),), (0, 1), on_error=on_error).clean_rows())


def write(path: Path, content: bytes) -> Path:
    if path.suffix == ".gz":
        content = gzip.compress(content)
    path.write_bytes(content)
    return path


def write_zip(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@given(TEXT)
def test_cleaning_leaves_one_line_of_all_but_space_and_controls(text: str) -> None:
    def kept(s: str) -> Counter[str]:
        characters = unicodedata.normalize("NFD", s)
        return Counter(c for c in characters if not (c.isspace() or unicodedata.category(c) == "Cc" or c in "\ufeff▁"))

    once = clean(text)
    assert kept(once) == kept(text)
    assert clean(once) == once
    assert once == " ".join(once.split())
    assert not any(unicodedata.category(c) == "Cc" for c in once)
    assert "\ufeff" not in once


def test_cleaning_by_example() -> None:
    assert clean("  Ça\u00a0va\u202f?\t\r\n") == "Ça va ?"
    assert clean("e\u0301\x07t\ufeffe") == "éte"
    assert clean("▁a▁▁b") == "a b"
    for survivor in ("क्‍ष नमस्ते", "👩‍👩‍👧", "می‌خواهم", "GROSS Straße"):
        assert clean(survivor) == survivor


def test_zip_members(tmp_path: Path) -> None:
    good = b"Hi.\tSalut.\n"
    anki = write_zip(tmp_path / "fra-eng.zip", **{"_about.txt": b"about", "fra.txt": good})
    assert rows(anki) == rows(f"{anki}::fra.txt") == [["Hi.", "Salut."]]
    assert rows(write_zip(tmp_path / "one.zip", **{"x.tsv": good})) == [["Hi.", "Salut."]]
    assert rows(write_zip(tmp_path / "ONE.ZIP", **{"X.TXT": good, "Y_ABOUT.TXT": b""})) == [["Hi.", "Salut."]]
    (tmp_path / "ONE.TSV.GZ").write_bytes(gzip.compress(good))
    assert rows(tmp_path / "ONE.TSV.GZ") == [["Hi.", "Salut."]]
    with pytest.raises(UserError, match=r"two\.zip: name one member .* out of: a\.txt, b\.txt\."):
        rows(write_zip(tmp_path / "two.zip", **{"a.txt": good, "b.txt": good}))
    assert_refused(r"out of: x\.tsv", rows, f"{tmp_path / 'one.zip'}::y.tsv")
    assert_refused("it is empty", rows, write_zip(tmp_path / "none.zip"))
    with pytest.raises(UserError, match=r"inner\.gz is itself an archive"):
        rows(write_zip(tmp_path / "nested.zip", **{"inner.gz": gzip.compress(good)}))
    assert_refused(r"names a member of a \.zip", rows, f"{write(tmp_path / 'a.tsv', good)}::b")


def test_an_encrypted_zip_is_an_error(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "secret.zip", **{"a.txt": b"Hi.\tSalut.\n"})
    content = bytearray(path.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + flags] |= 1  # the bit that says: encrypted
    path.write_bytes(content)
    assert_refused(r"a\.txt is encrypted", rows, path)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (b"no tab here", "1 column between tabs where 2 are needed"),
        (b"a\t\xff\xfe", "not valid UTF-8"),
        (b"a\tb\0", "NUL byte"),
    ],
)
@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.gz"])
def test_a_malformed_line_is_named_by_number_or_skipped(tmp_path: Path, bad: bytes, problem: str, name: str) -> None:
    path = write(tmp_path / name, b"one\tun\n" + bad + b"\ntwo\tdeux\n")
    assert_refused(f"{name}:2: .*{problem}", rows, path)
    assert rows(path, on_error="skip") == [["one", "un"], [], ["two", "deux"]]


def test_damaged_archives(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b"%d\tun\n" % i for i in range(5000)))
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for name, content in (("cut", whole[: len(whole) // 2]), ("flipped", flipped), ("junk", b"junk")):
        path = tmp_path / f"{name}.gz"
        path.write_bytes(content)
        assert_refused(rf"{name}\.gz: damaged archive|flipped\.gz:\d+: .*(columns|UTF-8)", rows, path)
    (tmp_path / "junk.zip").write_bytes(b"junk")
    assert_refused(r"junk\.zip: damaged archive", rows, tmp_path / "junk.zip")
    assert_refused(r"gone\.tsv cannot be read \(No such file", rows, tmp_path / "gone.tsv")


def test_filters_count_what_they_drop(tmp_path: Path) -> None:
    table = [
        ("Go.", "Va !"),
        ("", "vide"),
        ("\u3000", "rien"),
        ("x" * 51, "y" * 51),
        ("x" * 40, "好好"),  # twenty times as long
        ("Yes, I do.", "嗨"),  # ten times, but short
    ]
    path = write(tmp_path / "a.tsv", "".join(f"{a}\t{b}\n" for a, b in table).encode())
    dropped: Counter[str] = Counter()
    assert list(usable_pairs(Tsv((str(path),), (0, 1)), 50, 9.0, dropped)) == [table[0], table[-1]]
    assert dropped == {"empty": 2, "too long": 1, "length ratio": 1}


def test_a_blank_line_is_empty_and_a_third_column_ignored(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", b"Hi.\tSalut.\tCC-BY 2.0 #1\nGo.\tVa !\n")
    assert rows(path) == [["Hi.", "Salut."], ["Go.", "Va !"]]
    assert rows(write(tmp_path / "a.tsv", b"\xef\xbb\xbf\na\tb\n  \n")) == [["", ""], ["a", "b"], ["", ""]]
