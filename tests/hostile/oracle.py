"""What preparing a corpus should give, written as plainly as can be: whole files, sets and loops."""

import codecs
import gzip
import unicodedata
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from nmt.data.heldout import HeldOut
from nmt.data.settings import DataSettings, as_list

Pair = tuple[str, str]


class Refused(Exception):
    """The corpus must be refused with a sentence that holds one of `names`."""

    def __init__(self, *names: str) -> None:
        super().__init__(*names)
        self.names = names


@dataclass(frozen=True)
class Reading:
    """What there is to be found in the files of a corpus: the pairs worth learning from, and the given sets."""

    pairs: list[Pair]
    read: int  # lines, also those that are no use
    val: list[HeldOut] | None
    test: list[HeldOut] | None


def reading(settings: DataSettings) -> Reading:
    paths = [as_list(getattr(settings, field)) for field in ("path", "val_path", "test_path")]
    rows = naive_rows(settings, paths[0])
    pairs = [(row[0], row[1]) for row in rows if row is not None and fits(settings, row[0], row[1])]
    if not pairs:
        raise Refused(paths[0][0])
    val, test = (given(settings, group) if group else None for group in paths[1:])
    return Reading(pairs, len(rows), val, test)


def content(path: str) -> bytes | None:
    """The text of a file, out of its archive; None if it cannot be had."""
    packed = Path(path).read_bytes()
    try:
        if path.endswith(".gz"):
            return gzip.decompress(packed)
        if not path.endswith(".ZIP"):
            return packed
        with zipfile.ZipFile(path) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
            texts = [name for name in names if name.lower().endswith(".txt") and not name.endswith("_about.txt")]
            (found,) = names if len(names) == 1 else texts
            return archive.read(found)
    except Exception:  # whatever a damaged archive makes of its reader
        return None


def without_utf16(text: bytes) -> bytes:
    """UTF-16, by its byte order mark and the NULs of its ASCII characters, as UTF-8; what is invalid stays so."""
    if not (text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and b"\0" in text[:4096]):
        return text
    decoder = codecs.getincrementaldecoder("utf-16")("surrogatepass")
    decoded = decoder.decode(text).encode("utf-8", "surrogatepass")
    return decoded + b"\xff" if decoder.getstate()[0] else decoded


def naive_lines(path: str) -> list[str | None]:
    """The lines of a file, None for those that are malformed."""
    text = content(path)
    if text is None:
        raise Refused(path)
    lines = without_utf16(text).removeprefix(codecs.BOM_UTF8).split(b"\n")
    if not lines[-1]:
        lines.pop()
    result: list[str | None] = []
    for line in lines:
        try:
            result.append(None if b"\0" in line else line.decode())
        except UnicodeDecodeError:
            result.append(None)
    return result


def naive_rows(settings: DataSettings, paths: list[str]) -> list[list[str] | None]:
    """Clean rows, source first; None where on_error=skip leaves a malformed one out."""
    try:
        files = [naive_lines(path) for path in paths]
    except Refused:
        raise Refused(*paths) from None  # read side by side, another file may be the first to stop the work
    if len(paths) == 1:
        rows = [(paths[0], cut(line)) for line in files[0]]
    else:
        rows = [side_by_side(paths, lines) for lines in zip(*files, strict=False)]
    for number, (path, row) in enumerate(rows, start=1):
        if row is None and settings.on_error == "stop":
            raise Refused(f"{path}:{number}: ")
    if len(rows) < max(map(len, files)):
        raise Refused(f"ends before line {len(rows) + 1} ")
    return [None if row is None else [naive_clean(cell) for cell in row] for _, row in rows]


def cut(line: str | None) -> list[str] | None:
    if line is None:
        return None
    if not line.strip():
        return ["", ""]
    cells = line.split("\t")
    return cells[:2] if len(cells) >= 2 else None


def side_by_side(paths: list[str], lines: tuple[str | None, ...]) -> tuple[str, list[str] | None]:
    for path, line in zip(paths, lines, strict=True):
        if line is None:
            return path, None
    return "", [line for line in lines if line is not None]


def naive_clean(text: str) -> str:
    kept = [c for c in text if c != "\ufeff" and (c.isspace() or unicodedata.category(c) != "Cc")]
    return unicodedata.normalize("NFC", " ".join("".join(kept).replace("\u2581", " ").split()))


def fits(settings: DataSettings, source: str, target: str) -> bool:
    if not source or not target:
        return False
    long, short = max(len(source), len(target)), min(len(source), len(target))
    return long <= settings.max_chars and (long <= 20 or long <= settings.max_ratio * short)


def given(settings: DataSettings, paths: list[str]) -> list[HeldOut]:
    rows = [row for row in naive_rows(settings, paths) if row is not None]
    if len(paths) > 1:
        entries = [HeldOut(row[0], tuple(row[1:])) for row in rows]
    else:
        rows = [row for row in rows if all(row)]
        sources = list(dict.fromkeys(row[0] for row in rows))
        entries = [HeldOut(s, tuple(dict.fromkeys(row[1] for row in rows if row[0] == s))) for s in sources]
    if not any(entry.source and any(entry.references) for entry in entries):
        raise Refused(paths[0])
    return entries


def same(text: str) -> str:
    """What two sentences share that differ in case, punctuation or spacing only."""
    kept = []
    for character in unicodedata.normalize("NFKC", text).casefold():
        category = unicodedata.category(character)
        if category != "Cf":
            kept.append(character if category[0] in "LMN" else " ")
    return " ".join("".join(kept).split()) or text


def training_pairs(found: Reading, val: list[HeldOut], test: list[HeldOut]) -> Counter[Pair]:
    """Every pair, once, that shares neither side with a held-out set."""
    sources = {same(entry.source) for entry in (*val, *test)}
    targets = {same(reference) for entry in (*val, *test) for reference in entry.references}
    targets |= {same(target) for source, target in found.pairs if same(source) in chosen_sources(found, val, test)}
    return Counter({p for p in found.pairs if same(p[0]) not in sources and same(p[1]) not in targets})


def chosen_sources(found: Reading, val: list[HeldOut], test: list[HeldOut]) -> set[str]:
    """Sources that were held out from the corpus itself, rather than given."""
    chosen = [entries for entries, given in ((val, found.val), (test, found.test)) if given is None]
    return {same(entry.source) for entries in chosen for entry in entries}
