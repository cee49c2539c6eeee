"""Corpus formats by example; tests/hostile has what nobody would write."""

import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from nmt.data.bitext import reader_of
from nmt.data.discovery import complete, description
from nmt.data.encodings import likely_encoding
from nmt.data.heldout import given_set
from nmt.data.settings import DataSettings
from nmt.errors import UserError
from tests.conftest import assert_refused

CAT, DOG = ["I see a cat.", "je vois un chat."], ["We hear it!", "nous l'entendons !"]


def found(path: Path, content: str | bytes = "", **settings: object) -> DataSettings:
    if content:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return complete(DataSettings("x", str(path), **settings))  # type: ignore[arg-type]


def rows(data: DataSettings) -> list[list[str]]:
    assert data.path is not None
    return list(reader_of(data, data.path).clean_rows())


def malformed(data: DataSettings) -> tuple[list[list[str]], int]:
    found = rows(data)
    return [row for row in found if row], found.count([])


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_spreadsheet_is_understood(tmp_path: Path, delimiter: str, encoding: str) -> None:
    table = [
        ["id", "English", "Notes", "French"],
        ["1", '"I see\na cat."', "", "je vois un chat."],
        ["2", '"We ""hear"" it!"', f'"x{delimiter}y"', "nous l'entendons !"],
        ["3", "Go on.", "empty", ""],
    ]
    text = "".join(delimiter.join(row) + "\r\n" for row in table)
    bom = "\ufeff" if encoding == "utf-16-le" else ""
    data = found(tmp_path / "mine.csv", (bom + text).encode(encoding))
    assert data.direction() == ("eng", "fra", 1, 3)
    assert rows(data) == [CAT, ['We "hear" it!', DOG[1]], ["Go on.", ""]]
    assert "eng (column 2) → fra (column 4)" in description(data)[1]
    assert found(tmp_path / "mine.csv", source="French", target=2).direction() == ("fra", "eng", 3, 1)


@pytest.mark.parametrize(
    ("first", "separator"),
    [("", "\t"), ("\n", ","), ("\t\n", "\t"), (";\n", ";"), ("sep=;\n", ";"), ('"sep=,"\n', ","), ("\n", "\t")],
    ids=ascii,
)
def test_a_header_is_the_first_row_with_text(tmp_path: Path, first: str, separator: str) -> None:
    table = [["English", "French", "Note"], [*CAT, ""], [*DOG, ""]]
    text = first + "".join(separator.join(row) + "\n" for row in table)
    held_out = tmp_path / "val.csv"
    held_out.write_text(text)
    data = found(tmp_path / "mine.csv", text)
    assert (data.header, data.direction()) == (True, ("eng", "fra", 0, 1))
    assert [row for row in rows(data) if any(row)] == [CAT, DOG]
    assert [entry.source for entry in given_set(reader_of(data, str(held_out)))] == [CAT[0], DOG[0]]


def test_utf16_that_is_cut_inside_of_a_character_loses_its_last_line(tmp_path: Path) -> None:
    content = "".join("\t".join(row) + "\n" for row in (CAT, DOG)).encode("utf-16")
    data = found(tmp_path / "mine.tsv", content[:-3], columns=["a", "b"], on_error="skip")
    assert rows(data) == [CAT, []]
    assert_refused(r"mine\.tsv:2: ends inside of a character", rows, replace(data, on_error="stop"))


def test_lines_of_a_spreadsheet_are_numbered_where_they_begin(tmp_path: Path) -> None:
    text = 'English,French\n"a\nb",c\nd,e,f\n"g" h,i\n"open,j\nk,l\n'
    problems = {
        4: "3 cells where the first row has 2; put quotes",
        5: "text follows a closing",
        6: "a quote is opened that is not closed",
    }
    path = tmp_path / "mine.csv"
    lines = text.splitlines(keepends=True)
    for number, problem in problems.items():
        others = [line for n, line in enumerate(lines, start=1) if n == number or n not in problems]
        data = found(path, "".join(others))
        place = others.index(lines[number - 1]) + 1
        assert_refused(rf"mine\.csv:{place}: {problem}", rows, data)
    assert malformed(found(path, text, on_error="skip")) == ([["a b", "c"], ["k", "l"]], 3)
    assert rows(found(path, text.replace("\n", "\r").replace(",e,f", ",e").replace('" h', '"').replace('"open', "o")))[
        1:
    ] == [*(["d", "e"], ["g", "i"], ["o", "j"], ["k", "l"])]  # as old Macintosh programs end lines


TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="EN-us"><seg>I see <bpt i="1">&lt;b&gt;</bpt>a <hi>cat</hi><ept i="1">x</ept>.</seg></tuv>
<tuv xml:lang="de"><seg>Katze</seg></tuv><tuv xml:lang="fr"><seg>je vois un chat.</seg></tuv></tu>
<tu><note>n</note><tuv xml:lang="fr"><seg>nous l'entendons !</seg></tuv>
<tuv lang="en-GB"><seg>We hear it!</seg></tuv></tu>
<tu><tuv xml:lang="en-US"><seg>Alone.</seg></tuv></tu>
</body></tmx>
"""


def test_tmx(tmp_path: Path) -> None:
    path = tmp_path / "mine.tmx"
    assert rows(found(path, TMX, source="en", target="fra")) == [CAT, DOG, ["Alone.", ""]]
    assert rows(found(path, source="fr", target="English"))[:2] == [CAT[::-1], DOG[::-1]]
    assert rows(found(path))[0] == ["I see a cat.", "Katze"]  # the first two languages
    assert_refused(
        r"data\.target=rus must be one of the columns of .*mine\.tmx \(EN-us, de, fr, en-GB", found, path, target="rus"
    )
    no_language = TMX.replace(' lang="en-GB"', "")
    assert_refused(r"mine\.tmx:2: a <tuv> without xml:lang", rows, found(path, no_language, source="en", target="fr"))
    data = found(path, on_error="skip", source="en", target="fr")
    assert malformed(data) == ([CAT, ["Alone.", ""]], 1)


@pytest.mark.parametrize("name", ["mine.xml", "mine.txt", "mine.tmx.gz"])
def test_a_format_is_known_by_how_it_begins(tmp_path: Path, name: str) -> None:
    import gzip

    content = gzip.compress(TMX.encode()) if name.endswith("gz") else TMX
    assert found(tmp_path / name, content).format == "tmx"


ENTITIES = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
BOMB = f'<!DOCTYPE tmx [<!ENTITY a0 "aaaaaaaaaa">{ENTITIES}]>' + TMX[TMX.index("<tmx") :].replace("Katze", "&a9;")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (BOMB, r"damaged XML \(limit on input amplification factor"),
        (TMX.replace("tmx14.dtd", "/etc/passwd").replace("Katze", "&passwd;"), r"damaged XML \(undefined entity"),
        ("<tmx>\n<a></b></tmx>", r"damaged XML \(mismatched tag: line 2"),
        (TMX[:400], r"damaged XML \(.*line 6"),
        (TMX.replace("UTF-8", "klingon"), r"its encoding is not understood"),
    ],
    ids=["bomb", "external", "mismatched", "cut", "encoding"],
)
def test_hostile_xml_is_refused(tmp_path: Path, content: str, words: str) -> None:
    with pytest.raises(UserError, match=r"mine\.tmx: " + words):
        rows(found(tmp_path / "mine.tmx", content, on_error="skip"))


@pytest.mark.slow
def test_memory_is_flat_for_xml_of_any_size(tmp_path: Path) -> None:
    unit = '<tu><tuv xml:lang="en"><seg>I see {0}.</seg></tuv><tuv xml:lang="fr"><seg>Je vois {0}.</seg></tuv></tu>\n'
    peaks = []
    for count in (5_000, 200_000):
        path = tmp_path / "large.tmx"
        with path.open("w") as file:
            file.write("<tmx><body>")
            file.writelines(unit.format(number) for number in range(count))
            file.write("</body></tmx>")
        data = found(path)
        tracemalloc.start()
        assert sum(1 for _ in reader_of(data, str(path)).clean_rows()) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


XLIFF = """<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
<file source-language="en" target-language="fr" original="x"><body><group>
<trans-unit id="1"><source>I see <g id="1">a cat</g><x id="2"/>.</source><seg-source>no</seg-source>
<target state="translated">je vois <g id="1">un chat</g>.</target>
<alt-trans><source>a</source><target>b</target></alt-trans></trans-unit>
<trans-unit id="2"><source>New.</source><target state="new">New.</target></trans-unit>
<trans-unit id="3"><source>Needed.</source><target state="needs-translation">x</target></trans-unit>
<trans-unit id="4"><source>Alone.</source></trans-unit>
<trans-unit id="5"><source>We hear it!</source><target>nous l'entendons !</target></trans-unit>
</group></body></file></xliff>
"""
XLIFF_2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="fr"><file id="f">
<unit id="1"><segment><source>I see <pc id="1">a cat</pc>.</source><target>je vois un chat.</target></segment>
<ignorable><source> </source><target> </target></ignorable>
<segment state="initial"><source>New.</source><target>New.</target></segment>
<segment state="final"><source>We hear it!</source><target>nous l'entendons !</target></segment></unit></file></xliff>
"""


@pytest.mark.parametrize("content", [XLIFF, XLIFF_2], ids=["1.2", "2.0"])
def test_xliff(tmp_path: Path, content: str) -> None:
    data = found(tmp_path / "mine.xlf", content)
    assert data.direction() == ("en", "fr", 0, 1)
    assert [row for row in rows(data) if all(row)] == [CAT, DOG]
    assert {row[0]: row[1] for row in rows(data)}["New."] == ""


PO = r"""# comment
msgid ""
msgstr ""
"Language: fr\n"
"Content-Type: text/plain; charset=UTF-8\n"

#: a.c:1
msgctxt "menu"
msgid ""
"I see "
"a cat."
msgstr "je vois\tun chat."

#, c-format, fuzzy
msgid "Fuzzy."
msgstr "flou"

#~ msgid "Old."
#~ msgstr "vieux"

msgid "Alone."
msgstr ""

msgid "a \"file\""
msgid_plural "%d files"
msgstr[0] "un « fichier »"
msgstr[1] "%d fichiers"
"""


