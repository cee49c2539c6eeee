"""train.py: what it leaves behind, how it goes on, how it fails."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from nmt.composition import composed, resumed
from nmt.errors import UserError
from nmt.files import new_directory
from nmt.run import PREPARED, Run
from tests.commands import Finished, assert_fails, command, process, succeeded, train_arguments, translate
from tests.conftest import ROOT


def test_training_leaves_a_whole_run(finished: Finished) -> None:
    run, done = finished
    for name in (
        *("config.yaml", "SHA256SUMS", "finished.json", "train.log", "checkpoints/step-00000020/model.safetensors"),
        *("tokenizers/source.model", "data/test.tsv", "data/report.json", "eval/scores.json", "eval/translations.tsv"),
        *("eval/heatmaps/01.png", "eval/heatmaps/01.svg", "eval/report.html", "word_counts.tsv"),
    ):
        assert (run / name).stat().st_size > 0, name
    assert "BLEU" in done.stdout
    assert "step 20" not in done.stdout  # progress is for stderr
    assert all(words in done.stderr for words in ("tokens/s", "left", "leak        none"))
    scores = json.loads((run / "eval/scores.json").read_text())
    assert "version:" in scores["bleu"]["signature"]
    assert not list(run.rglob(".*"))
    modes = {path.stat().st_mode for path in run.rglob("*") if path.is_file()}
    assert modes == {(run / "train.log").stat().st_mode}  # others may read all of it, or nothing, by the umask


def test_tensorboard_has_everything(finished: Finished) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(finished[0] / "tensorboard"))
    events.Reload()
    tags = events.Tags()
    train = ("loss", "perplexity", "accuracy", "learning_rate", "gradient_norm", "tokens_per_second")
    validation = ("loss", "perplexity", "bleu", "chrf", "attention_entropy", "attention_on_last")
    wanted = {f"train/{name}" for name in train} | {f"validation/{name}" for name in validation}
    assert wanted | {"test/bleu", "test/chrf"} <= set(tags["scalars"])
    assert {"attention/1", "attention/2", "attention/3"} <= set(tags["images"])
    assert "samples/text_summary" in tags["tensors"]
    assert [event.step for event in events.Scalars("validation/bleu")] == [10, 20]
    plugins = events.summary_metadata
    assert any("hparams" in metadata.plugin_data.plugin_name for metadata in plugins.values())


@pytest.mark.slow
def test_a_run_whose_terminal_closes_goes_on_to_the_same_bytes(finished: Finished, tmp_path: Path) -> None:
    """Writing to the terminal fails, then SIGHUP comes: the run is saved, and its log says how to go on."""
    arguments = [sys.executable, "train.py", *train_arguments(tmp_path, "train.save_every=1")]
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
    controller, terminal = os.openpty()
    process = subprocess.Popen(
        arguments, cwd=ROOT, stdout=terminal, stderr=terminal, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    signal.signal(signal.SIGHUP, before)
    os.close(terminal)
    assert b"fra-eng.txt: tsv" in os.read(controller, 1000)
    os.close(controller)  # not the terminal that controls the process, so no signal comes by itself
    deadline = time.time() + 120
    while not list(tmp_path.glob("run/checkpoints/step-*")) and time.time() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGSTOP)
    being_trained = f"{tmp_path / 'run'} is being trained by process {process.pid}: "
    assert_fails(command("train.py", f"resume={tmp_path / 'run'}"), being_trained)
    assert_fails(translate(tmp_path / "run", "hi"), being_trained)
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGCONT)
    assert process.wait(timeout=120) == 129
    *_, reason, resume = (tmp_path / "run/train.log").read_text(encoding="utf-8").splitlines()
    assert "SIGHUP: stopped and saved. Go on with" in reason
    resume = resume.strip()
    assert not (tmp_path / "run/finished.json").exists()
    assert_fails(translate(tmp_path / "run", "hi"), "not finished", resume.split()[-1])
    succeeded(command(*resume.split()[1:]))
    for name in ("model.safetensors", "training.safetensors"):
        interrupted, whole = (r / "checkpoints/step-00000020" / name for r in (tmp_path / "run", finished[0]))
        assert interrupted.read_bytes() == whole.read_bytes()


def test_a_resumed_run_may_train_longer(finished: Finished, tmp_path: Path) -> None:
    run = tmp_path / "copy"
    shutil.copytree(finished[0], run)
    succeeded(command("train.py", f"resume={run}", "train.max_steps=22"))
    assert json.loads((run / "finished.json").read_text())["steps"] == 22
    assert resumed(run, overrides=[]).config.train.max_steps == 22  # from memory
    of_batches = ("train.batch_size=3", "train.accumulate=2", "train.made_up_words=0.1")
    for change in ("model.decoder.hidden_size=64", "seed=3", *of_batches, "train.monitor=loss"):
        assert_fails(command("train.py", f"resume={run}", change), "cannot change")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["my family (2).csv"], ["is not of the form setting=value", "'data.path=my family (2).csv'"]),
        (["data.path=my family (2).csv"], ["my family (2).csv does not exist"]),
        (["sede=3"], ["There is no setting sede: did you mean 'seed'"]),
        (["model=bahdnau"], ["no model=bahdnau", "did you mean 'bahdanau'"]),
        (["train.max_epoch=3"], ["train.max_epoch", "did you mean 'train.max_epochs'"]),
        (["-m", "model=luong,bahdanau", "train.max_stepz=3"], ["did you mean 'train.max_steps'"]),
        (["+train.max_stepz=3"], ["train.max_stepz", "did you mean 'max_steps'"]),
        (["optimizer.lr=abc"], ["optimizer.lr must be a number"]),
        (["model.cell=lstm"], ["model.cell must be a part", "choose one with model/cell=…"]),
        (["model.encoder.cell=lstm"], ["choose a cell with model/cell=…", "+model/cell@model.encoder.cell=…"]),
        (["model/cell=gruu"], ["no model/cell=gruu", "did you mean 'gru'"]),
        (["data=anki"], [" scripts/download.py fra"]),
        (["data=anki", "data.path=nowhere/mar-eng.zip"], ["nowhere/mar-eng.zip", "download.py mar"]),
        (["data.path=nowhere.tsv"], ["nowhere.tsv does not exist"]),
        (["resume=nowhere"], ["nowhere does not exist"]),
        (["device=cpu:7"], ["device=cpu:7 is not available"]),
        (["seed=99999999999999999999"], ["seed must be between"]),
        (["train.clip_norm=inf"], ["train.clip_norm must be a finite number"]),
        (["decode.max_length_ratio=inf"], ["decode.max_length_ratio must be a finite number"]),
        (["optimizer.betas=[0.9,nan]"], ["optimizer.betas[1] must be a finite number"]),
        (["model=null"], ["group such as model cannot be null"]),
        (["-m", "model/cell=gru,null"], ["group such as model cannot be null"]),
        (["model.tie=all"], ["data.joint_vocab=true"]),
        (["model=luong", "model/score=dot", "model.decoder.hidden_size=100"], ["model.decoder.hidden_size=256"]),
        (["model=luong", "model.decoder.input_feedin=false"], ["did you mean 'model.decoder.input_feeding'"]),
        (["optimizer.lr=-1"], ["optimizer", "learning rate"]),
        (["model.embedding_dropout=1.5"], ["model", "dropout"]),
        (["model=seq2seq", "model/score=dot"], ["no model/score to exchange"]),
        (["model/score@model.encoder.score=general"], ["no model/score@model.encoder.score to exchange"]),
    ],
    ids=lambda x: " ".join(x),
)
def test_mistakes_in_settings(arguments: Sequence[str], words: Sequence[str], tmp_path: Path) -> None:
    done = command("train.py", *arguments, f"run_dir={tmp_path / 'run'}", f"data.prepared_dir={tmp_path / 'prepared'}")
    assert_fails(done, *words)
    assert not list(tmp_path.iterdir())


def sweep_arguments(folder: Path, *more: str) -> list[str]:
    places = ["-m", f"hydra.sweep.dir={folder / 'sweep'}", "train.max_steps=2"]
    return [*places, *more, *(a for a in train_arguments(folder) if not a.startswith("run_dir"))]


@pytest.mark.slow
def test_a_sweep_side_by_side(tmp_path: Path) -> None:
    """Two processes begin at once, on a corpus that one of them prepares."""
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher")
    done = succeeded(process("train.py", *sweep_arguments(tmp_path, "launch=joblib", "seed=1,2")))
    names = sorted(path.parent.name for path in (tmp_path / "sweep").glob("*/finished.json"))
    assert names == ["0_anki_bahdanau_seed1", "1_anki_bahdanau_seed2"]
    assert len(list((tmp_path / "prepared").glob("*/report.json"))) == 1
    assert done.stdout.count("test.tsv") == 2


def test_a_sweep_goes_on_after_a_run_that_failed(tmp_path: Path) -> None:
    done = command("train.py", *sweep_arguments(tmp_path, "seed=-1,2", "model=seq2seq"))
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "error: seed must be at least 0; it is -1." in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: Not every run of the sweep could be trained")
    assert (tmp_path / "sweep/1_anki_seq2seq_seed2/finished.json").exists()


def test_a_bad_corpus_leaves_nothing(tmp_path: Path) -> None:
    """How files can be bad, tests/data/test_bitext.py has in full."""
    path = tmp_path / "latin1.txt"
    path.write_bytes("a\tb\ncaf\xe9\tx\n".encode("latin-1"))
    places = [f"data.prepared_dir={tmp_path / 'prepared'}", f"run_dir={tmp_path / 'run'}"]
    done = command("train.py", "data=anki", "data.columns=[eng,fra]", f"data.path={path}", *places)
    assert_fails(done, "latin1.txt:2", "UTF-8")
    assert [each for each in tmp_path.rglob("*") if each.is_file() and each.suffix != ".lock"] == [path]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["run", "run/mine.txt"])
def test_a_run_never_begins_where_something_is(name: str, tmp_path: Path) -> None:
    arguments = train_arguments(tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    assert_fails(command("train.py", *arguments), "not an empty directory")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "fra-eng.txt", tmp_path / name]


def test_of_two_that_begin_a_run_at_once_one_is_refused(tmp_path: Path) -> None:
    prepared, run = tmp_path / "prepared", Run(tmp_path / "run")
    prepared.mkdir()
    for name in PREPARED:
        (prepared / name).write_text(name)
    with pytest.raises(UserError, match="not an empty directory"), new_directory(run.directory, "refuse") as mine:
        run.create(composed(), {}, prepared)
        (mine / "config.yaml").write_text("mine")
    run.check()


def test_help_shows_examples() -> None:
    for name in ("train.py", "translate.py", "evaluate.py"):
        done = command(name, "--help")
        assert done.returncode == 0
        assert f"python {name}" in done.stdout
