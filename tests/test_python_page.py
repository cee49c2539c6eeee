"""The program of docs/python.md runs, from its first block to its last, on a real run."""

import re
from pathlib import Path

import pytest

from tests.commands import Finished, corpus_lines
from tests.conftest import ROOT


def test_the_page_runs(
    finished: Finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs/RUN").symlink_to(finished[0])
    (tmp_path / "pairs.tsv").write_text("\n".join(corpus_lines()) + "\n", encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(encoding="utf-8"), re.S)
    program = "".join(blocks).replace('"experiment=smoke",', '"experiment=smoke", "data.prepared_dir=prepared",')
    names: dict[str, object] = {}
    exec(compile(program, "docs/python.md", "exec"), names)
    assert (tmp_path / "attention.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "outputs/mine/finished.json").is_file()
    assert names["evaluation"].scores["bleu"].signature in capsys.readouterr().out  # type: ignore[attr-defined]
