from pathlib import Path

import pytest

from nmt.data.settings import DataSettings
from tests.conftest import assert_refused


def direction(**values: object) -> tuple[str, str, int, int]:
    return tuple(DataSettings(name="x", **values).direction())  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("name", ["fra-eng.zip", "raw/fra-eng.txt.gz", "fra-eng.txt", "fra-eng.zip::fra.txt"])
def test_an_anki_name_tells_the_languages_and_either_direction_works(name: str) -> None:
    assert direction(path=name) == ("eng", "fra", 0, 1)
    assert direction(path=name, source="fra") == ("fra", "eng", 1, 0)
    assert direction(path=name, target="eng") == ("fra", "eng", 1, 0)


def test_languages_of_other_files() -> None:
    assert direction(path=["train.en.gz", "train.fr.gz"], target="en") == ("fr", "en", 1, 0)
    assert direction(path="pairs.tsv") == ("source", "target", 0, 1)
    assert direction(path="pairs.tsv", source="mar", target="hin") == ("mar", "hin", 0, 1)
    assert direction(path="t.tsv", columns=["id", "eng", "deu"], source="deu", target="eng") == ("deu", "eng", 2, 1)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("name", "a/b"), ("format", "excel"), ("vocab_size", 100), ("max_chars", 0)),
        *(("max_ratio", 0.5), ("val_size", 0), ("test_size", -1), ("character_coverage", 1.5)),
        *(("path", ["only.txt"]), ("val_path", ["a", "b", "c"]), ("test_path", ["a"]), ("columns", ["eng"])),
        *(("columns", ["eng", "eng"]), ("columns", ["eng", "../fra"]), ("source", "deu"), ("target", "deu")),
    ],
)
def test_a_wrong_setting_is_named(field: str, value: object) -> None:
    refused(rf"^data\.{field}=.* must be ", **{"path": "fra-eng.zip", field: value})


def refused(words: str, **values: object) -> None:
    def require() -> None:
        DataSettings(**{"name": "x", **values}).require_files()  # type: ignore[arg-type]

    assert_refused(words, require)


def test_settings_that_contradict_each_other() -> None:
    refused(r"data\.target=fra", path="fra-eng.zip", source="fra", target="fra")
    refused(r"data\.test_path", path="fra-eng.zip", source="fra", test_path=["a", "b", "c"])  # the source is first


@pytest.mark.parametrize(
    ("values", "language"),
    [
        ({"path": None}, "fra"),
        ({"path": "nowhere/mar-eng.zip"}, "mar"),
        ({"path": None, "columns": ["eng", "deu"]}, "fra"),
        ({"path": None, "columns": ["eng", "deu"], "target": "deu"}, "deu"),
        ({"path": None, "columns": ["eng", "deu"], "source": "deu"}, "deu"),
    ],
)
def test_a_missing_anki_file_names_the_command(values: dict[str, object], language: str) -> None:
    refused(f" scripts/download.py {language}`", name="anki", **values)


def test_a_missing_file_names_its_setting(tmp_path: Path) -> None:
    refused(r"gone\.tsv does not exist: set data\.path ", path="gone.tsv")
    refused(r"gone\.tsv does not exist: set data\.val_path ", path=__file__, val_path="gone.tsv")
    refused(r"is not a file: set data\.path ", path=str(tmp_path))
    refused(r"xxx cannot be read \(File name too long\): set data\.path ", path="x" * 300)
    multi30k = [str(tmp_path / f"multi30k/train.{language}.gz") for language in ("en", "de")]
    refused(r" scripts/download\.py multi30k`", name="multi30k", path=multi30k)
    (tmp_path / "mine.XLSX").write_bytes(b"PK")
    refused(r"mine\.XLSX is a spreadsheet's own file: save it as CSV", path=str(tmp_path / "mine.XLSX"))
