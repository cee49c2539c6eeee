"""What is found out about a corpus from its files: format, header, columns and languages."""

import re
from pathlib import Path

import pytest

from nmt.composition import composed
from nmt.data.bitext import reader_of
from nmt.data.discovery import complete
from nmt.data.settings import DataSettings
from nmt.errors import UserError
from nmt.own_corpus import with_own_corpus
from tests.commands import command, corpus_lines

LATIN = [("I see a cat.", "je vois un chat."), ("We hear it!", "nous l'entendons !"), ("Go on.", "continue.")]
MARATHI = [("Go.", "जा."), ("I see a cat.", "मला मांजर दिसते."), ("Who is it?", "कोण आहे?")]
CHINESE = [("Go.", "去吧。"), ("I see a cat.", "我看见一只猫。")]


def table(folder: Path, pairs: list[tuple[str, ...]], name: str = "mine.tsv", separator: str = "\t") -> Path:
    path = folder / name
    path.write_text("".join(separator.join(row) + "\n" for row in pairs), encoding="utf-8")
    return path


def turned(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(target, source) for source, target in pairs]


def found(path: Path, **settings: object) -> DataSettings:
    return complete(DataSettings(name="x", path=str(path), **settings))  # type: ignore[arg-type]


def pairs(settings: DataSettings) -> list[list[str]]:
    assert settings.path is not None
    return list(reader_of(settings, settings.path).clean_rows())


@pytest.mark.parametrize("asked", [{"source": "fra", "target": "eng"}, {"source": "fra"}, {"target": "eng"}], ids=str)
def test_columns_of_one_script_are_asked_for(tmp_path: Path, asked: dict[str, str]) -> None:
    with pytest.raises(UserError) as error:
        found(table(tmp_path, LATIN), **asked)
    message = str(error.value)
    assert "'I see a cat.' and 'je vois un chat.'" in message
    source, target = asked.get("source", "source"), asked.get("target", "target")
    assert f"add 'data.columns=[{source},{target}]' or 'data.columns=[{target},{source}]'." in message
    assert "\n" not in message


def test_columns_that_are_named_are_not_asked_for(tmp_path: Path) -> None:
    settings = found(table(tmp_path, LATIN), source="fra", target="eng", columns=["eng", "fra"])
    assert settings.direction() == ("fra", "eng", 1, 0)
    assert found(table(tmp_path, LATIN)).direction() == ("source", "target", 0, 1)


@pytest.mark.parametrize("rows", [MARATHI, turned(MARATHI)], ids=["English first", "Marathi first"])
@pytest.mark.parametrize("name", ["mine.tsv", "eng-mar.tsv", "mar-eng.txt", "corpus.en-mr.tsv", "English_Marathi.csv"])
def test_scripts_tell_columns_apart(tmp_path: Path, rows: list[tuple[str, str]], name: str) -> None:
    path = table(tmp_path, rows, name)
    codes = ("en", "mr") if "en-mr" in name else ("eng", "mar")
    for source, target, expected in ((*codes, MARATHI), (*codes[::-1], turned(MARATHI))):
        settings = found(path, source=source, target=target)
        assert settings.direction()[:2] == (source, target)
        assert pairs(settings) == [list(row) for row in expected]


def test_scripts_of_one_language_name_it(tmp_path: Path) -> None:
    assert found(table(tmp_path, CHINESE)).direction() == ("source", "zho", 0, 1)
    assert found(table(tmp_path, turned(CHINESE))).direction() == ("zho", "target", 0, 1)
    assert found(table(tmp_path, turned(CHINESE)), target="cmn").direction() == ("source", "cmn", 1, 0)


HEADERS = [
    (("English", "French"), ("eng", "fra", 0, 1)),
    (("Français", "ENGLISH"), ("fra", "eng", 0, 1)),
    (("en", "fr"), ("en", "fr", 0, 1)),
    (("eng_text", "fra_text"), ("eng", "fra", 0, 1)),
    (("id", "English sentence", "Notes", "French"), ("eng", "fra", 1, 3)),
    (("source", "target"), ("source", "target", 0, 1)),
    (("Front", "Back", "Tags"), ("Front", "Back", 0, 1)),
]


@pytest.mark.parametrize(("header", "direction"), HEADERS, ids=lambda x: "-".join(map(str, x)))
def test_a_header_names_the_columns(
    tmp_path: Path, header: tuple[str, ...], direction: tuple[str, str, int, int]
) -> None:
    cells = {direction[2]: 0, direction[3]: 1}
    rows = [tuple(row[cells[i]] if i in cells else "7" for i in range(len(header))) for row in LATIN]
    path = table(tmp_path, [header, *rows])
    settings = found(path)
    assert (settings.header, tuple(settings.direction())) == (True, direction)
    assert pairs(settings) == [list(row) for row in LATIN]
    back = found(path, source=header[direction[3]], target=header[direction[2]])
    assert pairs(back) == [list(row) for row in turned(LATIN)]
    assert pairs(found(path, source=direction[3] + 1)) == pairs(back)  # by number
    with pytest.raises(UserError, match=r"data\.target=deu must be one of the columns"):
        found(path, target="deu")


