"""Paths of every kind that a shell can pass, in overrides and in the commands that are printed."""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from nmt.commands import train
from nmt.composition import composed, resumed
from nmt.overrides import PATHS, for_hydra
from nmt.shell import resume_command, shell_command
from tests.commands import (
    Finished,
    assert_fails,
    command,
    corpus_lines,
    succeeded,
    train_arguments,
    translate,
)
from tests.conftest import ROOT, assert_refused

NAMES = [
    *("Données é.tsv", "it's.tsv", "fra-eng (1).txt", "a=b.tsv", "a, b.tsv", "$x", "$(id) `id`", 'say "hi".tsv'),
    *("a${b", "${data.name}", "\\${x}", " blanks ", "\\", "C:\\x\\", "[x].tsv", "[a,b]", "{a: b}", "'x'", "123", "1e5"),
    *("true", "~x.tsv", "a\tb", "a\nb", "a  b", "日本語.tsv", "x\u00a0y", "-x", "#x", "choice(a,b)", "a;b|c&d", "%s"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_path_is_read_literally(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).touch()
    singles = ("data.path", "data.prepared_dir", "run_dir")
    values = composed(*(f"{key}={name}" for key in singles), "data.columns=[a,b]", "data.val_path=null")
    found = (values["data"]["path"], values["data"]["prepared_dir"], str(Path(values["run_dir"]).absolute()))
    assert found == (str(tmp_path / name),) * 3
    assert values["data"]["val_path"] is None


def test_every_path_setting_is_known_by_its_type() -> None:
    assert PATHS == {
        "data.path": True,
        "data.val_path": True,
        "data.test_path": True,
        "data.prepared_dir": False,
        "run_dir": False,
        "resume": False,
    }


def test_a_list_of_files_and_a_file_with_brackets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")

    def path(value: str) -> list[str] | str:
        found: list[str] | str = composed("data.columns=[en,de]", f"data.path={value}")["data"]["path"]
        return found

    here = str(tmp_path)
    assert path("[a.en,a.de]") == [f"{here}/a.en", f"{here}/a.de"]
    assert path("[ it's é.en , ~/a=b.de ]") == [f"{here}/it's é.en", "/home/me/a=b.de"]
    assert path("['a, b.en',\"c, ${project:d}.de\"]") == [f"{here}/a, b.en", f"{here}/c, {ROOT}/d.de"]  # Hydra's quotes
    assert path("'a b'") == f"{here}/a b"
    assert path("~/x.tsv") == "/home/me/x.tsv"
    (tmp_path / "[a.en,a.de]").touch()
    assert path("[a.en,a.de]") == f"{here}/[a.en,a.de]"


def test_a_sweep_with_odd_paths_keeps_its_commas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hydra hands each run its overrides as text, which is read a second time."""
    monkeypatch.chdir(tmp_path)
    seen = []
    monkeypatch.setattr(train, "work", lambda cfg: seen.append((cfg.data.path, cfg.seed, cfg.model._target_)))
    names = ["a, b ${c", "it's.tsv", "new (1)"]
    for name in names[:2]:
        (tmp_path / name).touch()
    for value in (names[0], f"{names[1]},{names[2]}", "[a.en,ä.de],[~/b.en,b.de]", "choice(x,y)"):
        place = f"hydra.sweep.dir={tmp_path}/sweeps (é) it's"
        succeeded(command("train.py", "-m", "seed=1,2", "experiment=null,smoke", f"data.path={value}", place))
    assert [entry[:2] for entry in seen[:4]] == [(names[0], 1), (names[0], 1), (names[0], 2), (names[0], 2)]
    assert {entry[0] for entry in seen[4:12]} == {"it's.tsv", "new (1)"}
    assert [list(entry[0]) for entry in seen[12:16:2]] == [["a.en", "ä.de"], ["~/b.en", "b.de"]][:1] * 2
    assert {entry[0] for entry in seen[20:]} == {"x", "y"}
