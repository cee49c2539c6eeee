"""Word alignment and explanations, as a user asks for them: evaluate.py --alignments, translate.py --alignments."""

import json
import re
import shutil
from pathlib import Path

import pytest

from nmt.commands import evaluate, translate
from nmt.composition import composed
from nmt.errors import UserError
from nmt.files import read_record
from nmt.pipeline import train
from tests.commands import Finished, assert_fails, command, pipe, succeeded, train_arguments


@pytest.fixture(scope="module")
def finished(finished: Finished, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A copy of the finished run, which these tests write to, with its corpus beside it."""
    folder = tmp_path_factory.mktemp("aligned")
    shutil.copytree(finished[0], folder / "run")
    shutil.copyfile(finished[0].parent / "fra-eng.txt", folder / "fra-eng.txt")
    return folder / "run", finished[1]


@pytest.fixture(scope="module")
def gold(finished: Finished) -> Path:
    """Links for the whole corpus: each French word to the English one in its place."""
    corpus = finished[0].parent / "fra-eng.txt"
    lines = []
    for line in corpus.read_text(encoding="utf-8").splitlines():
        english, french, _ = (cell.split() for cell in line.split("\t"))
        lines.append(" ".join(f"{min(t, len(english) - 1)}-{t}" for t in range(len(french))))
    path = finished[0].parent / "fra-eng.align"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def without_attention(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    train(composed(*train_arguments(folder, "model=seq2seq", "train.max_steps=2", "train.validate_every=2")))
    return folder / "run"


def test_evaluate_scores_the_alignment_of_the_test_set(finished: Finished, gold: Path, tmp_path: Path) -> None:
    run, trained = finished
    rows = [line.split("\t") for line in (run / "data/test.tsv").read_text().splitlines()]
    pairs = [(source, reference) for source, *references in rows for reference in references]
    done = succeeded(command("evaluate.py", "--run", str(run), "--alignments", str(gold)))
    assert done.stdout.startswith(trained.stdout)
    score = read_record(run / "eval/alignment.json")
    assert (score["pairs"], score["gold"]) == (len(pairs), "fra-eng.align")
    assert score["links"] == sum(len(reference.split()) for _, reference in pairs)
    assert 0 <= score["aer"] <= 1
    assert f"AER        {score['aer']:.3f}" in done.stdout
    assert {"precision", "recall"} <= score.keys()

    # The same pairs from pipes of their own: the same score, kept where the user says.
    lines = dict(zip((run.parent / "fra-eng.txt").read_text().splitlines(), gold.read_text().split("\n"), strict=False))
    links = {" ".join(line.split("\t")[0].split()): link for line, link in lines.items()}
    cells = {
        "--source": [source for source, _ in pairs],
        "--reference": [reference for _, reference in pairs],
        "--alignments": [links[source] for source, _ in pairs],
    }
    pipes = [x for option, column in cells.items() for x in (option, pipe("\n".join(column) + "\n"))]
    before = (run / "eval/alignment.json").read_bytes()
    succeeded(command("evaluate.py", "--run", str(run), *pipes, "--output", str(tmp_path / "out")))
    again = read_record(tmp_path / "out/alignment.json")
    assert {**again, "gold": "", "evaluated": ""} == {**score, "gold": "", "evaluated": ""}
    assert (run / "eval/alignment.json").read_bytes() == before

    # A beam of the user's own leaves the scores of the run, but not its alignment.
    scores = (run / "eval/scores.json").read_bytes()
    (run / "eval/alignment.json").unlink()
    succeeded(command("evaluate.py", "--run", str(run), "--beam", "1", "--alignments", str(gold)))
    assert (run / "eval/scores.json").read_bytes() == scores
    assert (run / "eval/alignment.json").is_file()


def test_evaluate_names_what_is_wrong_with_the_links(finished: Finished, gold: Path, tmp_path: Path) -> None:
    evaluating = ["evaluate.py", "--run", str(finished[0])]
    bad = tmp_path / "bad.align"
    bad.write_text(gold.read_text().replace("0-0", "0=0", 1))
    assert_fails(command(*evaluating, "--alignments", str(bad)), "bad.align:1:", "'0=0' is no link")
    bad.write_text("0-0\n")
    (tmp_path / "two").write_text("a\nb\n")
    sides = ["--source", str(tmp_path / "two"), "--reference", str(tmp_path / "two")]
    assert_fails(command(*evaluating, *sides, "--alignments", str(bad)), "bad.align ends before line 2")
    assert "--beam: 0 is not between 1 and" in command(*evaluating, "--beam", "0").stderr
    with pytest.raises(UserError, match="one --reference file"):
        evaluate.parse(["--source", "s", "--reference", "r1", "r2", "--alignments", "a"])


def test_translate_prints_links(finished: Finished) -> None:
    arguments = ["--run", str(finished[0]), "--alignments"]
    texts = ["I  see\ta cat.", "", "🎉 नमस्ते 汉字"]
    plain = command("translate.py", "--run", str(finished[0]), "--", *texts).stdout.splitlines()
    done = succeeded(command("translate.py", *arguments, "--", *texts))
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [text for text, _ in rows] == plain
    assert rows[1] == ["", ""]
    for source, (text, links) in zip(texts, rows, strict=True):
        pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
        assert sorted(t for _, t in pairs) == list(range(len(text.split())))
        assert all(0 <= s < len(source.split()) for s, _ in pairs)
    printed = command("translate.py", *arguments, "--json", "--", *texts).stdout
    found = [json.loads(line) for line in printed.splitlines()]
    assert [sorted(map(tuple, line["alignment"])) for line in found] == [
        sorted(tuple(map(int, link.split("-"))) for link in links.split()) for _, links in rows
    ]
    best = command("translate.py", *arguments, "--nbest", "2", texts[0]).stdout.splitlines()
    assert [len(line.split("\t")) for line in best] == [4, 4]
    assert best[0].split("\t")[2:] == rows[0]


def test_translate_explains(finished: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    run = str(finished[0])
    done = succeeded(command("translate.py", "--run", run, "--explain", "I see a cat.", "", "tea?"))
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    printed = command("translate.py", "--run", run, "--json", "I see a cat.", "tea?").stdout
    first, second = map(json.loads, printed.splitlines())
    scores = [float(score) for score in re.findall(r"score = .* = (-[\d.]+) ", done.stdout)]
    assert scores == pytest.approx([first["score"], second["score"]], abs=2e-4)
    assert all(f"\n{translation['text']}\n" in done.stdout for translation in (first, second))
    assert "Nothing to translate." in done.stdout
    steps = re.findall(r"^Step (\d+) ", done.stdout, re.M)
    assert len(steps) == len(first["target_tokens"]) + len(second["target_tokens"])


@pytest.mark.parametrize("other", [["--json"], ["--nbest", "2"], ["--alignments"]])
def test_an_explanation_is_for_reading(other: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        translate.parse(["--explain", *other, "a"])
    assert left.value.code == 2
    assert "--explain" in capsys.readouterr().err


def test_without_attention(without_attention: Path, gold: Path) -> None:
    run = str(without_attention)
    gold_here = without_attention.parent / gold.name
    shutil.copyfile(gold, gold_here)
    assert_fails(command("translate.py", "--run", run, "--alignments", "a"), "no attention")
    assert_fails(command("evaluate.py", "--run", run, "--alignments", str(gold_here)), "no attention")
    done = succeeded(command("translate.py", "--run", run, "--explain", "I see a cat."))
    assert "no attention" in done.stdout
    (without_attention.parent / "fra-eng.txt").unlink()
    done = command("evaluate.py", "--run", run, "--alignments", str(gold))
    assert_fails(done, "fra-eng.txt", "--source and --reference")
