"""translate.py and evaluate.py: what they print, how they fail."""

import json
import re
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

import nmt
from nmt.composition import composed
from nmt.data.heldout import read_held_out
from nmt.evaluation.scores import score
from nmt.files import write_sums
from nmt.pipeline import train
from nmt.run import Run
from nmt.search import Sample
from nmt.translator import Translator
from tests.commands import (
    Finished,
    assert_fails,
    command,
    evaluate,
    pipe,
    process,
    succeeded,
    train_arguments,
    translate,
)
from tests.conftest import ROOT


def test_translate_reads_arguments_files_and_stdin_in_order(run: Path, tmp_path: Path) -> None:
    lines = ["I see a cat.", "", "we want tea!", "they know it?", "   ", "🎉 नमस्ते 汉字", "I see a cat."]
    piped = succeeded(process("translate.py", "--run", str(run), stdin="\n".join(lines) + "\n"))
    translations = piped.stdout.split("\n")[:-1]
    assert len(translations) == len(lines)
    assert translations[1] == translations[4] == ""
    assert translations[0] == translations[6] != ""
    file = tmp_path / "in.txt"
    file.write_text("\r\n".join(lines), encoding="utf-8")
    from_pipe = ["--file", pipe("\n".join(lines))]
    for same in (["--file", str(file)], ["--", *lines], from_pipe):
        assert translate(run, *same).stdout.split("\n")[:-1] == translations


def test_interactive_answers_each_line_before_the_next_comes(run: Path) -> None:
    arguments = [sys.executable, str(ROOT / "translate.py"), "--run", str(run), "--interactive"]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for line in ("I see a cat.", "we want tea!"):
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            answers.append(process.stdout.readline())  # would wait for ever if it did not come
        process.stdin.close()
    assert process.returncode == 0
    assert all(answer.strip() for answer in answers)


def test_translate_json_and_nbest(run: Path) -> None:
    arguments = ["--run", str(run), "--beam", "4", "--nbest", "3"]
    done = command("translate.py", *arguments, "--json", "I see a cat.", "")
    first, empty = map(json.loads, done.stdout.splitlines())
    assert first["source"] == "I see a cat."
    assert [n["score"] for n in first["nbest"]] == sorted((n["score"] for n in first["nbest"]), reverse=True)
    assert len(first["nbest"]) == 3
    assert first["source_tokens"][-1] == first["target_tokens"][-1] == "</s>"
    assert len(first["attention"]) == len(first["target_tokens"])
    for row in first["attention"]:
        assert len(row) == len(first["source_tokens"])
        assert sum(row) == pytest.approx(1, abs=1e-4)
    assert first["words"]
    assert all(word.keys() == {"text", "confidence"} and 0 <= word["confidence"] <= 1 for word in first["words"])
    assert (empty["text"], empty["attention"]) == ("", None)
    plain = command("translate.py", *arguments, "I see a cat.")
    assert [line.split("\t")[2] for line in plain.stdout.splitlines()] == [n["text"] for n in first["nbest"]]


def test_translate_draws(run: Path, tmp_path: Path) -> None:
    one = tmp_path / "new" / "folder" / "a.svg"
    assert translate(run, "--heatmap", str(one), "I see a cat.").returncode == 0
    assert b"<svg" in one.read_bytes()
    succeeded(translate(run, "--heatmap", str(tmp_path / "a.pdf"), "I see a cat."))
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    many = tmp_path / "many"
    done = translate(run, "--heatmap", str(many), "--pieces", "I see a cat.", "", "tea?")
    assert sorted(path.name for path in many.iterdir()) == ["0001.png", "0002.png"]
    assert len(done.stdout.splitlines()) == 3
    assert_fails(translate(run, "--heatmap", str(one), "a", "b"), "name a directory")
    assert_fails(translate(run, "--heatmap", "x.bmp", "a"), ".png, .svg or .pdf")
    assert not Path("x.bmp").exists()


