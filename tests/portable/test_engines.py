"""translate.py in numpy and in PyTorch: the same output, the right choice, and no PyTorch where none is needed."""

import json
import logging
import os
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import nmt
from nmt.commands import engines
from nmt.commands.explore import is_demo
from nmt.commands.translate import parse
from nmt.data.heldout import read_held_out
from nmt.errors import UserError
from nmt.files import sha256
from nmt.portable import file
from nmt.portable.export import write_into_run
from nmt.portable.snapshots import Snapshots
from nmt.run import Run
from nmt.search import Sample
from nmt.translator import Translator
from tests.commands import ABSENT, Finished, assert_fails, command, succeeded, translate
from tests.conftest import ROOT
from tests.portable.models import make_uncapturable

WITHOUT = f"""
import runpy, sys
sys.modules |= dict.fromkeys({ABSENT!r})
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def without_torch(name: str, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in a process where importing PyTorch and other packages fails."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, str(ROOT / name), *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of an earlier version, which has no portable.nmt."""
    folder = tmp_path_factory.mktemp("portable") / "old"
    shutil.copytree(ROOT / "tests/fixtures/run-2/run", folder)
    return folder


@pytest.fixture(scope="module")
def exported(old: Path) -> tuple[Path, Path]:
    """The same run with a portable.nmt, and a file of it in int8, both made by export.py."""
    run, file = old.with_name("run"), old.with_name("eng-fra.nmt")
    shutil.copytree(old, run)
    done = succeeded(command("export.py", "--run", str(run), "--output", str(file)))
    assert done.stdout == f"{file}\n"
    assert "from English to French" in done.stderr
    return run, file


@pytest.fixture(scope="module")
def sentences(old: Path) -> list[str]:
    return [example.source for example in islice(read_held_out(Run(old).test_set), 12)]


@pytest.fixture
def copy(exported: tuple[Path, Path], tmp_path: Path) -> Path:
    shutil.copytree(exported[0], tmp_path / "copy")
    return tmp_path / "copy"


def records(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in succeeded(done).stdout.splitlines()]


