import numpy as np

from nmt.data.corpus_report import DataReport, SideReport, length_percentiles, script_shares
from nmt.writing_systems import count_characters


def test_scripts_are_shares_of_letters() -> None:
    assert script_shares(count_characters(["abc д!", "好 123"])) == {"LATIN": 0.6, "CYRILLIC": 0.2, "CJK": 0.2}
    assert script_shares(count_characters(["नमस्ते"])) == {"DEVANAGARI": 1.0}
    assert script_shares(count_characters(["123 …"])) == {}


def test_percentiles_are_lengths_that_occur() -> None:
    assert length_percentiles(np.array([1, 1, 2, 9])) == {"median": 2, "95 %": 9, "99 %": 9, "longest": 9}


def oddities(source: tuple[str, dict[str, float]], target: tuple[str, dict[str, float]]) -> list[str]:
    sides = [SideReport(language, scripts, {"median": 6}, 300, 300) for language, scripts in (source, target)]
    return DataReport("x", "key", 9, {}, 9, 1, 1, 1, 1, 0.0, "hash", *sides).oddities()


LATIN, DEVANAGARI = {"LATIN": 0.99, "DEVANAGARI": 0.01}, {"DEVANAGARI": 0.97, "LATIN": 0.03}
JAPANESE = {"CJK": 0.4, "HIRAGANA": 0.4, "KATAKANA": 0.15, "LATIN": 0.05}


def test_columns_swapped_against_their_names_are_noticed() -> None:
    (notice,) = oddities(("eng", DEVANAGARI), ("mar", LATIN))
    assert notice.startswith("The columns of eng and mar seem to be swapped")
    (notice,) = oddities(("eng", LATIN), ("mar", LATIN))
    assert notice.startswith("The text of mar is mostly LATIN")
    mixed = {"LATIN": 0.5, "CYRILLIC": 0.3, "GREEK": 0.2}
    (notice,) = oddities(("source", mixed), ("fra", LATIN))
    assert "source is in 3 scripts (LATIN 50%, CYRILLIC 30%, GREEK 20%)" in notice


def test_ordinary_columns_are_not_noticed() -> None:
    for languages in (("eng", "mar"), ("English", "mr"), ("source", "target"), ("eng", "xyz")):
        assert oddities((languages[0], LATIN), (languages[1], DEVANAGARI)) == []
    assert oddities(("jpn", JAPANESE), ("eng", LATIN)) == []
    assert oddities(("eng", LATIN), ("kor", {"HANGUL": 0.8, "CJK": 0.1, "LATIN": 0.1})) == []
    assert oddities(("eng", LATIN), ("srp", {"CYRILLIC": 1.0})) == oddities(("eng", {}), ("mar", {})) == []