def test_what_is_found_out_is_found_out_once(tmp_path: Path) -> None:
    settings = found(table(tmp_path, [("English", "French"), *LATIN]))
    Path(str(settings.path)).unlink()
    assert complete(settings) == settings


@pytest.mark.parametrize(
    "first", [("Go.", "Va !"), ("Hi.", "Hi."), ("English", "anglais"), ("is", "it est"), ("No.", "Ne."), ("Hi!", "Da.")]
)
def test_a_pair_is_no_header(tmp_path: Path, first: tuple[str, str]) -> None:
    assert found(table(tmp_path, [first, *LATIN])).header is False


def test_cells_without_names_can_be_numbered(tmp_path: Path) -> None:
    path = table(tmp_path, [(str(i), *row, "http://example.org/x") for i, row in enumerate(LATIN)])
    assert found(path).direction()[2:] == (1, 2)  # sentences, not numbers or addresses
    assert pairs(found(path, source=3, target=2)) == [list(row) for row in turned(LATIN)]
    assert found(path, source=3, target="eng").direction() == ("source", "eng", 2, 1)


QUOTED = [('"I see ""a cat""."', '"je vois « un chat »."'), ('"Go on."', '"continue."')]


@pytest.mark.parametrize("name", ["mine.tsv", "mine.txt", "mine.csv"])
@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_quotes_around_every_cell_are_those_of_a_spreadsheet(tmp_path: Path, name: str, separator: str) -> None:
    settings = found(table(tmp_path, [('"English"', '"French"'), *QUOTED], name, separator))
    assert (settings.format, settings.header) == ("csv", True)
    assert pairs(settings) == [['I see "a cat".', "je vois « un chat »."], ["Go on.", "continue."]]


@pytest.mark.parametrize(
    "row",
    [
        ('"Look," she said.', '"Regarde", dit-elle.'),
        ('"Says who?" "Says me."', '"Qui" "Moi."'),
        ('"Yes."', '"Oui."'),
        ("5\" or 6'", '"cinq'),
    ],
    ids=str,
)
def test_quotes_of_sentences_stay(tmp_path: Path, row: tuple[str, str]) -> None:
    settings = found(table(tmp_path, [*LATIN, row]))
    assert settings.format == "tsv"
    assert pairs(settings)[-1] == list(row)


@pytest.mark.parametrize(
    ("overrides", "corpus"),
    [
        (["data.path=my pairs.csv"], "my_pairs"),
        (["data.path=[a/train.en,a/train.de]", "experiment=smoke"], "train"),
        (["data.path=x.csv", "data=anki"], "anki"),
        (["data.path=x.csv", "experiment=anki_mar"], "anki"),
        ([], "demo"),
    ],
    ids=str,
)
def test_a_file_alone_is_no_demo(overrides: list[str], corpus: str) -> None:
    settings = composed(*overrides)
    assert settings.data.name == corpus
    demo = corpus == "demo"
    assert (settings.train.max_epochs == 6, settings.data.columns == ["eng", "fra"]) == (demo, demo)
    assert with_own_corpus(["resume=x", "data.path=y"]) == ["resume=x", "data.path=y"]


def test_a_file_alone_is_enough_and_what_was_understood_is_printed(tmp_path: Path) -> None:
    lines = [line.split("\t")[:2] for line in corpus_lines()]
    path = table(tmp_path, [("French", "Marathi"), *turned(lines)], "mine.csv", ";")  # type: ignore[list-item, arg-type]
    places = [f"data.prepared_dir={tmp_path / 'prepared'}", f"run_dir={tmp_path / 'run'}"]
    done = command("train.py", f"data.path={path}", *places, "experiment=smoke", "train.max_steps=1", "model=seq2seq")
    assert done.returncode == 0, done.stderr
    assert (
        f"file        {path}: csv, cells between semicolons, in quotes, names of the columns in its first row"
        in done.stderr
    )
    assert "languages   fra (column 1) → mar (column 2)" in done.stderr
    assert "The text of mar is mostly LATIN" in done.stderr
    assert "corpus      mine: fra → mar" in done.stderr
    shown = re.findall(r"sample +fra  (.*)\n +mar  (.*)\n", done.stderr)
    assert len(shown) == 3
    assert {*shown} <= {(target, source) for source, target in lines}
    record = (tmp_path / "run/config.yaml").read_text(encoding="utf-8")
    for setting in ("format: csv", "header: true", "- fra\n  - mar", "source: fra", "target: mar"):
        assert setting in record
