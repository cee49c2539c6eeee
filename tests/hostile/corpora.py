"""Corpora that nobody would write on purpose, drawn by hypothesis: bytes in files, in archives, in no files at all."""

import gzip
import io
import os
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hypothesis import strategies as st

from nmt.data.lines import MAX_LINE_BYTES

BOM = b"\xef\xbb\xbf"
WORDS = [
    *["the", "cat", "sees", "a", "dog", ".", "!", "?", "le", "chat", "voit", "un", "chien", "mange", "aussi"],
    *("é", "e\u0301", "Å", "A\u030a", "ﬁn", "İstanbul", "straße", "STRASSE", "½", "\u1112\u1161\u11ab"),  # NFD, NFKC
    *("שלום", "مرحبا", "\u202eright to left\u202c", "नमस्ते", "क्\u200dष", "漢字", "한국어", "สวัสดี"),
    *("👩\u200d👩\u200d👧", "🏳️\u200d🌈", "👍🏽", "🇫🇷", "\U0010ffff", "\ue000", "\ufffd", "\ufdd0"),
    *("\u2028", "\u2029", "\u0085", "\u2581", "\u2581a", "\u2585", "\u00a0", "\u200b", "\u3000", "\ufeff", "\x07"),
    "\x1c",
    *("\r", "\r\r", "\u0301", "\u0301\u0301\u0301", "<s>", "</s>", "<0x0A>", "<unk>", "<pad>", "x" * 60, '"'),
]
BAD_LINES = [
    *(b"no tab at all", b"\xff\xfe", b"a\t\xc3", b"\xed\xa0\x80\tsurrogate", b"\xc0\xaf\toverlong", b"a\tb\0"),
    *(b"\0", b"\xf4\x90\x80\x80\tbeyond", BOM, b"\xe2\x80"),
]
BLANK_LINES = [b"", b" ", b"\t", b"\t\t\t", b"\r", b"\xe3\x80\x80", b"\t only a target", b"only a source\t"]

sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
good_lines = st.tuples(sentences, sentences, st.sampled_from(["", "", "", "\tCC-BY #1", "\tone\ttwo\t"])).map(
    lambda cells: f"{cells[0]}\t{cells[1]}{cells[2]}".encode()
)
cells = sentences.map(str.encode)
giants = st.integers(-2, 2).map(lambda more: b"a\t" + b"x" * (MAX_LINE_BYTES - 2 + more))
tidy_endings = st.sampled_from([b"\n", b"\n", b"\r\n"])
endings = st.sampled_from([b"\n"] * 8 + [b"\r\n"] * 3 + [b"\n\n", b"\r", b"\r\r\n"])


@dataclass(frozen=True)
class Form:
    """What the files of a set share: lines of pairs or of single sentences, and their number if nothing is damaged."""

    line: st.SearchStrategy[bytes]
    count: int | None = None


@st.composite
def contents(draw: st.DrawFn, form: Form) -> bytes:
    """The bytes of a text file."""
    kinds = [form.line] * 12
    if draw(st.booleans()):
        kinds += [st.sampled_from(BLANK_LINES), st.sampled_from(BAD_LINES)]
    few, most = (0, 16) if form.count is None else (form.count, form.count)
    lines = draw(st.lists(st.one_of(kinds), min_size=few, max_size=most))
    if lines and not draw(st.integers(0, 60)):
        lines[draw(st.integers(0, len(lines) - 1))] = draw(giants)
    ends = draw(st.lists(endings if form.count is None else tidy_endings, min_size=len(lines), max_size=len(lines)))
    if lines and lines[-1] and draw(st.booleans()):
        ends[-1] = b""
    text = b"".join(line + end for line, end in zip(lines, ends, strict=True))
    return draw(st.sampled_from([b"", b"", b"", BOM, BOM + BOM])) + text


@dataclass(frozen=True)
class Input:
    """A file to be made, and the path that a setting gives for it."""

    name: str
    make: Callable[[Path], None]
    member: str = ""

    def path(self, folder: Path) -> str:
        return str(folder / self.name) + (f"::{self.member}" if self.member else "")


