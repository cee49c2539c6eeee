"""Files that nobody would write on purpose, drawn by hypothesis: of every format, packed, and damaged at random."""

import csv
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from hypothesis import strategies as st

from nmt.data.cleaning import clean

Pair = tuple[str, str]
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
# What a damaged place is replaced by: signs of the formats, and what their parsers may stumble over.
SIGNS = rb"""" "" , ; | < > & &lol; &#0; ]]> <!-- <![CDATA[ <a> </seg> </tu> <tu> <ph> xml:lang='' { } [ null 1e999 NaN
"\ud800" "eng":7, msgid msgid"x msgstr"y" #,fuzzy #~ \ \9 \x msgstr[1] msgctxt PK""".split()
FRAGMENTS = [
    *SIGNS,
    *(b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xff\xfe", b"\xe9", BOM, b"PK\x01\x02"),
    *(b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"<?xml version='1.0' encoding='big5'?>", b"\n#, fuzzy\n"),
    *(b"<a>" * 150, b"[" * 5000, b'{"a":' * 3000, b"9" * 5000, b"x" * 200_000),
]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=12)
good_lines = st.tuples(texts, texts, st.sampled_from(["", "", "", "\tCC-BY #1", "\tone\ttwo\t"])).map(
    lambda cells: f"{cells[0]}\t{cells[1]}{cells[2]}".encode()
)
endings = st.sampled_from([b"\n"] * 8 + [b"\r\n"] * 3 + [b"\n\n", b"\r", b"\r\r\n"])


def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """Replace, insert or remove a few pieces of a file."""
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(content)))
        end = place + draw(st.sampled_from([0, 0, 0, 1, 1, 5, 40, len(content)]))
        new = draw(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=4), st.just(b"")))
        content = content[:place] + new + content[end:]
    return content


def zipped(members: Sequence[tuple[str, bytes | str]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


@dataclass(frozen=True)
class Corpus:
    """The bytes of files, and the settings that name them."""

    files: dict[str, list[tuple[str, bytes]]]  # by path setting
    values: dict[str, object]

    def settings(self, folder: Path) -> dict[str, object]:
        """Make the files; gives the arguments of DataSettings."""
        paths: dict[str, object] = {}
        for field, files in self.files.items():
            for name, content in files:
                (folder / name).write_bytes(content)
            named = [str(folder / name) for name, _ in files]
            paths[field] = named[0] if len(named) == 1 else named
        return {"name": "hostile", "columns": ["eng", "fra"], **self.values, **paths}


@st.composite
def lines_of_text(draw: st.DrawFn, line: st.SearchStrategy[bytes], count: int | None) -> bytes:
    """The bytes of a text file; with a count of lines, none of them breaks a line."""
    kinds = [line] * 12
    if draw(st.booleans()):
        kinds += [st.sampled_from(BLANK_LINES), st.sampled_from(BAD_LINES)]
    few, most = (0, 16) if count is None else (count, count)
    lines = draw(st.lists(st.one_of(kinds), min_size=few, max_size=most))
    ends = [draw(endings if count is None else st.sampled_from([b"\n", b"\n", b"\r\n"])) for _ in lines]
    if lines and lines[-1] and draw(st.booleans()):
        ends[-1] = b""
    text = b"".join(line + end for line, end in zip(lines, ends, strict=True))
    return draw(st.sampled_from([b"", b"", b"", BOM, BOM + BOM])) + text


@st.composite
def inputs(draw: st.DrawFn, stem: str, line: st.SearchStrategy[bytes], count: int | None) -> tuple[str, bytes]:
    """The name and the bytes of one input: plain, gzipped or in a zip."""
    content, how = draw(lines_of_text(line, count)), draw(st.sampled_from(["tsv", "gz", "ZIP"]))
    if how == "gz":
        place = draw(st.integers(0, len(content)))  # a gzip may have several members, and NULs at its end
        content = gzip.compress(content[:place]) + gzip.compress(content[place:]) + bytes(place)
    elif how == "ZIP":
        beside = draw(st.sampled_from([[], [("_about.txt", b"a\tb")], [("folder/", b""), ("note.pdf", b"")]]))
        content = zipped([(draw(st.sampled_from([f"{stem}.txt", "../../evil.txt", "ü/漢.txt"])), content), *beside])
    if count is None and not draw(st.integers(0, 2)):
        content = damaged(draw, content)
    return f"{stem}.{how}", content


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """A whole corpus: a table or parallel files, and at times held-out sets."""

    def files(stem: str, most: int = 2) -> list[tuple[str, bytes]]:
        number = draw(st.sampled_from([1, 1, most]))
        line = good_lines if number == 1 else texts.map(str.encode)
        count = draw(st.integers(4, 16)) if draw(st.integers(0, 4)) else None
        return [draw(inputs(f"{stem}{i}", line, count)) for i in range(number)]

    fields = {"path": files("corpus")}
    if not draw(st.integers(0, 7)):
        fields["val_path"] = files("val")
    if not draw(st.integers(0, 7)):
        fields["test_path"] = files("test", draw(st.integers(2, 3)))
    return Corpus(
        fields,
        {
            "on_error": draw(st.sampled_from(["stop", "skip", "skip"])),
            "source": draw(st.sampled_from([None, None, None, "eng"])),
            "max_chars": draw(st.sampled_from([500, 500, 30])),
            "max_ratio": draw(st.sampled_from([12.0, 2.0])),
            "val_size": draw(st.sampled_from([1, 1000])),
            "test_size": draw(st.sampled_from([1, 1000])),
            "vocab_size": draw(st.sampled_from([300, 300, 500])),
            "vocab_type": draw(st.sampled_from(["bpe", "bpe", "unigram"])),
            "joint_vocab": draw(st.booleans()),
        },
    )


def csv_bytes(draw: st.DrawFn, rows: Sequence[Pair]) -> bytes:
    out = io.StringIO()
    delimiter = draw(st.sampled_from(",;\t|"))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=draw(st.sampled_from(["\n", "\r\n"])))
    writer.writerow(["id", "eng", "fra", "notes"])
    writer.writerows((number, *row, "x") for number, row in enumerate(rows))
    return out.getvalue().encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])))


