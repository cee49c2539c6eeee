"""A run that was altered is never used in silence: each reader names the file, and refuses it or falls back."""

import errno
import json
import pickle
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from comparison.runs import load_members
from safetensors.torch import load_file

from nmt import composition, pipeline
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.evaluation.score_report import read_evaluation
from nmt.files import SUMS, sha256, write_json, write_listed, write_sums
from nmt.run import RECORDED, Run
from nmt.training.checkpoint import MODEL, NUMBERS, TENSORS, Checkpoints
from nmt.translator import Translator, build_model
from tests.commands import assert_fails, command, succeeded, train_arguments
from tests.conftest import ROOT, assert_refused
from tests.damage import DAMAGES, damaged

ORIGINAL = ROOT / "tests/fixtures/run-2/run"
BEST, LAST = "checkpoints/step-00000300", "checkpoints/step-00000400"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return shutil.copytree(ORIGINAL, tmp_path / "run")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A run that differs in its seed."""
    other = shutil.copytree(ORIGINAL, tmp_path / "other")
    settings = (other / "config.yaml").read_text(encoding="utf-8")
    (other / "config.yaml").write_text(re.sub("^seed: .*", "seed: 7", settings, flags=re.M), encoding="utf-8")
    make_consistent(other)
    return other


def make_consistent(run: Path) -> None:
    """Make checksums and the identity in the checkpoints fit altered files, as a forger would."""
    names = sorted((*RECORDED, "changes.json", "finished.json"))
    (run / SUMS).write_text("".join(f"{sha256(run / name)}  {name}\n" for name in names))
    for numbers in run.glob(f"checkpoints/*/{NUMBERS}"):
        write_json(numbers, json.loads(numbers.read_text()) | {"run": Run(run).read_identity()})
        write_sums(numbers.parent)


def assert_weights(model: torch.nn.Module, checkpoint: str | None) -> None:
    """Whatever is used is as it was written."""
    expected = load_file(ORIGINAL / f"checkpoints/{checkpoint}" / MODEL)
    assert all(torch.equal(tensor, expected[name]) for name, tensor in model.named_parameters())


def translate(run: Path) -> None:
    translator = Translator.load(run, "cpu")
    assert_weights(translator.model, translator.checkpoint)


def resume(run: Path) -> None:
    opened = composition.resumed(run, [])[2]
    model = build_model(opened.config, *(len(Tokenizer.load(run / f"tokenizers/{side}.model")) for side in SIDES))
    snapshot = Checkpoints(opened.checkpoints, opened.identity).load_last(model)
    assert_weights(model, f"step-{snapshot.state.step:08d}")


def compare(run: Path) -> None:
    load_members([Run(run)])


SIDES = ("source", "target")
SETTINGS = (*RECORDED, "changes.json", SUMS)
EVALUATION = tuple(f"eval/{name}" for name in ("scores.json", "translations.tsv", "alignment.json", SUMS))
IN_BEST, IN_LAST = ([f"{folder}/{name}" for name in (MODEL, TENSORS, NUMBERS, SUMS)] for folder in (BEST, LAST))
READ: dict[Callable[[Path], None], tuple[str, ...]] = {
    translate: (*SETTINGS, "finished.json", *IN_BEST),
    resume: (*SETTINGS, *IN_BEST, *IN_LAST),
    compare: (*SETTINGS, "finished.json", *IN_BEST, *EVALUATION),
}


def noticed(reader: Callable[[Path], None], run: Path, caplog: pytest.LogCaptureFixture) -> str:
    """What a reader says of a run: in notices, and in the sentence with which it refuses."""
    caplog.clear()
    said = []
    try:
        reader(run)
    except UserError as error:
        said = [str(error)]
    said += [record.getMessage() for record in caplog.records]
    assert not any("\n" in sentence for sentence in said)
    return " ".join(said)


@pytest.mark.parametrize("reader", READ)
def test_every_damage_of_a_file_is_noticed(
    run: Path, other: Path, reader: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    assert noticed(reader, run, caplog) == ""
    random = Random(1)
    for name in READ[reader]:
        file = run / name
        foreign = [other / each for each in READ[reader] if (other / each).read_bytes() != file.read_bytes()]
        for kind in DAMAGES:
            if (name, kind) == ("eval/alignment.json", "removed"):
                continue  # a run without it is in order
            with damaged(file, kind, random, random.choice(foreign)):
                said = noticed(reader, run, caplog)
            assert str(run) in said, (name, kind)
            assert file.name in said or file.name == SUMS or kind == "removed", (name, kind, said)


def swap(run: Path, other: Path) -> None:
    (run / BEST).rename(run / "aside")
    (run / LAST).rename(run / BEST)
    (run / "aside").rename(run / LAST)


def take_from_another(run: Path, other: Path) -> None:
    shutil.copytree(other / "checkpoints", run / "checkpoints", dirs_exist_ok=True)


def link(run: Path, other: Path) -> None:
    (run / BEST).rename(run.parent / "elsewhere")
    (run / BEST).symlink_to(run.parent / "elsewhere")


@pytest.mark.parametrize("reader", READ)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (swap, "was renamed"),
        (take_from_another, "belongs to another run"),
        (link, "symbolic link"),
        (lambda run, other: shutil.rmtree(run / BEST), "missing"),
        (lambda run, other: (run / BEST).rename(run / "checkpoints/step-00000500"), "renamed|missing"),
        (lambda run, other: (run / BEST / ".x").touch(), r"\.x is not listed"),
    ],
)
def test_every_damage_of_the_checkpoints_is_noticed(
    run: Path,
    other: Path,
    reader: Callable[[Path], None],
    change: Callable[[Path, Path], object],
    words: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    change(run, other)
    assert re.search(words, noticed(reader, run, caplog))


@pytest.mark.parametrize("reader", [translate, resume])
def test_a_run_without_any_intact_checkpoint_is_refused(run: Path, reader: Callable[[Path], None]) -> None:
    for file in run.glob(f"checkpoints/*/{MODEL}"):
        file.unlink()
    assert_refused("no intact checkpoint", reader, run)


@pytest.mark.parametrize(
    "line",
    [
        *("translate.py --run RUN --engine torch hi", "evaluate.py --run RUN", "train.py resume=RUN"),
        *("export.py --run RUN", "explore.py --run RUN", "scripts/compare.py RUN"),
    ],
)
def test_a_damaged_file_is_one_sentence_with_its_name(run: Path, line: str) -> None:
    words = [word.replace("RUN", str(run)) for word in line.split()]
    write_listed(run / "changes.json", b"{")  # with the right checksum
    assert_fails(command(*words), "changes.json holds no record")
    with (run / "config.yaml").open("a") as file:
        file.write("# mine\n")
    assert_fails(command(*words), "config.yaml is damaged")


@pytest.mark.parametrize("name", ["checkpoints", "eval", "train.log", "tensorboard", "eval/scores.json", "new"])
def test_nothing_is_written_through_a_link(run: Path, tmp_path: Path, name: str) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (elsewhere / "mine").write_text("mine")
    shutil.rmtree(run / name, ignore_errors=True)
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(elsewhere / "mine" if "." in name else elsewhere)
    assert_fails(command("evaluate.py", "--run", str(run)), "symbolic link")
    assert_fails(command("train.py", f"resume={run}"), "symbolic link")
    assert [path.name for path in elsewhere.iterdir()] == ["mine"]
    assert (elsewhere / "mine").read_text() == "mine"


class Pickled:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return open, ("hacked", "w")


PICKLE = pickle.dumps(Pickled())


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("config.yaml", b"a: &a [x]\nb: [*a, *a]\n", "an alias"),
        ("config.yaml", b"a: " + b"[" * 100_000, "nested too deeply"),
        ("config.yaml", b"a: !!python/object/apply:os.system [touch hacked]\n", "could not determine a constructor"),
        ("config.yaml", PICKLE, "cannot be read"),
        ("tokenizers/source.model", PICKLE, "source.model"),
        (MODEL, PICKLE, "not a safetensors file"),
        (TENSORS, PICKLE, "not a safetensors file"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_would_hang_or_run_code_is_refused_whatever_its_checksum(
    run: Path, name: str, content: bytes, words: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(run.parent)
    for file in run.glob(f"checkpoints/*/{name}" if name in (MODEL, TENSORS) else name):
        file.write_bytes(content)
    make_consistent(run)
    assert words in noticed(resume, run, caplog)
    assert not Path("hacked").exists()


@pytest.mark.parametrize("name", READ[translate])
def test_a_file_that_may_not_be_read_is_not_called_damaged(
    run: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def denied(path: Path, *arguments: Any, **options: Any) -> Any:
        if path == run / name:
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
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_checkpoint_for_which_there_is_no_memory_is_not_called_damaged(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def no_memory(file: Path, **_: Any) -> None:
        raise error

    monkeypatch.setattr("nmt.training.checkpoint.load_file", no_memory)
    done = command("translate.py", "--run", str(ORIGINAL), "--engine", "torch", "hi")
    assert_fails(done, BEST, MODEL, "cannot be loaded here", "memory")
    assert len(done.stderr.splitlines()) == 1  # no other checkpoint is tried


def test_resuming_finds_a_new_best_when_the_best_is_damaged(tmp_path: Path) -> None:
    # No attention, no pictures: quick. Learning so little, it ties in BLEU, and the first validation stays the best.
    quick = ("model=seq2seq", "optimizer.lr=0.00001", "train.max_steps=4", "train.validate_every=2")
    pipeline.train(composition.composed(*train_arguments(tmp_path, *quick)))
    run = Run(tmp_path / "run")
    (run.best_checkpoint() / MODEL).unlink()
    done = succeeded(command("evaluate.py", "--run", str(run.directory)))
    assert "The best checkpoint is lost: using" in done.stderr
    assert read_evaluation(run.evaluation)[0]["evaluated"]["checkpoint"] == "step-00000004"
    assert_refused(r"model\.safetensors is missing", load_members, [run])
    pipeline.resume(*composition.resumed(run, []))
    assert run.best_checkpoint().name == "step-00000004"
    assert load_members([run])