def plain(name: str, content: bytes) -> Input:
    return Input(name, partial(write, content=content))


def write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


@st.composite
def gzipped(draw: st.DrawFn, stem: str, content: bytes, whole: bool) -> Input:
    """A .gz: whole, in several members, cut, with bytes after its end or with a bit flipped."""
    packed = gzip.compress(content, compresslevel=1, mtime=0)
    tricks = ["whole", "members", "zeros"] + ([] if whole else ["cut", "junk", "flip", "not gzip", "pickle"])
    how = draw(st.sampled_from(tricks))
    if how == "members":
        place = draw(st.integers(0, len(content)))
        packed = gzip.compress(content[:place]) + gzip.compress(content[place:])
    elif how == "cut":
        packed = packed[: draw(st.integers(0, len(packed) - 1))]
    elif how == "flip":
        packed = flipped(packed, draw(st.integers(0, 8 * len(packed) - 1)))
    else:
        packed += {"junk": b"junk", "zeros": bytes(100)}.get(how, b"")
        packed = {"not gzip": content, "pickle": b"\x80\x04cposix\nsystem\n."}.get(how, packed)
    return plain(f"{stem}.gz", packed)


@st.composite
def zipped(draw: st.DrawFn, stem: str, content: bytes, whole: bool) -> Input:
    """A .zip: with one member or several, oddly named, of an odd kind, or damaged."""
    names = [f"{stem}.txt", "../../evil.txt", "/tmp/hostile-evil.txt", "..\\evil.txt", "a\x1b[31m.txt", "ü/漢.txt"]
    name = draw(st.sampled_from(names if whole else [*names, "x.tar.gz"]))
    methods = [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED] + ([] if whole else [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    method = draw(st.sampled_from(methods))
    beside = [[], ["_about.txt"], ["folder/"], ["note.pdf"], ["b.txt"], [name]]
    others = draw(st.sampled_from(beside[:4] if whole else beside))
    asked = ["", name if name.isprintable() else "", "none.txt", "../../evil.txt"]
    member = draw(st.sampled_from(asked[:2] if whole else asked))
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", method) as archive:
        warnings.simplefilter("ignore")  # two members of one name
        info = zipfile.ZipInfo(name)
        info.compress_type = method
        if draw(st.integers(0, 9)) == 0:
            info.external_attr = 0o120777 << 16  # a symbolic link, whose content is where it points to
        archive.writestr(info, content)
        for other in others:
            archive.writestr(other, b"" if other.endswith("/") else b"about\tthis\n")
    packed = buffer.getvalue()
    tricks = ["encrypted", "method", "version", "name", "crc", "cut", "flip", "junk before"]
    how = draw(st.sampled_from(["whole"] if whole else ["whole", *tricks]))
    fields = {"encrypted": (6, 8, b"\x01\x00"), "method": (8, 10, b"\x63\x00"), "version": (4, 6, b"\xff\x00")}
    if how in fields:
        local, central, value = fields[how]
        for signature, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
            place = packed.index(signature) + offset
            packed = packed[:place] + value + packed[place + 2 :]
    elif how == "name":  # flagged as UTF-8, which it is not
        place = packed.index(b"PK\x01\x02")
        packed = packed[: place + 8] + b"\x00\x08" + packed[place + 10 : place + 46] + b"\xff" + packed[place + 47 :]
    elif how == "crc":
        place = packed.index(b"PK\x01\x02") + 16
        packed = flipped(packed, 8 * place)
    elif how == "cut":
        packed = packed[: draw(st.integers(0, len(packed) - 1))]
    elif how == "flip":
        packed = flipped(packed, draw(st.integers(0, 8 * len(packed) - 1)))
    elif how == "junk before":
        packed = b"#!/bin/sh\n" + packed
    return plain(f"{stem}.zip", packed) if not member else Input(f"{stem}.zip", partial(write, content=packed), member)


def flipped(content: bytes, bit: int) -> bytes:
    return content[: bit // 8] + bytes([content[bit // 8] ^ 1 << bit % 8]) + content[bit // 8 + 1 :]


@st.composite
def inputs(draw: st.DrawFn, stem: str, form: Form) -> Input:
    """One input file, in any of the forms that a path may have."""
    whole = form.count is not None
    forms = ["plain", "plain", "gz", "zip", "link", "gz", "zip", "zip", "odd"]
    how = draw(st.sampled_from(forms[:5] if whole else forms))
    content = draw(contents(form))
    if how == "gz":
        return draw(gzipped(stem, content, whole))
    if how == "zip":
        return draw(zipped(stem, content, whole))
    if how == "link":

        def link(path: Path) -> None:
            path.with_suffix(".real").write_bytes(content)
            path.symlink_to(path.with_suffix(".real"))

        return Input(f"{stem}.tsv", link)
    if how == "odd":
        odd: dict[str, Callable[[Path], None]] = {
            "directory": lambda path: path.mkdir(),
            "directory.zip": lambda path: path.mkdir(),
            "dangling": lambda path: path.symlink_to("nowhere"),
            "loop": lambda path: path.symlink_to(path.name),
            "missing": lambda path: None,
            "fifo": os.mkfifo,
            "empty": lambda path: path.touch(),
            "empty.gz": lambda path: path.touch(),
            "empty.zip": lambda path: path.touch(),
            "n" * 300: lambda path: None,  # longer than a name can be
        }
        name = draw(st.sampled_from(sorted(odd)))
        return Input(f"{stem}-{name}", odd[name])
    member = "" if whole else draw(st.sampled_from([""] * 9 + ["member"]))
    return Input(f"{stem}.tsv", partial(write, content=content), member)


@dataclass(frozen=True)
class Corpus:
    """Inputs and the settings that name them."""

    path: tuple[Input, ...]
    val: tuple[Input, ...]
    test: tuple[Input, ...]
    values: dict[str, object]

    def settings(self, folder: Path) -> dict[str, object]:
        """Make the files; gives the arguments of DataSettings."""
        paths: dict[str, object] = {}
        for field, files in (("path", self.path), ("val_path", self.val), ("test_path", self.test)):
            for file in files:
                file.make(folder / file.name)
            named = [file.path(folder) for file in files]
            paths[field] = None if not named else named[0] if len(named) == 1 else named
        return {"name": "hostile", "columns": ["eng", "fra"], **self.values, **paths}


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """A whole corpus: a table or parallel files, and at times held-out sets."""

    def files(stem: str, most: int = 2) -> tuple[Input, ...]:
        number = draw(st.sampled_from([1, 1, most]))
        line = good_lines if number == 1 else cells
        form = Form(line, draw(st.integers(4, 16)) if draw(st.integers(0, 4)) else None)
        return tuple(draw(inputs(f"{stem}{i}", form)) for i in range(number))

    return Corpus(
        path=files("corpus"),
        val=files("val") if not draw(st.integers(0, 7)) else (),
        test=files("test", draw(st.integers(2, 3))) if not draw(st.integers(0, 7)) else (),
        values={
            "on_error": draw(st.sampled_from(["stop", "skip", "skip"])),
            "source": draw(st.sampled_from([None, None, None, "eng"])),
            "max_chars": draw(st.sampled_from([500, 500, 30])),
            "max_ratio": draw(st.sampled_from([12.0, 2.0])),
            "val_size": draw(st.sampled_from([1, 1000])),
            "test_size": draw(st.sampled_from([1, 1000])),
            "vocab_size": draw(st.sampled_from([300, 300, 500])),
            "vocab_type": draw(st.sampled_from(["bpe", "bpe", "unigram"])),
            "joint_vocab": draw(st.booleans()),
            "max_megabytes": draw(st.sampled_from([1, 64, 64])),
        },
    )
