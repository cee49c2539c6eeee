"""A run directory is damaged in thousands of ways, and nothing that was altered is ever used in silence.

Every corruption is put before the real readers: translate.py's (`Translator.load`), train.py resume's
(`composition.resumed`, `Checkpoints.load_last`), compare.py's (`load_members`) and verify_run.py's. Each either refuses
with a UserError, or says in a notice that it falls back, or has not read what was damaged; and whatever it gives is
compared with the truth. Left out is what nothing reads (train.log, heatmaps, TensorBoard's events, whose own checksums
verify_run.py compares), and what cannot be told from a run that never had it: without alignment.json, or without the
checkpoint before the last.
"""

import errno
import json
import logging
import pickle
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from comparison.runs import Member, load_members

from nmt import composition, pipeline
from nmt.errors import UserError
from nmt.evaluation.score_report import read_evaluation
from nmt.files import sha256, write_json, write_sums
from nmt.run import RECORDED, Run
from nmt.training.checkpoint import MODEL, TENSORS
from nmt.translator import Translator
from tests.commands import assert_fails, command, succeeded
from tests.conftest import assert_refused
from tests.damage import READERS, Injector, Truth, caught, copied, look, resume, translate, truth, verify

__all__ = ["caught", "truth"]  # pytest finds the fixtures here


@pytest.mark.parametrize("count", [30, pytest.param(2500, marks=pytest.mark.slow)])
def test_every_corruption_is_found(truth: Truth, tmp_path: Path, count: int, caught: logging.Handler) -> None:
    injector, outcomes, thorough = Injector(truth, seed=count), Counter[str](), count > 30
    for number in range(count):
        run = copied(truth, tmp_path / "copy")
        how = injector.damage(run)
        seen = [look(reader, run, truth, caught) for reader in READERS]
        outcomes.update(f"{reader.__name__} {outcome}" for reader, outcome in zip(READERS, seen, strict=True))
        # Who verifies finds all of it, but for a run that lost its finished.json and so passes for unfinished. In a
        # hurry, only what no other reader has met is verified.
        if how != "remove finished.json" and (thorough or set(seen) == {"as it was"}):
            seen.append(look(verify, run, truth, caught))
            assert seen[-1] == "refused", f"corruption {number}, {how}: {seen}"
        assert set(seen) != {"as it was"}, f"corruption {number}, {how}"
    print(f"\n{count:,} corruptions, {count:,} detected; {dict(sorted(outcomes.items()))}")


def test_an_intact_run_raises_no_alarm(truth: Truth, tmp_path: Path, caught: logging.Handler) -> None:
    run = copied(truth, tmp_path / "copy")
    for reader in (*READERS, verify):
        assert look(reader, run, truth, caught) == "as it was"


