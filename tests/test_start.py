"""`start=RUN`: a new run that begins with the model of a finished one."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from safetensors.torch import load_file

from nmt.data.prepare import prepare
from nmt.errors import UserError
from nmt.run import Run
from tests.commands import Finished, assert_fails, command, finished, train_arguments

__all__ = ["finished"]  # pytest finds the fixture here


WHO = [("he", "il"), ("she", "elle"), ("the cat", "le chat"), ("a dog", "un chien"), ("Ann", "Anne")]


def other_pairs(folder: Path) -> list[str]:
    lines = [f"{who} eats {count} apples\t{qui} mange {count} pommes" for who, qui in WHO for count in range(9)]
    (folder / "own.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [f"data.path={folder / 'own.tsv'}", "data.columns=[eng,fra]", f"run_dir={folder / 'further'}"]


def test_a_run_begins_with_the_model_the_pieces_and_the_weights_of_another(finished: Finished, tmp_path: Path) -> None:
    start, _ = finished
    arguments = [*train_arguments(tmp_path), f"start={start}", *other_pairs(tmp_path)]
    # Another model and vocabulary than those of the run are asked for in vain; a rate of 0 shows the first weights.
    done = command("train.py", *arguments, "model=luong", "data.vocab_size=400", "train.max_steps=10", "optimizer.lr=0")
    assert done.returncode == 0, done.stderr
    assert f"Beginning with the weights of {start}" in done.stderr
    assert "held out other sentences" in done.stderr
    old, new = Run(start), Run(tmp_path / "further")
    assert new.config().model == old.config().model
    assert new.config().name == "bahdanau"
    for side in ("source", "target"):
        name = f"tokenizers/{side}.model"
        assert (new.directory / name).read_bytes() == (start / name).read_bytes()
    weights = [load_file(run.best_checkpoint() / "model.safetensors") for run in (old, new)]
    assert weights[0].keys() == weights[1].keys()
    assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])
    assert "apples" in new.test_set.read_text(encoding="utf-8")


def test_it_resumes_without_the_run_that_it_began_with(finished: Finished, tmp_path: Path) -> None:
    start = tmp_path / "start"
    shutil.copytree(finished[0], start)
    arguments = [*train_arguments(tmp_path), f"start={start}", "scheduler=constant"]
    whole = command("train.py", *arguments, f"run_dir={tmp_path / 'whole'}", "train.max_steps=20")
    part = command("train.py", *arguments, f"run_dir={tmp_path / 'part'}", "train.max_steps=10")
    assert whole.returncode == part.returncode == 0, whole.stderr + part.stderr
    assert "held out other sentences" not in whole.stderr  # it is the same corpus
    shutil.rmtree(start)
    done = command("train.py", f"resume={tmp_path / 'part'}", "train.max_steps=20")
    assert done.returncode == 0, done.stderr
    weights = [tmp_path / name / "checkpoints/step-00000020/model.safetensors" for name in ("whole", "part")]
    assert weights[0].read_bytes() == weights[1].read_bytes()


def test_only_a_finished_run_can_be_begun_with(finished: Finished, tmp_path: Path) -> None:
    unfinished = tmp_path / "unfinished"
    shutil.copytree(finished[0], unfinished)
    (unfinished / "finished.json").unlink()
    arguments = train_arguments(tmp_path)
    assert_fails(command("train.py", *arguments, f"start={unfinished}"), "is not finished")
    assert_fails(command("train.py", *arguments, f"start={tmp_path / 'nothing'}"), "does not exist")
    assert not (tmp_path / "run").exists()


def test_given_tokenizers_must_be_there_and_make_another_corpus(finished: Finished, tmp_path: Path) -> None:
    data = replace(Run(finished[0]).config().data, prepared_dir=str(tmp_path))
    learnt, given = prepare(data), prepare(replace(data, tokenizers=str(finished[0] / "tokenizers")))
    assert learnt.report.key != given.report.key
    assert learnt.source_tokenizer.model == given.source_tokenizer.model
    assert [*learnt.train.source[0]] == [*given.train.source[0]]
    with pytest.raises(UserError, match=r"source\.model does not exist: set data\.tokenizers"):
        prepare(replace(data, tokenizers=str(tmp_path)))