def assert_close(one: Any, other: Any) -> None:
    """The same JSON but for the rounding of numbers."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        assert_close([*one.values()], [other[key] for key in one])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_close(*pair)
    else:
        assert one == (pytest.approx(other, abs=1e-4) if isinstance(other, float) else other)


def test_without_pytorch_it_translates_the_same(exported: tuple[Path, Path], sentences: list[str]) -> None:
    run, file = exported
    everything = ["--json", "--alignments", "--nbest", "3", "--", *sentences]
    expected = records(translate(run, "--engine", "torch", *everything))
    assert len({each["text"] for each in expected}) > 3
    assert_close(records(without_torch("translate.py", "--run", str(run), *everything)), expected)
    plain = succeeded(without_torch("translate.py", "--run", str(file), stdin="\n".join(sentences)))
    texts = plain.stdout.splitlines()
    same = sum(text == each["text"] for text, each in zip(texts, expected, strict=True))
    assert same >= len(sentences) - 1  # int8


def test_without_pytorch_it_explains_and_shows_the_card(exported: tuple[Path, Path], sentences: list[str]) -> None:
    run, file = exported
    (sentence,) = sentences[:1]
    done = succeeded(without_torch("translate.py", "--run", str(run), "--explain", sentence))
    assert done.stdout == translate(run, "--engine", "torch", "--explain", sentence).stdout
    card = succeeded(without_torch("export.py", "--card", str(file))).stdout
    assert "Trained on: " in card
    assert "BLEU" in card


def test_without_pytorch_the_rest_is_one_sentence(exported: tuple[Path, Path], old: Path) -> None:
    run, _ = exported
    assert_fails(without_torch("translate.py", "--run", str(old), "a"), "has no portable.nmt", "export.py")
    assert_fails(without_torch("translate.py", "--run", str(run), "--engine", "torch", "a"), "which is not installed")
    assert_fails(without_torch("translate.py", "--run", str(run), "--heatmap", "a.png", "a"), "package matplotlib")


def test_python_loads_an_exported_file(exported: tuple[Path, Path], sentences: list[str]) -> None:
    run, file = exported
    one, two = (nmt.load(path, beam_size=3).nbest(sentences[:2]) for path in (run, str(file)))
    assert [[each.text for each in found] for found in two] == [[each.text for each in found] for found in one]
    with pytest.raises(UserError, match="leave out search="):
        nmt.load(file, search=Sample())


def chosen(run: Path, *arguments: str, lines: int = 1, one_by_one: bool = False) -> tuple[str, int]:
    """The engine that is chosen, and how many lines are there for it."""
    options = parse(["--run", str(run), *arguments])
    loaded, rest = engines.load(options, options.run, iter(["a"] * lines), one_by_one)
    return type(loaded.engine).__name__, len(list(rest))


def test_the_faster_engine_is_chosen(exported: tuple[Path, Path], old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, file = exported
    monkeypatch.setattr(engines, "FEW", 3)
    assert chosen(run, lines=3) == chosen(run, "--device", "cpu", lines=3) == ("PortableTranslator", 3)
    assert chosen(run, lines=4) == ("Translator", 4)
    for settled in ((run, "--engine", "numpy"), (file,)):
        assert chosen(*settled, lines=9) == ("PortableTranslator", 9)
    assert chosen(run, lines=9, one_by_one=True) == ("PortableTranslator", 9)
    for needs in (("--sample",), ("--run", str(run)), ("--engine", "torch")):
        assert chosen(run, *needs)[0] == "Translator"
    assert chosen(old)[0] == "Translator"
    monkeypatch.setattr(engines, "has_torch", lambda: False)
    assert chosen(run, lines=4) == ("PortableTranslator", 4)


def test_what_only_pytorch_can_do_is_said(exported: tuple[Path, Path], old: Path) -> None:
    run, file = exported
    for needs in (("--sample",), ("--device", "cuda"), ("--run", str(run))):
        assert_fails(translate(run, "--engine", "numpy", *needs, "a"), "needs PyTorch: leave out --engine numpy")
        assert_fails(translate(file, *needs, "a"), "needs a run directory, and", "is an exported file")
    assert_fails(translate(file, "--engine", "torch", "a"), "is an exported file")
    assert_fails(translate(old, "--engine", "numpy", "a"), "has no portable.nmt", "export.py --run")
    assert_fails(translate(run, "--nbest", "9", "a"), "--beam 9")
    assert_fails(translate(run, "--temperature", "1", "a"), "Beam has no setting temperature")


def test_a_damaged_model_is_passed_over_for_pytorch(copy: Path) -> None:
    file = copy / "portable.nmt"
    file.write_bytes(file.read_bytes()[:-1])
    assert_fails(translate(copy, "--engine", "numpy", "a"), "portable.nmt is damaged")
    done = succeeded(translate(copy, "I see a cat."))
    assert "portable.nmt is damaged" in done.stderr
    assert "PyTorch is used instead" in done.stderr
    assert done.stdout == translate(copy, "--engine", "torch", "I see a cat.").stdout
    assert "FAILED  portable.nmt" in command("scripts/verify_run.py", str(copy)).stdout
    succeeded(command("export.py", "--run", str(copy), "--output", str(copy / "a.nmt")))
    assert translate(copy, "--engine", "numpy", "I see a cat.").stdout == done.stdout


def test_a_model_of_another_run_is_not_used(copy: Path) -> None:
    sums, report = copy / "SHA256SUMS", copy / "data/report.json"  # another report, with its right checksum
    before = sha256(report)
    report.write_text(report.read_text() + "\n")
    sums.write_text(sums.read_text().replace(before, sha256(report)))
    assert_fails(translate(copy, "--engine", "numpy", "a"), "portable.nmt belongs to another run")
    verified = command("scripts/verify_run.py", str(copy))
    assert verified.returncode == 2
    assert "FAILED  portable.nmt" in verified.stdout


def test_a_sentence_of_a_megabyte_is_cut(exported: tuple[Path, Path]) -> None:
    done = succeeded(translate(exported[1], "--beam", "1", stdin="cat " * 2**18 + "\n"))
    assert "cut to its first 1000 tokens" in done.stderr
    assert len(done.stdout) < 50_000


def test_training_ends_with_a_model_for_numpy(finished: Finished) -> None:
    run, _ = finished
    assert " portable.nmt\n" in (run / "SHA256SUMS").read_text()
    done = succeeded(command("scripts/verify_run.py", str(run)))
    assert f"ok      portable.nmt: {Run(run).best_checkpoint().name}" in done.stdout
    texts = [translate(run, "--engine", engine, "--json", "I see a cat.").stdout for engine in ("numpy", "torch")]
    assert_close(*map(json.loads, texts))


def test_a_file_is_the_demos_if_its_card_says_so(finished: Finished, tmp_path: Path) -> None:
    tensors, record = file.read(finished[0] / "portable.nmt")
    assert record["languages"] == ["eng", "fra"]
    for corpus in ("anki", "demo"):
        card = {"Trained on": record["card"]["Trained on"].replace("“anki”", f"“{corpus}”")}
        file.write(tmp_path / "a.nmt", tensors, record | {"card": card})
        assert is_demo(tmp_path / "a.nmt") == (corpus == "demo")


def test_a_model_that_cannot_be_captured_is_one_warning(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(old, tmp_path / "run")
    run = Run.open(tmp_path / "run")
    translator = Translator.load(run, "cpu")
    make_uncapturable(translator, monkeypatch)
    keep = Snapshots(run, translator, 3)
    with caplog.at_level(logging.WARNING):
        write_into_run(run, translator)
        keep(0)
        keep(5)
    at_the_end, kept = caplog.messages
    assert "it reads values of tensors" in at_the_end
    assert "train.keep has no effect" in kept
    assert not run.portable_file.exists()
    assert not run.snapshots.exists()
    assert_fails(
        command("export.py", "--run", str(run.directory), "--output", str(tmp_path / "a.nmt")), "cannot be exported"
    )
    translator.search = Sample()
    write_into_run(run, translator)  # whose translations differ by design
    assert not run.portable_file.exists()


def test_export_names_its_file_by_the_languages(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sizes = []
    for precision in ("int8", "fp32"):
        assert succeeded(command("export.py", "--run", str(copy), "--precision", precision)).stdout == "eng-fra.nmt\n"
        sizes.append((tmp_path / "eng-fra.nmt").stat().st_size)
    assert sizes[0] < 0.8 * sizes[1]  # much of a tiny one is vocabulary
    assert_fails(command("export.py", "--run", str(copy), "--output", str(tmp_path)), "is a directory: name a file")
    assert command("export.py", "--card", "a.nmt", "--run", "b").returncode == 2