def jsonl_bytes(draw: st.DrawFn, rows: Sequence[Pair]) -> bytes:
    objects = [{"eng": a, "n": 1, "fra": b} for a, b in rows]
    wrapped = [{"translation": each} for each in objects] if draw(st.booleans()) else objects
    ascii_only = draw(st.booleans())
    return "".join(json.dumps(each, ensure_ascii=ascii_only) + "\n" for each in wrapped).encode()


def tmx_bytes(draw: st.DrawFn, rows: Sequence[Pair]) -> bytes:
    doctype = draw(st.sampled_from(["", '<!DOCTYPE tmx SYSTEM "tmx14.dtd">']))
    units = "".join(
        f'<tu>\n<tuv xml:lang="en-US"><seg>{escape(a)}<ph>x</ph></seg></tuv>'
        f'<tuv xml:lang="fr"><seg><hi>{escape(b)}</hi></seg></tuv></tu>\n'
        for a, b in rows
    )
    text = f'<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>'
    encoding = draw(st.sampled_from(["utf-8", "utf-16"]))
    return f'<?xml version="1.0" encoding="{encoding}"?>{doctype}\n{text}'.encode(encoding)


def xliff_bytes(draw: st.DrawFn, rows: Sequence[Pair]) -> bytes:
    units = "".join(
        f"<trans-unit><source>{escape(a)}</source><target>{escape(b)}</target>"
        "<alt-trans><source>no</source><target>no</target></alt-trans></trans-unit>\n"
        for a, b in rows
    )
    namespace = draw(st.sampled_from(["", ' xmlns="urn:oasis:names:tc:xliff:document:1.2"']))
    return f'<xliff{namespace}><file source-language="en" target-language="fr">{units}</file></xliff>'.encode()


def xliff2_bytes(draw: st.DrawFn, rows: Sequence[Pair]) -> bytes:
    state = draw(st.sampled_from(["", ' state="final"']))
    units = "".join(
        f"<unit><segment{state}><source>{escape(a)}</source><target>{escape(b)}</target></segment></unit>\n"
        for a, b in rows
    )
    return f'<xliff srcLang="en" trgLang="fr" version="2.0"><file>{units}</file></xliff>'.encode()


def po_bytes(draw: st.DrawFn, rows: Sequence[Pair]) -> bytes:
    def quoted(text: str) -> str:
        for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
            text = text.replace(plain, escaped)
        return f'"{text}"'

    head = 'msgid ""\nmsgstr ""\n"Language: fr\\n"\n\n'
    gap = draw(st.sampled_from(["\n", "\n#: file.c:7\n", "\n\n# fuzzy\n"]))
    return (head + "".join(f"{gap}msgid {quoted(a)}\nmsgstr {quoted(b)}\n" for a, b in rows)).encode()


def moses_bytes(draw: st.DrawFn, rows: Sequence[Pair]) -> bytes:
    sides = [(f"a/Corpus.en-fr.{code}", "".join(f"{row[i]}\n" for row in rows)) for i, code in enumerate(("en", "fr"))]
    beside = draw(st.sampled_from([[], ["README"], ["a/Corpus.en-fr.ids", "LICENSE"]]))
    return zipped([*sides, *((name, "about") for name in beside)])


# Names of files and what writes them, by format.
WRITERS: dict[str, tuple[str, Callable[[st.DrawFn, Sequence[Pair]], bytes]]] = {
    "csv": ("mine.csv", csv_bytes),
    "jsonl": ("mine.jsonl", jsonl_bytes),
    "tmx": ("mine.tmx", tmx_bytes),
    "xliff": ("mine.xlf", xliff_bytes),
    "xliff2": ("mine.xliff", xliff2_bytes),
    "po": ("mine.po", po_bytes),
    "moses": ("mine.zip", moses_bytes),
}
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def writable(kind: str, text: str) -> str:
    """A text as a format can hold it."""
    if kind in ("tmx", "xliff", "xliff2"):
        return NOT_XML.sub("", text)
    if kind == "csv":
        return text.replace("\r", "\n")  # a carriage return ends a row, and Python's csv does not quote it
    return clean(text) if kind == "moses" else text


@st.composite
def files(draw: st.DrawFn, kind: str) -> tuple[bytes, list[Pair] | None]:
    """A file of a format, and the pairs in it; None for those that are damaged, which is every other one."""
    rows = [(writable(kind, a), writable(kind, b)) for a, b in draw(pairs)]
    if kind in ("po", "moses"):
        rows = [row for row in rows if all(row)] or [("a", "b")]
    content = WRITERS[kind][1](draw, rows)
    if draw(st.booleans()):
        return content, [(clean(a), clean(b)) for a, b in rows]
    return damaged(draw, content), None