def test_evaluate_again_gives_the_same_scores(finished: Finished, tmp_path: Path) -> None:
    run, trained = finished
    before = (run / "eval/scores.json").read_bytes()
    done = succeeded(evaluate(run))
    verdict = (run / "eval/verdict.txt").read_text(encoding="utf-8")
    assert done.stdout == f"{trained.stdout}\n{verdict}"
    assert verdict in trained.stderr  # where the log of a training goes
    assert (run / "eval/scores.json").read_bytes() == before
    rows = [line.split("\t") for line in (run / "data/test.tsv").read_text().splitlines()]
    for name, cells in (("s", [r[0] for r in rows]), ("r1", [r[1] for r in rows]), ("r2", [r[-1] for r in rows])):
        (tmp_path / name).write_text("\n".join(cells) + "\n")
    succeeded(evaluate(run, "--beam", "2"))
    assert (run / "eval/scores.json").read_bytes() == before  # the run's own scores are those of its own search
    references = ["--reference", str(tmp_path / "r1"), str(tmp_path / "r2"), "--output", str(tmp_path / "out")]
    succeeded(evaluate(run, "--source", str(tmp_path / "s"), *references))
    own, given = (json.loads(text)["bleu"]["value"] for text in (before, (tmp_path / "out/scores.json").read_text()))
    assert own == given
    (tmp_path / "r1").write_text("one line\n")
    uneven = evaluate(run, "--source", str(tmp_path / "s"), "--reference", str(tmp_path / "r1"))
    assert_fails(uneven, "r1 ends before line 2")
    assert_fails(command("evaluate.py", "--source", "s"), "--reference")


def test_bad_runs_and_bad_text(run: Path, tmp_path: Path) -> None:
    for name in ("translate.py", "evaluate.py"):
        assert_fails(command(name, "--run", str(tmp_path / "none")), "does not exist")
        assert_fails(command(name, "--run", str(tmp_path)), "not a run directory")
    assert_fails(command("translate.py", "--run", __file__, "a"), __file__, "is not a model that export.py wrote")
    assert_fails(command("evaluate.py", "--run", __file__), "is not a directory: name a run directory")
    assert_fails(translate(run, "--file", "none.txt"), "none.txt does not exist")
    assert_fails(translate(run, "--file", str(tmp_path)), f"{tmp_path} is a directory")
    assert_fails(evaluate(run, "--source", str(tmp_path), "--reference", __file__), f"{tmp_path} ", "Is a directory")
    assert_fails(evaluate(run, "--output", __file__), "is not a directory")
    assert_fails(translate(run, "--device", "cuda:7", "a"), "cuda:7")
    assert_fails(translate(run, "--nbest", "9", "a"), "--beam 9")
    assert_fails(translate(run, "--temperature", "0.8", "a"), "Beam has no setting temperature")
    assert "give one of them" in translate(run, "--sample", "--beam", "4", "a").stderr


@pytest.fixture(scope="module")
def second(run: Path) -> Path:
    """Another seed of the same run."""
    folder = run.parent
    train(composed(*train_arguments(folder, "seed=2", f"run_dir={folder / 'second'}", "model=stacked")))
    return folder / "second"


def test_several_runs_make_an_ensemble(run: Path, second: Path, tmp_path: Path) -> None:
    both = ("--run", str(run), "--run", str(second))
    printed = [command("translate.py", *runs, "--json", "I see a cat.").stdout for runs in (both[:2], both)]
    single, together = map(json.loads, printed)
    assert together["score"] != single["score"]
    assert len(together["attention"]) == len(together["target_tokens"])
    scored = succeeded(command("evaluate.py", *both, "--lc-tok", "--output", str(tmp_path / "scores")))
    assert "BLEU lc-tok" in scored.stdout
    scores = json.loads((tmp_path / "scores" / "scores.json").read_text(encoding="utf-8"))
    assert len(set(scores["evaluated"]["ensemble"])) == 2
    assert scores["lc_tok"]["signature"].startswith("lc-tok:moses-fr-")
    assert "one --run" in command("translate.py", *both, "--explain", "tea").stderr
    assert_fails(command("evaluate.py", *both, "--alignments", str(tmp_path / "x")), "one --run")


def test_tuning_gives_what_a_search_with_each_penalty_would(run: Path, second: Path) -> None:
    directories = [run, second]
    arguments = [argument for directory in directories for argument in ("--run", str(directory))]
    done = succeeded(command("scripts/tune_search.py", *arguments, "--beams", "1", "4"))
    rows = [line.split("│")[1:-1] for line in done.stdout.splitlines() if line.startswith("│")]
    table = {float(penalty): [float(bleu) for bleu in of_beams] for penalty, *of_beams in rows}

    runs = [Run(directory) for directory in directories]
    entries = list(read_held_out(runs[0].val_set))
    sources, references = [entry.source for entry in entries], [entry.references for entry in entries]
    for penalty in (0.0, 1.0, 2.0):
        translator = Translator.load(runs, beam_size=4, length_penalty=penalty)
        texts = [best.text for best in translator.translate(sources)]
        bleu = score(texts, references, sources, metrics=["bleu"], bootstrap=0)["bleu"].value
        assert table[penalty][1] == pytest.approx(bleu, abs=0.006)
    assert len(set(chain(*table.values()))) > 1  # it matters here
    best = max(chain(*table.values()))
    choice = re.fullmatch(r"decode.beam_size=(\d+) decode.length_penalty=(\S+)", done.stdout.splitlines()[-1])
    assert choice
    assert table[float(choice[2])][("1", "4").index(choice[1])] == best


