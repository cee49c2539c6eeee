"""`train.py start=RUN`: more pairs, or corrections, on top of a finished run."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from nmt.config import TrainSettings
from nmt.data.heldout import read_held_out
from nmt.data.prepare import PreparedCorpus
from nmt.data.replay import KEPT, Merged, merge
from nmt.data.spool import sentence_hash
from nmt.run import Run
from nmt.starting import started_from, with_end, with_languages_of
from tests.commands import assert_fails, command, succeeded, translate

NEW = [
    f"she {verb} tea{end}\telle {verbe} du thé{end}" for verb, verbe in (("has", "a"), ("sips", "boit")) for end in ".!"
]


def start(run: Path, folder: Path, name: str, *more: str, path: str = "more.tsv") -> list[str]:
    places = [f"data.path={folder / path}", f"data.prepared_dir={folder / 'prepared'}", f"run_dir={folder / name}"]
    return [f"start={run}", *places, "train.max_epochs=2", *more]


def held_out(run: Run) -> list[str]:
    entries = [entry for file in (run.val_set, run.test_set) for entry in read_held_out(file)]
    return [f"{entry.source}\t{reference}" for entry in entries for reference in entry.references]


def training_pairs(corpus: PreparedCorpus) -> list[str]:
    sides = (corpus.source_tokenizer, corpus.train.source), (corpus.target_tokenizer, corpus.train.target)
    return ["\t".join(tokenizer.decode(stored[i]) for tokenizer, stored in sides) for i in range(len(corpus.train))]


def weights(run: Path) -> bytes:
    return (Run(run).best_checkpoint() / "model.safetensors").read_bytes()


def prepared(run: Path) -> PreparedCorpus:
    opened = Run.open(run)
    (directory,) = Path(opened.config.data.prepared_dir).glob(f"*-{opened.provenance['data_key'][:12]}")
    return PreparedCorpus.open(directory)


def test_a_run_learns_more_pairs_and_forgets_no_promise(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent, first, second = Run.open(run), tmp_path / "first", tmp_path / "second"
    old = training_pairs(prepared(run))
    correction = old[0].partition("\t")[0] + "\tah non"
    (tmp_path / "more.tsv").write_text(
        "\n".join([*old[3:6], *held_out(parent), correction, *NEW]) + "\n", encoding="utf-8"
    )
    done = succeeded(command("train.py", *start(run, tmp_path, "first", "train.save_every=5")))

    assert f"{len(NEW) + 1} of them new" in done.stderr
    assert "Starting from" in done.stderr
    assert all((first / copy).read_bytes() == (run / copy).read_bytes() for copy in KEPT.values())
    opened = Run.open(first)
    assert opened.provenance["start"]["run"] == parent.identity
    assert opened.provenance["split_hash"] == parent.provenance["split_hash"]
    assert opened.config.model == parent.config.model
    assert opened.config.optimizer["lr"] < parent.config.optimizer["lr"]
    pairs = training_pairs(prepared(first))
    assert pairs == [*old[1:], correction, *NEW]  # the correction replaces what it corrects
    for side in (0, 1):  # leak-free, whatever the case and punctuation
        held = {sentence_hash(pair.split("\t")[side]) for pair in held_out(parent)}
        assert not held & {sentence_hash(pair.split("\t")[side]) for pair in pairs}
    assert weights(first) != weights(run)

    assert_fails(command("train.py", f"resume={first}", "train.max_epochs=null"), "Training needs an end")
    expected, finished = weights(first), opened.finished()
    for lost in (finished["steps"], 0):  # the last checkpoint; then all, so that the parent's weights are needed
        for folder in list(opened.checkpoints.glob("step-*")):
            if int(folder.name.removeprefix("step-")) >= lost:
                shutil.rmtree(folder)
        succeeded(command("train.py", f"resume={first}"))
        assert weights(first) == expected  # the same seed gives the same bytes, interrupted or not

    (tmp_path / "more.tsv").rename(tmp_path / "moved.tsv")
    (tmp_path / "again.csv").write_text("fra,eng\nelle lit,she reads\n", encoding="utf-8")
    again = start(first, tmp_path, "second", path="again.csv")[:-1]  # as many epochs as suit one pair
    assert_fails(command("train.py", *again), "more.tsv does not exist", "data.replay_path")
    again += [f"data.replay_path={tmp_path / 'moved.tsv'}", "optimizer.lr=0.0"]
    done = succeeded(command("train.py", *again))
    assert weights(second) == weights(first)
    assert "seen 40 times" in done.stderr
    for name, value in (("RANK", 0), ("WORLD_SIZE", 1), ("TORCHELASTIC_RESTART_COUNT", 1)):
        monkeypatch.setenv(name, str(value))
    succeeded(command("train.py", *again))  # as torchrun does it after it has lost a process
    assert training_pairs(prepared(second)) == [*pairs, "she reads\telle lit"]
    later = started_from(opened, opened.config, ["data.path=x"])
    assert later.optimizer["lr"] == opened.config.optimizer["lr"]  # lowered once
    assert succeeded(translate(second, "I see a cat.")).stdout


@pytest.mark.parametrize(
    ("content", "arguments", "words"),
    [
        ("a\tb", ["resume=RUN"], ["start=", "resume=", "one of the two"]),
        ("a\tb", ["model.readout_size=48"], ["model.readout_size=48", "settles the model", "without start"]),
        ("a\tb", ["model=luong"], ["model=luong", "leave it out"]),
        ("a\tb", ["data.test_path=t.tsv"], ["data.test_path=t.tsv", "held-out"]),
        ("a\tb", ["data.path=null"], ["needs new sentence pairs", "data.path=FILE"]),
        ("a\tb", ["train.replay=-1"], ["train.replay", "at least 0"]),
        ("German\tFrench\nja\toui", [], ["data.source=eng", "German, French"]),
        ("ja\toui", ["data.columns=[deu,fra]", "data.source=deu"], ["translates eng to fra", "has deu"]),
        ("HELD", [], ["no pair left to train on", "val or test"]),
        ("OLD", [], ["no pair that the run was not trained on"]),
    ],
)
def test_what_cannot_be_started(
    run: Path, tmp_path: Path, content: str, arguments: Sequence[str], words: Sequence[str]
) -> None:
    if content in ("HELD", "OLD"):
        content = "\n".join(held_out(Run(run)) if content == "HELD" else training_pairs(prepared(run)))
    (tmp_path / "more.tsv").write_text(content + "\n", encoding="utf-8")
    overrides = [argument.replace("RUN", str(run)) for argument in arguments]
    names = {argument.partition("=")[0] for argument in overrides}
    usual = [argument for argument in start(run, tmp_path, "new") if argument.partition("=")[0] not in names]
    assert_fails(command("train.py", *usual, *overrides), *words)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("turned", [False, True])
def test_columns_in_one_script_are_told_apart_by_the_vocabularies(run: Path, tmp_path: Path, turned: bool) -> None:
    rows = [("she sees the sea", "elle voit la mer"), ("we know it", "nous savons ça")]
    text = "".join("\t".join(row[::-1] if turned else row) + "\n" for row in rows)
    (tmp_path / "more.tsv").write_text(text, encoding="utf-8")
    old = Run.open(run).config.data
    more = replace(old, path=str(tmp_path / "more.tsv"), format="auto", header=None, columns=None)
    assert with_languages_of(str(run), more).columns == (["fra", "eng"] if turned else ["eng", "fra"])


def test_few_pairs_are_seen_often_and_many_seldom() -> None:
    epochs = [with_end(TrainSettings(), pairs).max_epochs for pairs in (1, 20, 1000, 10_000, 10**6)]
    assert epochs == [40, 40, 10, 5, 5]


def test_an_unfinished_run_cannot_be_started_from(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "old")
    (tmp_path / "old/finished.json").unlink()
    assert_fails(command("train.py", *start(tmp_path / "old", tmp_path, "new")), "is not finished", "resume=", "start=")


def test_resuming_with_other_data_names_start(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "old")
    (tmp_path / "more.tsv").write_text("a\tb\n" * 9, encoding="utf-8")
    done = command("train.py", f"resume={tmp_path / 'old'}", f"data.path={tmp_path / 'more.tsv'}")
    assert_fails(done, "has changed", "start=RUN")


def test_later_translations_replace_earlier_ones(tmp_path: Path) -> None:
    corpora = [["a\t1", "b\t2", "b\t3", "c\t4"], ["b\t5", "b\t3", "d\t6"], ["d\t7", "a\t1", "e\t8"]]
    files = [tmp_path / str(number) for number in range(len(corpora))]
    for file, lines in zip(files, corpora, strict=True):
        file.write_text("".join(f"{line}\n" for line in lines))
    assert merge(files, tmp_path / "merged.tsv") == Merged(old=4, new=2, known=1, replaced=1)
    assert (tmp_path / "merged.tsv").read_text().split("\n")[:-1] == ["a\t1", "b\t3", "c\t4", "b\t5", "d\t7", "e\t8"]
