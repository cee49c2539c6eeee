"""scripts/distil.py on runs of a few seconds."""

import shlex
import shutil
from pathlib import Path

import distil
import pytest
from distil import student_data, write_held_out

from nmt import pipeline
from nmt.composition import composed
from nmt.data.heldout import HeldOut, read_held_out
from nmt.data.settings import Direction
from nmt.run import Run
from tests.commands import Finished, assert_fails, command, succeeded, train_arguments
from tests.conftest import assert_refused

QUICK = ["model=seq2seq"]  # which draws no pictures


def pairs_of(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def refuses(words: str, *arguments: str) -> None:
    assert_refused(words, distil.make_pairs, distil.parse(list(arguments)))


def test_an_ensembles_translations_become_pairs_to_train_on(
    finished: Finished, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, _ = finished
    output = tmp_path / "distilled"
    done = succeeded(command("scripts/distil.py", "--run", str(run), "--run", str(run), "--output", str(output)))
    pairs = pairs_of(output / "train.tsv")
    assert all(len(pair) == 2 and all(pair) for pair in pairs)
    held_out = [entry for name in ("val", "test") for entry in read_held_out(run / "data" / f"{name}.tsv")]
    assert not {source for source, _ in pairs} & {entry.source for entry in held_out}
    assert len(pairs) > len({source for source, _ in pairs})  # some have a translation by hand and one by the model

    _, name, *arguments = shlex.split(done.stdout)
    assert name == "train.py"
    places = [f"data.prepared_dir={tmp_path / 'prepared'}", f"run_dir={tmp_path / 'student'}"]
    succeeded(command("train.py", "experiment=smoke", *arguments, *places))
    for name in ("val", "test"):
        taught, own = (list(read_held_out(each / "data" / f"{name}.tsv")) for each in (run, tmp_path / "student"))
        assert taught == own  # scores of teacher and student are comparable

    both = ["scripts/distil.py", "--run", str(run), "--run", str(tmp_path / "student"), "--each"]
    succeeded(command(*both, "--best", "2", "--output", str(tmp_path / "more")))
    more = pairs_of(tmp_path / "more" / "train.tsv")
    assert len({tuple(pair) for pair in more}) == len(more)  # no pair twice
    assert {tuple(pair) for pair in pairs} < {tuple(pair) for pair in more}  # the first run's best are among them

    again = command("scripts/distil.py", "--run", str(run), "--output", str(output))
    assert_fails(again, "exists already")
    nothing = "--output", str(tmp_path / "nothing")
    refuses("need a beam as wide: add --beam 9", "--run", str(run), "--best", "9", *nothing)
    refuses("does not exist: name a run directory", "--run", str(tmp_path / "none"), *nothing)
    (tmp_path / "student" / "finished.json").unlink()
    refuses("is not finished", *both[1:], *nothing)
    (tmp_path / "file").touch()
    inside_a_file = command("scripts/distil.py", "--run", str(run), "--output", str(tmp_path / "file" / "distilled"))
    assert_fails(inside_a_file, "file")
    assert "translated" not in inside_a_file.stderr
    assert "translated" not in capsys.readouterr().err


@pytest.mark.slow
def test_a_model_of_the_opposite_direction_adds_sources(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("val", "test"):
        held_out = f"I hear {name} now.\tmaintenant j'entends {name}.\n"
        (tmp_path / f"{name}.tsv").write_text(held_out, encoding="utf-8")
    given = [f"data.{name}_path={tmp_path / name}.tsv" for name in ("val", "test")]
    opposite = ["data.source=fra", "data.target=eng"]
    settings = {"there": given, "back": [*given, *opposite], "leaky": opposite}
    settings["pieces"] = [*settings["back"], "data.vocab_size=300"]
    for name, each in settings.items():
        pipeline.train(composed(*train_arguments(tmp_path, *QUICK, *each), f"run_dir={tmp_path / name}"))
    there, back, leaky, pieces = (str(tmp_path / name) for name in settings)
    more = "--output", str(tmp_path / "more")

    capsys.readouterr()
    refuses("translates eng to fra: --back takes a run from fra to eng", "--run", there, "--back", there, *more)
    refuses("may have been trained on .*j'entends val.", "--run", there, "--back", leaky, *more)
    refuses("holds out other sentences", "--run", there, "--run", leaky, "--each", *more)
    refuses("cuts text into other pieces", "--run", there, "--back", back, "--back", pieces, *more)
    assert "translated" not in capsys.readouterr().err
    assert not (tmp_path / "more").exists()

    # A student translates in the direction of its teacher.
    done = succeeded(command("scripts/distil.py", "--run", back, "--output", str(tmp_path / "di stilled")))
    places = [f"data.prepared_dir={tmp_path / 'prepared'}", f"run_dir={tmp_path / 'student'}"]
    pipeline.train(composed("experiment=smoke", *QUICK, *shlex.split(done.stdout)[2:], *places))
    for name in ("val", "test"):
        of_teacher, of_student = (tmp_path / run / "data" / f"{name}.tsv" for run in ("back", "student"))
        assert of_teacher.read_text(encoding="utf-8") == of_student.read_text(encoding="utf-8")

    corpus = tmp_path / "fra-eng.txt"  # moved, as the run knows since it was resumed
    shutil.rmtree(tmp_path / "prepared")
    (tmp_path / "elsewhere").mkdir()
    corpus = corpus.rename(tmp_path / "elsewhere" / corpus.name)
    refuses("fra-eng.txt", "--run", there, "--back", back, *more)
    Run.open(tmp_path / "there").write_changes([f"data.path={corpus}"])
    succeeded(command("scripts/distil.py", "--run", there, "--back", back, *more))
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
