from pathlib import Path

import pytest

from nmt.data.settings import DataSettings
from nmt.errors import UserError
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
    with pytest.raises(UserError, match=rf"^data\.{field}=.* must be "):
        DataSettings(**{"name": "x", "path": "fra-eng.zip", field: value})  # type: ignore[arg-type]


def test_source_and_target_must_differ() -> None:
    assert_refused(r"data\.target=fra", DataSettings, name="x", path="fra-eng.zip", source="fra", target="fra")


def test_several_references_need_the_source_first() -> None:
    with pytest.raises(UserError, match=r"data\.test_path"):
        DataSettings(name="x", path="fra-eng.zip", source="fra", test_path=["a", "b", "c"])


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
    with pytest.raises(UserError, match=f" scripts/download.py {language}`"):
        DataSettings(name="anki", **values).require_files()  # type: ignore[arg-type]


def test_a_missing_file_names_its_setting(tmp_path: object) -> None:
    assert_refused(r"gone\.tsv does not exist: set data\.path ", DataSettings(name="x", path="gone.tsv").require_files)
    with pytest.raises(UserError, match=r"gone\.tsv does not exist: set data\.val_path "):
        DataSettings(name="x", path=__file__, val_path="gone.tsv").require_files()
    with pytest.raises(UserError, match=r"is not a file: set data\.path "):
        DataSettings(name="x", path=str(Path(__file__).parent)).require_files()
    with pytest.raises(UserError, match=r"xxx cannot be read \(File name too long\): set data\.path "):
        DataSettings(name="x", path="x" * 300).require_files()


def test_a_missing_multi30k_names_its_own_download(tmp_path: Path) -> None:
    paths = [str(tmp_path / "multi30k" / f"train.{language}.gz") for language in ("en", "de")]
    assert_refused(r" scripts/download\.py multi30k`", DataSettings(name="multi30k", path=paths).require_files)


def test_a_workbook_is_to_be_saved_as_csv(tmp_path: Path) -> None:
    (tmp_path / "mine.XLSX").write_bytes(b"PK")
    settings = DataSettings(name="x", path=str(tmp_path / "mine.XLSX"))
    assert_refused(r"mine\.XLSX is a spreadsheet's own file: save it as CSV", settings.require_files)
