"""Paths of every kind that a shell can pass, in overrides and in the commands that are printed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from nmt.commands import train
from nmt.composition import composed, resumed
from nmt.overrides import for_hydra, in_hydra, read_change
from nmt.shell import resume_command, shell_command
from tests.commands import Finished, assert_fails, command, succeeded, train_arguments, translate
from tests.conftest import ROOT

NAMES = [
    *("Données é.tsv", "it's.tsv", "fra-eng (1).txt", "a=b.tsv", "a, b.tsv", "$x", "$(id) `id`", 'say "hi".tsv'),
    *("a${b", "${data.name}", "\\${x}", " blanks ", "\\", "C:\\x\\", "[x].tsv", "[a,b]", "{a: b}", "'x'", "123", "1e5"),
    *("true", "~x.tsv", "a\tb", "a\nb", "a  b", "日本語.tsv", "x\u00a0y", "-x", "#x", "choice(a,b)", "a;b|c&d", "%s"),
]


@pytest.mark.parametrize("name", NAMES)
def test_hydra_gives_a_path_back(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Hydra reads it, as its sweeps write and read it again, and as OmegaConf resolves it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).touch()
    for given, expected in ((f"data.path={name}", name), (f"++data.path=[{in_hydra(name)}]", [name])):
        (override,) = (OverridesParser.create().parse_override(text) for text in for_hydra([given]))
        again = OverridesParser.create().parse_override(f"x={override.get_value_element_as_str()}")
        for each in (override, again):
            assert OmegaConf.to_container(OmegaConf.create({"x": each.value()}), resolve=True) == {"x": expected}
        assert read_change(f"data.path={override.get_value_element_as_str()}") == ("data.path", expected)


def test_a_path_that_is_not_unicode_is_one_sentence() -> None:
    assert_fails(command("train.py", "data.path=Donn\udce9es.tsv"), "is not UTF-8", "rename it")


def test_a_list_of_files_and_a_file_with_brackets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")

    def path(value: str) -> list[str] | str | None:
        return composed("data.columns=[en,de]", f"data.path={value}").data.path

    here = str(tmp_path)
    assert path("[a.en,a.de]") == [f"{here}/a.en", f"{here}/a.de"]
    assert path("[ it's é.en , ~/a=b.de ]") == [f"{here}/it's é.en", "/home/me/a=b.de"]
    assert path("['a, b.en',\"c, ${project:d}.de\"]") == [f"{here}/a, b.en", f"{here}/c, {ROOT}/d.de"]  # Hydra's quotes
    assert path("'a b'") == f"{here}/a b"
    assert path("~/x.tsv") == "/home/me/x.tsv"
    (tmp_path / "[a.en,a.de]").touch()
    assert path("[a.en,a.de]") == f"{here}/[a.en,a.de]"


@pytest.mark.slow
def test_a_sweep_keeps_its_commas_beside_odd_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hydra hands each run its overrides as text, which is read a second time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    seen = []
    monkeypatch.setattr(train, "work", lambda cfg: seen.append((str(cfg.data.path), cfg.seed, cfg.train.log_every)))
    (tmp_path / "a, b ${c").touch()
    place = f"hydra.sweep.dir={tmp_path}/sweeps (é) it's"
    succeeded(command("train.py", "-m", "seed=1,2", "data.path=a, b ${c", place))
    paths = "data.path=it's.tsv,new (1),[a.en,ä.de]"
    done = succeeded(command("train.py", "-m", "experiment=plain,smoke", paths, place))
    expected = ["it's.tsv", "new (1)", "['a.en', 'ä.de']"]
    assert seen[:2] == [("a, b ${c", 1, 50), ("a, b ${c", 2, 50)]
    assert seen[2:] == [(path, 1, log_every) for log_every in (50, 5) for path in expected]
    assert last_command(done.stderr, "Compare the runs: ")[-1] == place.partition("=")[2]


def test_an_odd_place_from_beginning_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prepare, train, resume with another path, translate: the settings on disk are read again each time."""
    folder = tmp_path / "it's ${data.name} é, [1]  \\${x"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    quick = ("train.max_steps=1", "train.validate_every=1", "model=seq2seq")
    done = succeeded(command("train.py", *train_arguments(folder, *quick)))
    moved = folder / "(moved) ${b" / "fra-eng.txt"
    moved.parent.mkdir()
    (folder / "fra-eng.txt").rename(moved)
    advised = last_command(done.stderr, "go on with: ")
    succeeded(
        command("train.py", *advised[2:], f"data.path={moved}", "data.prepared_dir=~/prepared ${y", "train.max_steps=2")
    )
    config = resumed(folder / "run", overrides=[]).config
    assert config.data.path == str(moved)
    assert config.data.prepared_dir == str(Path("~/prepared ${y").expanduser())
    assert config.train.max_steps == 2
    program, *arguments = last_command(done.stderr, "Translate with: ")[1:]
    assert len(succeeded(command(program, *arguments)).stdout.splitlines()) == 1


def words(text: str) -> list[str]:
    """The words that bash makes of a command."""
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {text}"], capture_output=True, check=True)
    return done.stdout.decode().split("\0")[:-1]


def last_command(output: str, introduction: str) -> list[str]:
    (line,) = (line for line in output.splitlines() if introduction in line)
    return words(line.partition(introduction)[2])


@pytest.mark.parametrize("activated", [False, True])
def test_bash_reads_printed_commands(activated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (programs := tmp_path / "bin").mkdir()
    (programs / "bash").symlink_to(str(shutil.which("bash")))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{programs}" if activated else str(programs))
    python = "python" if activated else sys.executable
    expected = [python, str(ROOT / "train.py"), *NAMES, str(tmp_path / "-x")]
    assert words(" ".join(shell_command("train.py", *NAMES, Path("-x")).split())) == expected
    missing = tmp_path / "it's $HOME é [1] ${x}"
    done = subprocess.run(["bash", "-c", resume_command(missing)], capture_output=True, text=True, check=False)
    assert_fails(done, f"{missing} does not exist")  # the interpreter and the program were found


def test_commands_in_messages_work(finished: Finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    run = tmp_path / "it's $HOME\t é"
    shutil.copytree(finished[0], run)
    shutil.rmtree(run / "eval")
    evaluate = advised(command("scripts/verify_run.py", str(run)))
    assert advised(command("scripts/compare.py", str(run), "--output", str(tmp_path))) == evaluate
    assert evaluate == ["evaluate.py", "--run", str(run)]
    (run / "finished.json").unlink()
    resume = ["train.py", f"resume={run}"]
    assert advised(translate(run, "hi")) == resume
    assert advised(command("train.py", f"run_dir={run}", *train_arguments(tmp_path)[:-1])) == resume


def advised(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The words of the command in a message, after the interpreter."""
    assert done.returncode == 2
    (text,) = re.findall("`(.*?)`", done.stdout + done.stderr)
    return words(text)[1:]


def test_a_directory_that_hydra_cannot_work_in_is_named_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "a${b"
    place.mkdir()
    monkeypatch.chdir(place)
    assert_fails(command("train.py"), f"Hydra cannot work in {place}")