def test_an_ensemble_needs_the_same_pieces(run: Path, tmp_path: Path) -> None:
    other = Run(shutil.copytree(run, tmp_path / "other"))
    shutil.copyfile(other.source_tokenizer, other.target_tokenizer)
    write_sums(other.directory)
    assert_fails(translate(run, "--run", str(other.directory), "tea"), "other pieces", "same prepared corpus")


def test_sentences_unlike_the_training_data_are_pointed_out(run: Path) -> None:
    lines = ["I see a cat.", "Они смотрят.", "we want tea " * 20]
    done = translate(run, *lines)
    assert len(done.stdout.splitlines()) == 3
    first, second = (line for line in done.stderr.splitlines() if "do not rely" in line)
    assert first.startswith("Sentence 2 is written in Cyrillic")
    assert first.endswith("do not rely on its translation.")
    assert second.startswith("Sentence 3 has ")


def test_a_higher_length_penalty_never_gives_shorter_translations(run: Path) -> None:
    printed = [translate(run, "--json", "--length-penalty", penalty, "I see tea.").stdout for penalty in ("0", "3")]
    short, long = map(json.loads, printed)
    assert len(short["target_tokens"]) <= len(long["target_tokens"])
    assert short["score"] != long["score"]
    for impossible in ("nan", "1e308", "-1e4"):
        refused = translate(run, f"--length-penalty={impossible}", "tea")
        assert_fails(refused, "length_penalty", "between")


def text_of(run: Path, *arguments: str) -> str:
    return translate(run, *arguments).stdout


def test_samples_are_the_same_for_the_same_seed_whatever_the_batches(run: Path) -> None:
    sentences = ["I see a cat.", "we want tea!", "", "I see a cat.", "they know it?"]
    arguments = ["--sample", "--temperature", "0.8", "--top-p", "0.95", "--nbest", "3", "--", *sentences]
    drawn = text_of(run, *arguments)
    assert [line.split("\t")[0] for line in drawn.splitlines()] == [*"111222", "3", *"444555"]
    assert drawn.splitlines()[:3] != drawn.splitlines()[7:10]  # of one sentence twice, other samples
    for same in (["--seed", "1"], ["--interactive"]):
        assert text_of(run, *same, *arguments) == drawn
    assert text_of(run, "--seed", "2", *arguments) != drawn
    best = text_of(run, "--sample", "--top-p", "0.000001", "--", *sentences)
    assert best == text_of(run, "--beam", "1", "--", *sentences)


def test_a_run_may_sample_by_itself_and_be_moved(tmp_path: Path) -> None:
    """Nothing outside of its directory is read: the corpus and the prepared data may be gone."""
    trained = train(composed(*train_arguments(tmp_path, "decode=sample", "decode.seed=3", "model=seq2seq")))
    moved = (tmp_path / "run").rename(tmp_path / "elsewhere")
    assert str(tmp_path / "prepared") in (moved / "config.yaml").read_text()  # it does remember where the data was
    shutil.rmtree(tmp_path / "prepared")
    (tmp_path / "fra-eng.txt").unlink()
    evaluated = json.loads((moved / "eval/scores.json").read_text())["evaluated"]
    assert evaluated["decode"] == Sample(seed=3).record()
    sources = [example.source for example in read_held_out(Run(moved).test_set)]
    drawn = text_of(moved, "--", *sources).splitlines()
    assert drawn == [translation.text for translation in trained.translations]
    assert len(text_of(moved, "--nbest", "4", "a").splitlines()) == 4
    assert_fails(translate(moved, "--beam", "4", "a"), "search method Sample has no setting beam_size")


def test_the_run_that_is_taken_is_named_with_its_languages(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nmt.config.ROOT", tmp_path)
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs/a").symlink_to(run)
    assert command("translate.py", "tea").stderr == f"run: {tmp_path / 'outputs/a'} (eng → fra)\n"
    assert nmt.load().languages == ("eng", "fra")


def test_paths_may_be_strings_and_a_string_is_one_sentence(run: Path) -> None:
    run = str(run)
    translator = nmt.load(run)
    (one,) = translator.translate("I see a cat.")
    assert one.text == translator.translate(["I see a cat."])[0].text != ""
    assert "".join(one.source_tokens[:-1]).replace("▁", " ").strip() == "I see a cat."
    assert [len(found) for found in translator.nbest(["I see a cat.", ""], 3)] == [3, 1]
    assert nmt.load([run, run], beam_size=2).search.width == 2
    assert Translator.load(run, search=Sample(seed=4)).search == Sample(seed=4)
