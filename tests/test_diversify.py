"""scripts/diversify.py: teachers and their student, on runs of a few seconds."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from diversify import carry_through, opposite_data, parse

from nmt.composition import composed
from nmt.data.bitext import reader_of
from nmt.data.heldout import HeldOut, given_set, read_held_out
from nmt.run import Run
from tests.commands import assert_fails, command, succeeded, train_arguments
from tests.conftest import assert_refused


def refuses(words: str, *arguments: str) -> None:
    assert_refused(words, carry_through, parse(list(arguments)))


def settings_in(folder: Path, *more: str) -> list[str]:
    return [setting for setting in train_arguments(folder, *more) if not setting.startswith("run_dir=")]


@pytest.mark.slow
def test_teachers_and_their_student_in_one_command(tmp_path: Path) -> None:
    output = tmp_path / "best"
    settings = settings_in(tmp_path, "train.max_steps=null", "train.max_epochs=4", "data.source=fra", "seed=3")
    diversify = ["scripts/diversify.py", "--output", str(output), *settings]
    done = succeeded(command(*diversify))
    assert done.stdout.count("BLEU by source length") == 1  # of the student; the others are on the way
    configs = {name: Run.open(output / name).config for name in ("teacher-1", "teacher-2", "back", "student")}
    assert [configs[name].seed for name in ("teacher-1", "teacher-2")] == [3, 4]
    directions = {name: config.data.direction()[:2] for name, config in configs.items()}
    assert directions.pop("back") == ("eng", "fra")
    assert set(directions.values()) == {("fra", "eng")}

    def held_out(name: str) -> set[tuple[str, str]]:
        entries = [entry for each in ("val", "test") for entry in read_held_out(output / name / "data" / f"{each}.tsv")]
        return {(entry.source, reference) for entry in entries for reference in entry.references}

    assert held_out("teacher-1") == held_out("student") == {pair[::-1] for pair in held_out("back")}
    pairs = (output / "pairs" / "train.tsv").read_text(encoding="utf-8").splitlines()
    known = 300 - len(held_out("student"))
    student = configs["student"]
    assert student.train.max_epochs == round(4 * known / len(pairs)) < 4  # as many updates as a teacher
    assert student.model["state_dropout"] < configs["teacher-1"].model["state_dropout"]

    weights = {path: path.read_bytes() for path in (output / "student").rglob("model.safetensors")}
    assert weights
    shutil.rmtree(output / "pairs")  # as if it had been killed before the teachers translated
    shutil.rmtree(output / "student")
    again = succeeded(command(*diversify))
    assert again.stderr.count("is finished.") == 3
    assert {path: path.read_bytes() for path in weights} == weights
    shutil.rmtree(output / "student" / "eval" / "heatmaps")  # or while it drew them
    assert command(*diversify).stdout == again.stdout == done.stdout
    assert (output / "student" / "eval" / "heatmaps").is_dir()
    refuses("begun with the settings in settings.txt", *diversify[1:], "model=luong")
    refuses("begun with the settings in settings.txt", *diversify[1:], "--teachers", "1")


def test_what_cannot_be_diversified_is_refused_before_anything_is_begun(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    output = ["--output", str(tmp_path / "best")]
    misspelt = command("scripts/diversify.py", "--output", "data", "trian.max_steps=4")
    assert_fails(misspelt, "There is no setting trian.max_steps")
    refuses("is not an empty directory", "--output", str(tmp_path), *settings)
    refuses("There is no model=lung", *output, "model=lung")
    refuses("without resume", *output, "resume=outputs/RUN")
    refuses("leave name and run_dir out", *output, "run_dir=outputs/elsewhere")
    with (tmp_path / "fra-eng.txt").open("a", encoding="utf-8") as corpus:
        corpus.write("no tab\n")
    refuses("fra-eng.txt:301: .*data.on_error=skip", *output, *settings)
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
    data = composed(*overrides).data
    there = data.direction()
    entries = [HeldOut("source", ("one", "two")), HeldOut("", ("three",))]
    corpus: Any = SimpleNamespace(val_sentences=entries, test_sentences=entries[:1])
    back = opposite_data(data, corpus, tmp_path / "held-out")
    assert back.path == data.path
    assert back.direction() == (there.target, there.source, there.target_column, there.source_column)
    read = given_set(reader_of(back, back.val_path))
    assert read == [HeldOut("one", ("source",)), HeldOut("two", ("source",))]