def test_po(tmp_path: Path) -> None:
    data = found(tmp_path / "fr.po", PO)
    assert data.direction() == ("source", "fr", 0, 1)
    pairs = [['a "file"', "un « fichier »"], ["%d files", "%d fichiers"]]
    assert rows(data) == [CAT, ["Fuzzy.", ""], ["Alone.", ""], *pairs]
    broken = PO.replace('msgid "Alone."', "msgid Alone.")
    assert_refused(r"fr\.po:\d+: no line of a PO file", rows, found(tmp_path / "fr.po", broken))
    kept, skipped = malformed(found(tmp_path / "fr.po", on_error="skip"))
    assert (kept[0], kept[-2:], skipped) == (CAT, pairs, 1)


@pytest.mark.parametrize(
    "line",
    ['{{"en": "{0}", "meta": {{"x": 1}}, "fr": "{1}"}}', '{{"translation": {{"en": "{0}", "fr": "{1}"}}}}'],
    ids=["flat", "translation"],
)
def test_jsonl(tmp_path: Path, line: str) -> None:
    path = tmp_path / "mine.jsonl"
    text = "".join(line.format(*row) + "\n" for row in (CAT, DOG))
    data = found(path, text)
    assert (data.format, tuple(data.direction())) == ("jsonl", ("en", "fr", 0, 1))
    assert rows(data) == [CAT, DOG]
    assert rows(found(path, target="en")) == [CAT[::-1], DOG[::-1]]
    for bad, problem in {
        "[1, 2]": "no JSON object",
        "{": "not JSON",
        '{"en": 7, "fr": "x"}': "'en' is no text",
        '{"en": "\\ud800", "fr": "x"}': "'en' holds half of a surrogate pair",
        '{"a":' * 20_000: "nested too deeply|not JSON",
    }.items():
        assert_refused(rf"mine\.jsonl:3: .*({problem})", rows, found(path, f"{text}{bad}\n"))
        assert malformed(found(path, on_error="skip")) == ([CAT, DOG], 1)
    assert rows(found(path, text + '\n{"en": "Alone."}\n'))[2:] == [["", ""], ["Alone.", ""]]


def test_the_zip_of_opus(tmp_path: Path) -> None:
    path = tmp_path / "en-fr.txt.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {
            "README": "x",
            "T.en-fr.en": "a\nb\n",
            "T.en-fr.fr": "c\nd\n",
            "T.en-fr.ids": "1\n2\n",
        }.items():
            archive.writestr(name, text)
    assert rows(found(path)) == [["a", "c"], ["b", "d"]]
    assert rows(found(path, source="fra")) == [["c", "a"], ["d", "b"]]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/T.de", "e\n")
        archive.writestr("a/T.en", "a\nb\n")
    assert_refused(r"a/T\.de ends before line 2 but .*a/T\.en goes on", found, path)


def test_held_out_sets_may_be_of_another_format_and_order(tmp_path: Path) -> None:
    (tmp_path / "val.csv").write_text("English,French\nHi.,Salut.\n")
    (tmp_path / "test.jsonl").write_text('{"fr": "Non.", "en": "No."}\n')
    held_out = {"val_path": str(tmp_path / "val.csv"), "test_path": str(tmp_path / "test.jsonl")}
    data = found(tmp_path / "mine.csv", "English;French\nI see a cat.;je vois un chat.\n", **held_out)
    val, test = (given_set(reader_of(data, path)) for path in held_out.values())
    assert [(entry.source, entry.references) for entry in (*val, *test)] == [("Hi.", ("Salut.",)), ("No.", ("Non.",))]


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        ("Les élèves étaient là.\tcafé", "latin-1", "Windows-1252"),
        ("Les élèves", "cp1252", "Windows-1252"),
        ("Ça va où ?", "cp1252", "Windows-1252"),
        ("Я вижу кошку. Привет!", "cp1251", "Windows-1251"),
        ("Я вижу кошку. Привет!", "koi8-r", "KOI8-R"),
        ("Hello.\tこれは猫です。東京に行きたい。", "shift_jis", "Shift-JIS"),
        ("Hello.\tこれは猫です。東京に行きたい。", "euc_jp", "EUC-JP"),
        ("Hello.\t나는 고양이를 본다.", "euc_kr", "EUC-KR"),
        ("Hello.\t我看见一只猫。", "gb18030", "GB 18030"),
        ("Hello.\t我看見一隻貓。", "big5", "Big5"),
        ("Hello, how are you?", "utf-16-le", "UTF-16"),
        ("Une pomme\0 là", "utf-8", "damaged UTF-8"),
    ],
)
def test_another_encoding_is_named(tmp_path: Path, text: str, encoding: str, name: str) -> None:
    assert likely_encoding(text.encode(encoding)).startswith(name)
    data = found(tmp_path / "mine.tsv", f"a\tb\n{text}\n".encode(encoding), columns=["a", "b"])
    assert_refused(rf"mine\.tsv:[12]: .*it may be {name}.*; save the file as UTF-8 text", rows, data)
