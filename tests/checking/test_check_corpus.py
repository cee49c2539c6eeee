"""scripts/check_corpus.py: mistakes in the demo corpus come first, each for the right reason."""

import csv
import random
from pathlib import Path

import pytest

from nmt.checking.measures import Pair
from nmt.checking.page import page, table
from nmt.checking.suspects import Suspect, find_suspects
from nmt.data.cleaning import clean
from tests.commands import Finished, assert_fails, command, succeeded
from tests.conftest import ROOT, assert_refused

GERMAN = "Der kleine Junge mit dem roten Hut läuft schnell durch die alte Stadt."


def demo(count: int) -> list[tuple[str, str]]:
    lines = (ROOT / "data/demo/eng-fra.tsv").read_text(encoding="utf-8").splitlines()
    long = [(source, target) for source, target in (line.split("\t") for line in lines) if len(target.split()) >= 6]
    return random.Random(3).sample(long, count)


@pytest.fixture(scope="module")
def planted() -> tuple[list[tuple[str, str]], dict[int, str]]:
    """Pairs of the demo corpus, and of each wrong one, by row, words of the reason."""
    pairs = demo(1000)
    wrong: dict[int, str] = {}
    for row in (100, 200, 300):
        source, target = pairs[row - 1]
        pairs[row - 1], wrong[row] = (target, source), "swapped"
        pairs[row], wrong[row + 1] = (pairs[row][0], pairs[row + 500][1]), "different things"
        cut = " ".join(pairs[row + 1][1].split()[:2])
        pairs[row + 1], wrong[row + 2] = (pairs[row + 1][0], cut), "target seems to be cut"
        pairs[row + 2], wrong[row + 3] = (pairs[row + 2][0], GERMAN), "does not look like the language"
        pairs[row + 3], wrong[row + 4] = (pairs[row + 3][0], pairs[row + 3][0]), "copy of the source"
    return pairs, wrong


def test_mistakes_come_first_with_their_reasons(planted: tuple[list[tuple[str, str]], dict[int, str]]) -> None:
    pairs, wrong = planted
    suspects = find_suspects([Pair(row, *texts) for row, texts in enumerate(pairs, start=1)])
    first = {suspect.pair.row: suspect.reasons for suspect in suspects[: len(wrong) + 1]}
    for row, words in wrong.items():
        assert row in first, (row, words, pairs[row - 1])
        assert any(words in reason for reason in first[row]), (words, first[row])
    scores = [suspect.score for suspect in suspects]
    assert scores == sorted(scores, reverse=True)


def test_smaller_oddities_are_named() -> None:
    pairs = [(f"{source[:-1]}.", f"{target[:-1].rstrip()}.") for source, target in demo(300)]
    pairs += [("They bought 12 apples.", "Ils ont acheté 21 pommes."), (pairs[0][0].upper(), pairs[0][1])]
    pairs += [(pairs[1][0], f"{pairs[1][1][:-1]}\u202f?"), (pairs[2][0], f"{pairs[2][1][:-1]} wqxkzw.")]
    pairs += [(pairs[3][0], "Η γάτα κοιμάται."), (pairs[4][0], pairs[5][1])]
    suspects = find_suspects([Pair(row, *texts) for row, texts in enumerate(pairs, start=1)])
    reasons = {suspect.pair.row: "; ".join(suspect.reasons) for suspect in suspects}
    assert "numbers differ: 12 in the source, 21 in the target" in reasons[301]
    assert "the same as row 1," in reasons[302]
    assert "the source ends with “.”, the target with “?”" in reasons[303]
    assert "“wqxkzw” in the target is an unusual spelling" in reasons[304]
    assert "the target is written in Greek, where Latin is usual" in reasons[305]
    assert f"row 5 has another target for the same source: “{pairs[4][1]}”" in reasons[306]


