"""scripts/distil.py, diversify.py and challenge_copying.py, on runs of a few seconds."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace
from typing import Any

import pytest
from challenge_copying import KINDS, SENTENCES, challenge
from distil import in_hydra, student_data, write_held_out
from diversify import opposite_data

from nmt.composition import composed
from nmt.config import load_config
from nmt.data.bitext import Bitext
from nmt.data.heldout import HeldOut, given_set, read_held_out
from nmt.data.settings import Direction
from nmt.run import Run
from tests.commands import Finished, assert_fails, command, finished, train_arguments

__all__ = ["finished"]  # pytest finds the fixture here


def pairs_of(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def test_an_ensembles_translations_become_pairs_to_train_on(finished: Finished, tmp_path: Path) -> None:
    run, _ = finished
    output = tmp_path / "distilled"
    done = command("scripts/distil.py", "--run", str(run), "--run", str(run), "--output", str(output))
    assert done.returncode == 0, done.stderr
    pairs = pairs_of(output / "train.tsv")
    assert all(len(pair) == 2 and all(pair) for pair in pairs)
    held_out = [entry for name in ("val", "test") for entry in read_held_out(run / "data" / f"{name}.tsv")]
    assert not {source for source, _ in pairs} & {entry.source for entry in held_out}
    assert len(pairs) > len({source for source, _ in pairs})  # some have a translation by hand and one by the model

    program, name, *arguments = shlex.split(done.stdout)
    assert (program, name) == ("python", "train.py")
    places = [f"data.prepared_dir={tmp_path / 'prepared'}", f"run_dir={tmp_path / 'student'}"]
    student = command("train.py", "experiment=smoke", *arguments, *places)
    assert student.returncode == 0, student.stderr
    for name in ("val", "test"):
        taught, own = (list(read_held_out(each / "data" / f"{name}.tsv")) for each in (run, tmp_path / "student"))
        assert taught == own  # scores of teacher and student are comparable

    both = ["scripts/distil.py", "--run", str(run), "--run", str(tmp_path / "student"), "--each"]
    each = command(*both, "--best", "2", "--output", str(tmp_path / "more"))
    assert each.returncode == 0, each.stderr
    more = pairs_of(tmp_path / "more" / "train.tsv")
    assert len({tuple(pair) for pair in more}) == len(more)  # no pair twice
    assert {tuple(pair) for pair in pairs} < {tuple(pair) for pair in more}  # the first run's best are among them

    wide = command("scripts/distil.py", "--run", str(run), "--best", "9", "--output", str(tmp_path / "wide"))
    assert_fails(wide, "--best 9 needs a beam as wide: add --beam 9")
    (tmp_path / "student" / "finished.json").unlink()
    unfinished = command(*both, "--output", str(tmp_path / "nothing"))
    assert_fails(unfinished, "is not finished")
    assert "translated" not in unfinished.stderr

    again = command("scripts/distil.py", "--run", str(run), "--output", str(output))
    assert_fails(again, "exists already")
    missing = command("scripts/distil.py", "--run", str(tmp_path / "none"), "--output", str(tmp_path / "nothing"))
    assert_fails(missing, "does not exist: name a run directory")


def test_a_model_of_the_opposite_direction_adds_sources(tmp_path: Path) -> None:
    for name in ("val", "test"):
        held_out = f"I hear {name} now.\tmaintenant j'entends {name}.\n"
        (tmp_path / f"{name}.tsv").write_text(held_out, encoding="utf-8")
    given = [f"data.{name}_path={tmp_path / name}.tsv" for name in ("val", "test")]
    opposite = ["data.source=fra", "data.target=eng"]
    runs = {"there": given, "back": [*given, *opposite], "leaky": opposite}
    runs["pieces"] = [*runs["back"], "data.vocab_size=300"]
    for name, settings in runs.items():
        done = command("train.py", *train_arguments(tmp_path, *settings), f"run_dir={tmp_path / name}")
        assert done.returncode == 0, done.stderr

    def distil(back: str) -> CompletedProcess[str]:
        runs = "--run", str(tmp_path / "there"), "--back", str(tmp_path / back)
        return command("scripts/distil.py", *runs, "--output", str(tmp_path / "more"))

    assert_fails(distil("there"), "translates eng to fra: --back takes a run from fra to eng")
    assert_fails(distil("leaky"), "may have been trained on", "maintenant j'entends val.")
    others = "--run", str(tmp_path / "there"), "--run", str(tmp_path / "leaky"), "--each"
    assert_fails(command("scripts/distil.py", *others, "--output", str(tmp_path / "more")), "holds out other sentences")
    both = "--back", str(tmp_path / "back"), "--back", str(tmp_path / "pieces")
    refused = command("scripts/distil.py", *others[:2], *both, "--output", str(tmp_path / "more"))
    assert_fails(refused, "cuts text into other pieces")
    assert "translated" not in refused.stderr
    assert not (tmp_path / "more").exists()

    corpus = tmp_path / "fra-eng.txt"  # moved, as the run knows since it was resumed
    shutil.rmtree(tmp_path / "prepared")
    (tmp_path / "elsewhere").mkdir()
    corpus = corpus.rename(tmp_path / "elsewhere" / corpus.name)
    assert_fails(distil("back"), "fra-eng.txt")
    Run(tmp_path / "there").write_changes([f"data.path={corpus}"])
    done = distil("back")
    assert done.returncode == 0, done.stderr
    known = [(source, target) for source, target, _ in pairs_of(corpus)]
    pairs = [(source, target) for source, target in pairs_of(tmp_path / "more" / "train.tsv")]
    sources, targets = ({pair[side].replace("\u202f", " ") for pair in known} for side in (0, 1))
    assert {pair for pair in pairs if pair[0] in sources and pair[1] not in targets}  # by the model there
    assert {pair for pair in pairs if pair[0] not in sources and pair[1] in targets}  # by the one back
    assert all(source in sources or target in targets for source, target in pairs)


def test_lines_of_a_test_set_with_several_references_stay_lines(tmp_path: Path) -> None:
    entries = [HeldOut("a", ("x", "y")), HeldOut("a", ("z", "z"))]  # the same sentence twice
    write_held_out(tmp_path, "test", entries)
    write_held_out(tmp_path, "val", entries[:1])
    settings = student_data(tmp_path, Direction("eng", "fra", 0, 1))
    assert settings["val_path"] == str(tmp_path / "val.tsv")  # validation takes one file of references
    lines = [Path(path).read_text(encoding="utf-8").splitlines() for path in settings["test_path"]]
    assert [HeldOut(source, tuple(references)) for source, *references in zip(*lines, strict=True)] == entries
    (tmp_path / "uneven").mkdir()
    write_held_out(tmp_path / "uneven", "test", [*entries, HeldOut("b", ("x",))])
    assert [path.name for path in (tmp_path / "uneven").iterdir()] == ["test.tsv"]


def test_the_student_translates_in_the_direction_of_its_teacher(tmp_path: Path) -> None:
    given = [f"data.{name}_path={tmp_path / name}.tsv" for name in ("val", "test")]
    (tmp_path / "val.tsv").write_text("I hear it now.\tmaintenant j'entends ça.\n", encoding="utf-8")
    (tmp_path / "test.tsv").write_text("you hear it now.\tmaintenant tu entends ça.\n", encoding="utf-8")
    teacher = command("train.py", *train_arguments(tmp_path, *given, "data.source=fra", "data.target=eng"))
    assert teacher.returncode == 0, teacher.stderr
    done = command("scripts/distil.py", "--run", str(tmp_path / "run"), "--output", str(tmp_path / "di stilled"))
    arguments = shlex.split(done.stdout)[2:]
    places = [f"data.prepared_dir={tmp_path / 'prepared'}", f"run_dir={tmp_path / 'student'}"]
    student = command("train.py", "experiment=smoke", *arguments, *places)
    assert student.returncode == 0, student.stderr
    for name in ("val", "test"):
        of_teacher, of_student = (tmp_path / run / "data" / f"{name}.tsv" for run in ("run", "student"))
        assert of_teacher.read_text(encoding="utf-8") == of_student.read_text(encoding="utf-8")


def test_teachers_and_their_student_in_one_command(tmp_path: Path) -> None:
    output = tmp_path / "best"
    settings = train_arguments(tmp_path, "train.max_steps=null", "train.max_epochs=4", "data.source=fra", "seed=3")
    diversify = ["scripts/diversify.py", "--output", str(output), *settings]
    done = command(*diversify)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("BLEU by source length") == 1  # of the student; the others are on the way
    configs = {name: Run(output / name).config() for name in ("teacher-1", "teacher-2", "back", "student")}
    assert [configs[name].seed for name in ("teacher-1", "teacher-2")] == [3, 4]
    directions = {name: config.data.direction()[:2] for name, config in configs.items()}
    assert directions.pop("back") == ("eng", "fra")
    assert set(directions.values()) == {("fra", "eng")}

    def held_out(name: str) -> set[tuple[str, str]]:
        entries = [entry for each in ("val", "test") for entry in read_held_out(output / name / "data" / f"{each}.tsv")]
        return {(entry.source, reference) for entry in entries for reference in entry.references}

    assert held_out("teacher-1") == held_out("student") == {pair[::-1] for pair in held_out("back")}
    pairs = pairs_of(output / "pairs" / "train.tsv")
    known = 300 - len(held_out("student"))
    student = configs["student"]
    assert student.train.max_epochs == round(4 * known / len(pairs)) < 4  # as many updates as a teacher
    assert student.model["state_dropout"] < configs["teacher-1"].model["state_dropout"]

    weights = {path: path.read_bytes() for path in (output / "student").rglob("model.safetensors")}
    assert weights
    shutil.rmtree(output / "pairs")  # as if it had been killed before the teachers translated
    shutil.rmtree(output / "student")
    again = command(*diversify)
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("is finished.") == 3
    assert {path: path.read_bytes() for path in weights} == weights
    shutil.rmtree(output / "student" / "eval" / "heatmaps")  # or while it drew them
    assert command(*diversify).stdout == again.stdout == done.stdout
    assert (output / "student" / "eval" / "heatmaps").is_dir()
    assert_fails(command(*diversify, "model=luong"), "begun with the settings in settings.txt")
    assert_fails(command(*diversify, "--teachers", "1"), "begun with the settings in settings.txt")


def test_what_cannot_be_diversified_is_refused_before_anything_is_begun(tmp_path: Path) -> None:
    settings = train_arguments(tmp_path)
    diversify = ["scripts/diversify.py", "--output", str(tmp_path / "best")]
    assert_fails(command(*diversify[:2], str(tmp_path), *settings), "is not an empty directory")
    assert_fails(command(*diversify, "model=lung"), "There is no model=lung")
    assert_fails(command(*diversify[:2], "data", "trian.max_steps=4"), "There is no setting trian.max_steps")
    assert_fails(command(*diversify, "resume=outputs/RUN"), "without resume")
    with (tmp_path / "fra-eng.txt").open("a", encoding="utf-8") as corpus:
        corpus.write("no tab\n")
    assert_fails(command(*diversify, *settings), "fra-eng.txt:301", "data.on_error=skip")
    assert not (tmp_path / "best").exists()


@pytest.mark.parametrize(
    "overrides",
    [
        ["data=anki", "data.path=mine.tsv"],
        ["data=anki", "data.path=mine.tsv", "data.source=eng", "data.target=mar"],
        ["data=anki", "data.path=mine.tsv", "data.columns=[number,eng,mar]", "data.source=mar", "data.target=eng"],
        ["data=multi30k", "data.path=[my.en,my.de]"],
        ["data=parallel", "data.path=[my.en,my.de]", "data.test_path=[test.en,test.de,more.de]"],
    ],
)
def test_the_opposite_direction_reads_the_same_files_the_other_way(tmp_path: Path, overrides: list[str]) -> None:
    values = composed(*overrides)
    data = load_config(values).data
    there = data.direction()
    entries = [HeldOut("source", ("one", "two")), HeldOut("", ("three",))]
    corpus: Any = SimpleNamespace(val_sentences=entries, test_sentences=entries[:1])
    changes = opposite_data(data, corpus, tmp_path / "held-out")
    back = load_config(values | {"data": values["data"] | changes}).data
    assert back.path == data.path
    assert back.direction() == (there.target, there.source, there.target_column, there.source_column)
    read = given_set(Bitext.of(back, back.val_path))
    assert read == [HeldOut("one", ("source",)), HeldOut("two", ("source",))]


@pytest.mark.parametrize("value", ["plain/path.tsv", "it's a path.tsv", ["a,b.tsv", "c [d].tsv"]])
def test_values_for_hydra_are_read_as_they_are(value: str | list[str]) -> None:
    assert composed(f"data.columns=[{in_hydra(value)}]")["data"]["columns"] == [value]


def test_the_challenge_is_always_the_same_and_holds_its_strings() -> None:
    for style in SENTENCES:
        items = list(challenge(style))
        assert items == list(challenge(style))
        assert {kind for kind, _, _ in items} == set(KINDS)
        assert all(string in sentence for _, string, sentence in items)
        assert len({string for _, string, _ in items}) > 150


def test_copying_is_scored_by_kind(finished: Finished) -> None:
    run, _ = finished
    done = command("scripts/challenge_copying.py", "--run", str(run), "--failures", "2")
    assert done.returncode == 0, done.stderr
    for kind in KINDS:
        assert any(kind in line and "100" in line and "%" in line for line in done.stdout.splitlines())
    assert len(done.stdout.splitlines()[-1].split("\t")) == 2


def test_a_learning_curve_of_any_run(finished: Finished, tmp_path: Path) -> None:
    run, _ = finished
    picture = tmp_path / "curve.png"
    done = command("scripts/learning_curve.py", str(run), "--bleu", "0", "101", "--output", str(picture))
    assert done.returncode == 0, done.stderr
    assert "never" in done.stdout
    assert picture.stat().st_size > 1000
    assert_fails(command("scripts/learning_curve.py", str(tmp_path)), "no validation on record")