HOSTILE = {  # what would hang, crash the parser or run code, with the right checksum
    "aliases": ("a: &a [x]\nb: [*a, *a]\n", "alias"),
    "depth": ("a: " + "[" * 100_000, "nested too deeply"),
    "python": ("a: !!python/object/apply:os.system [touch hacked]\n", "could not determine a constructor"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_configuration_is_one_sentence(
    truth: Truth, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = copied(truth, tmp_path / "copy")
    text, words = HOSTILE[kind]
    (run / "config.yaml").write_text(text, encoding="utf-8")
    make_consistent(run)
    with pytest.raises(UserError) as error:
        Run.open(run)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "hacked").exists()


@pytest.mark.parametrize("name", ["checkpoints", "eval", "train.log", "tensorboard", "eval/scores.json", "new"])
def test_nothing_is_written_through_a_link(truth: Truth, tmp_path: Path, name: str) -> None:
    run, elsewhere = copied(truth, tmp_path / "copy"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("mine")
    shutil.rmtree(run / name, ignore_errors=True)
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(elsewhere / "mine" if "." in name else elsewhere)
    for read in (Translator.load, lambda run: composition.resumed(run.directory)):
        assert_refused("symbolic link", read, Run(run))
    if name == "eval":
        assert_fails(command("evaluate.py", "--run", str(run)), "symbolic link")
        assert_fails(command("train.py", f"resume={run}"), "symbolic link")
    assert [path.name for path in elsewhere.iterdir()] == ["mine"]
    assert (elsewhere / "mine").read_text() == "mine"


class Pickled:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return open, ("hacked", "w")


@pytest.mark.parametrize("name", ["tokenizers/source.model", "config.yaml", MODEL, TENSORS])
def test_a_pickle_in_a_run_is_not_run(
    truth: Truth, tmp_path: Path, name: str, caught: logging.Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = copied(truth, tmp_path / "copy")
    for file in run.glob(f"checkpoints/*/{name}") if name in (MODEL, TENSORS) else [run / name]:
        file.write_bytes(pickle.dumps(Pickled()))
    make_consistent(run)
    assert look(resume if name == TENSORS else translate, run, truth, caught) == "refused"
    assert not (tmp_path / "hacked").exists()


def test_a_file_that_may_not_be_read_is_not_called_damaged(
    truth: Truth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, opened = copied(truth, tmp_path / "copy"), Path.open
    checkpoint = f"checkpoints/{truth.best}"
    for name in ("SHA256SUMS", "changes.json", "config.yaml", "finished.json", f"{checkpoint}/SHA256SUMS",
                 f"{checkpoint}/training.json", f"{checkpoint}/{MODEL}"):  # fmt: skip

        def denied(path: Path, *arguments: Any, forbidden: Path = run / name, **options: Any) -> Any:
            if path == forbidden:
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return opened(path, *arguments, **options)

        monkeypatch.setattr(Path, "open", denied)
        done = command("translate.py", "--run", str(run), "--engine", "torch", "hi")
        assert_fails(done, f"{run / name}", "Permission denied")
        assert not re.search("damaged|intact|restore|train again", done.stderr), done.stderr


@pytest.mark.parametrize(
    "error",
    [
        OSError("Cannot allocate memory (os error 12)"),
        MemoryError(),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes.\nMore lines"),
        torch.OutOfMemoryError("CUDA out of memory."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_checkpoint_for_which_there_is_no_memory_is_not_called_damaged(
    truth: Truth, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def no_memory(file: Path, **_: Any) -> None:
        raise error

    monkeypatch.setattr("nmt.training.checkpoint.load_file", no_memory)
    done = command("translate.py", "--run", str(truth.run), "--engine", "torch", "hi")
    assert_fails(done, truth.best, MODEL, "cannot be loaded here", "memory")
    assert len(done.stderr.splitlines()) == 1  # no other checkpoint is tried


def test_resuming_finds_a_new_best_when_the_best_is_damaged(truth: Truth, tmp_path: Path) -> None:
    run = copied(truth, tmp_path / "copy")
    (run / "checkpoints" / truth.best / MODEL).unlink()
    done = succeeded(command("evaluate.py", "--run", str(run)))
    assert "The best checkpoint is lost: using" in done.stderr
    assert read_evaluation(run / "eval")[0]["evaluated"]["checkpoint"] == "step-00000012"
    assert_refused(r"model\.safetensors is missing", load_members_of, Run(run))
    (run / "eval/alignment.json").unlink()  # of the checkpoint that is lost
    pipeline.resume(*composition.resumed(run))
    assert Run(run).best_checkpoint().name == "step-00000012"
    assert load_members_of(Run(run))


def load_members_of(run: Run) -> list[Member]:
    return load_members([run])


def make_consistent(run: Path) -> None:
    """Make checksums and the identity in the checkpoints fit altered files, as a forger would."""
    names = sorted((*RECORDED, "changes.json", "finished.json"))
    (run / "SHA256SUMS").write_text("".join(f"{sha256(run / name)}  {name}\n" for name in names))
    for numbers in run.glob("checkpoints/*/training.json"):
        write_json(numbers, json.loads(numbers.read_text()) | {"run": Run(run).read_identity()})
        write_sums(numbers.parent)