@pytest.mark.parametrize("script", ["\u4e00", "\u0e01", "\u0627"])  # Chinese, Thai (no spaces), Arabic
def test_any_script(script: str) -> None:
    rng = random.Random(1)
    between = " " if script == "\u0627" else ""
    known = [f"{first}{second}lo" for first in "bdfgk" for second in "aeiouy"]
    words = {word: "".join(chr(ord(script) + rng.randrange(20)) for _ in range(2)) for word in known}
    pairs = []
    for row in range(1, 301):
        source = rng.sample(known, 6)
        pairs.append(Pair(row, " ".join(source), between.join(words[word] for word in source)))
    pairs[9] = Pair(10, pairs[9].source, pairs[199].target)
    pairs[19] = Pair(20, pairs[19].target, pairs[19].source)
    suspects = find_suspects(pairs)
    assert {suspect.pair.row for suspect in suspects[:2]} == {10, 20}


def test_the_command(tmp_path: Path, planted: tuple[list[tuple[str, str]], dict[int, str]]) -> None:
    pairs, wrong = planted
    corpus, output = tmp_path / "mine.csv", tmp_path / "checked"
    with corpus.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["English", "French"], ["", "vide"], *pairs])
    done = succeeded(command("scripts/check_corpus.py", f"data.path={corpus}", "--output", str(output), "--top", "3"))
    assert "1,000 pairs of mine.csv" in done.stdout
    assert "1 empty" in done.stdout
    assert str(output / "suspects.tsv") in done.stdout
    assert "comparing" in done.stderr
    assert {path.name for path in output.iterdir()} == {"suspects.tsv", "suspects.html"}
    with (output / "suspects.tsv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, dialect="excel-tab"))
    assert [row["rank"] for row in rows[:3]] == ["1", "2", "3"]
    assert {int(row["row"]) - 2 for row in rows[:9]} <= set(wrong)
    assert all(clean(pairs[int(row["row"]) - 3][0]) == row["source"] for row in rows[:9])  # header, empty row
    assert (output / "suspects.html").read_text(encoding="utf-8").count('<div class="pair">') == 3


def test_the_corpus_of_a_run(finished: Finished, tmp_path: Path) -> None:
    run, _ = finished
    done = succeeded(command("scripts/check_corpus.py", "--run", str(run), "--output", str(tmp_path)))
    assert "300 pairs of fra-eng.txt" in done.stdout


def test_what_a_user_can_get_wrong(tmp_path: Path) -> None:
    def fails(text: str, *words: str) -> None:
        corpus, output = tmp_path / "bad.csv", tmp_path / "out"
        corpus.write_text(text, encoding="utf-8")
        assert_fails(command("scripts/check_corpus.py", f"data.path={corpus}", "--output", str(output)), *words)
        assert not output.exists()

    fails("en,fr\n" + "Go.,Va.\n" * 30 + "a,b,c,d\n", "bad.csv:32", "4 cells")
    fails("en,fr\n" + "Go.,Va.\n" * 30, "30 usable pairs are too few")
    assert_fails(command("scripts/check_corpus.py"), "data.path=mine.csv")
    assert_fails(command("scripts/check_corpus.py", "data.path=nowhere.csv"), "nowhere.csv", "does not exist")
    assert_fails(command("scripts/check_corpus.py", "data.pth=x.csv"), "data.pth")


def test_nothing_to_learn_from() -> None:
    same = [Pair(row, "?", "!") for row in range(1, 200)]
    assert {reason for suspect in find_suspects(same) for reason in suspect.reasons} == set()
    assert_refused("too few", find_suspects, same[:99])


def test_text_of_the_corpus_is_no_markup_and_no_formula() -> None:
    hostile = Suspect(Pair(7, "<script>alert(1)</script> & “é”", '=HYPERLINK("x")'), 5.0, ["<b>“<i>”</b>"])
    written = page("<title>", ["<p>"], ("eng", "heb"), [hostile])
    assert "<script" not in written
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; “é”" in written
    assert "&lt;b&gt;“<bdi>&lt;i&gt;</bdi>”&lt;/b&gt;" in written
    assert "default-src 'none'; style-src 'sha256-" in written
    assert '<p dir="auto" lang="he">' in written
    assert "://" not in written
    with_quotes = Suspect(Pair(1, 'He said "no"\tand left', "-5"), 1.0, [])
    rows = list(csv.reader(table([hostile, with_quotes]).removeprefix("\ufeff").splitlines(), dialect="excel-tab"))
    assert rows[1][3] == '\'=HYPERLINK("x")'
    assert rows[2][2:4] == ['He said "no"\tand left', "'-5"]
