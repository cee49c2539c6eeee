"""Files of every corpus format: as programs write them, and damaged at random."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from hypothesis import strategies as st

from nmt.data.cleaning import clean
from tests.hostile.corpora import WORDS

Pair = tuple[str, str]
SUFFIXES = {
    "csv": "csv",
    "jsonl": "jsonl",
    "tmx": "tmx",
    "xliff": "xlf",
    "xliff2": "xliff",
    "po": "po",
    "moses": "zip",
}
FRAGMENTS = [
    *(
        b'"',
        b'""',
        b",",
        b";",
        b"\t",
        b"|",
        b"\n",
        b"\r",
        b"\r\n",
        b"\0",
        b"\xff",
        b"\xff\xfe",
        b"\xe9",
        b"\xef\xbb\xbf",
    ),
    *(
        b"<",
        b">",
        b"&",
        b"&lol;",
        b"&#0;",
        b"]]>",
        b"<!--",
        b"<![CDATA[",
        b"<a>",
        b"</seg>",
        b"</tu>",
        b"<tu>",
        b"<ph>",
    ),
    *(b"<a>" * 150, b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"<?xml version='1.0' encoding='big5'?>", b"xml:lang=''"),
    *(
        b"{",
        b"}",
        b"[",
        b"[" * 5000,
        b'{"a":' * 3000,
        b"null",
        b"1e999",
        b'"\\ud800"',
        b'"eng": 7,',
        b"NaN",
        b"9" * 5000,
    ),
    *(b"msgid", b'msgid "x', b'msgstr "y"', b"#, fuzzy\n", b"#~ ", b"\\", b"\\9", b"\\x", b"msgstr[1]", b"msgctxt"),
    *(b"PK\x01\x02", b"x" * 200_000),
]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=12)


@dataclass(frozen=True)
class File:
    """The bytes of a file, and the pairs in it, if it is whole."""

    content: bytes
    pairs: list[Pair] | None


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
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for side, suffix in enumerate(("en", "fr")):
            archive.writestr(f"a/Corpus.en-fr.{suffix}", "".join(f"{row[side]}\n" for row in rows))
        for name in draw(st.sampled_from([[], ["README"], ["a/Corpus.en-fr.ids", "LICENSE"]])):
            archive.writestr(name, "about")
    return buffer.getvalue()


WRITERS: dict[str, Callable[[st.DrawFn, Sequence[Pair]], bytes]] = {
    "csv": csv_bytes,
    "jsonl": jsonl_bytes,
    "tmx": tmx_bytes,
    "xliff": xliff_bytes,
    "xliff2": xliff2_bytes,
    "po": po_bytes,
    "moses": moses_bytes,
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
def files(draw: st.DrawFn, kind: str) -> File:
    """A file of a format; half of them are damaged."""
    rows = [(writable(kind, a), writable(kind, b)) for a, b in draw(pairs)]
    if kind in ("po", "moses"):
        rows = [row for row in rows if all(row)] or [("a", "b")]
    content = WRITERS[kind](draw, rows)
    if draw(st.booleans()):
        return File(content, [(clean(a), clean(b)) for a, b in rows])
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(content)))
        end = place + draw(st.sampled_from([0, 0, 0, 1, 1, 5, 40, len(content)]))
        new = draw(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=4), st.just(b"")))
        content = content[:place] + new + content[end:]
    return File(content, None)
