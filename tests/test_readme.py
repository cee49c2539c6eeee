"""What the README and the docs tell a user to type must be possible to type."""

import re
import shlex
from pathlib import Path

import bench
import check_corpus
import compare
import distil
import diversify
import download
import pytest
import tune_search
import verify_run

from nmt.commands import evaluate, explore, export, serve, translate
from nmt.composition import composed
from tests.commands import corpus_lines
from tests.conftest import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "data/demo/README.md"]

PARSERS = {
    "translate.py": translate.parse,
    "evaluate.py": evaluate.parse,
    "explore.py": explore.parse,
    "export.py": export.parse,
    "serve.py": serve.parse,
    "scripts/bench.py": bench.parse,
    "scripts/compare.py": compare.parse,
    "scripts/download.py": download.parse,
    "scripts/verify_run.py": verify_run.parse,
    "scripts/distil.py": distil.parse,
    "scripts/diversify.py": lambda arguments: composed(*diversify.parse(arguments).settings),
    "scripts/check_corpus.py": lambda arguments: composed(*check_corpus.parse(arguments).settings),
    "scripts/tune_search.py": tune_search.parse,
}


def commands() -> list[str]:
    """Commands in code blocks and between backticks, without comments, pipes and redirections."""
    found = set()
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        spans = re.findall(r"`([^`\n]+)`", text)
        blocks = [line for block in re.findall(r"```(?:sh|bash)\n(.*?)```", text, re.S) for line in block.splitlines()]
        indented = re.findall(r"^ {4}(\S.*)", text, re.M)
        for line in [*spans, *blocks, *indented]:
            for part in re.split(r"[|]", line.split("#")[0].split(">")[0]):
                words = part.strip()
                if re.match(r"(python \S+\.py|make [a-z]|tensorboard )", words):
                    found.add(words)
    return sorted(found)


@pytest.mark.parametrize("line", commands())
def test_command_is_valid(line: str) -> None:
    program, *words = shlex.split(line)
    if program == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
        assert words[0] in targets
    elif program == "python":
        script, *arguments = words
        assert (ROOT / script).is_file()
        if script == "train.py" and not any(a.startswith(("resume=", "-")) for a in arguments):
            composed(*arguments)
        elif script in PARSERS:
            PARSERS[script](arguments)


def test_links_lead_somewhere() -> None:
    for path in DOCUMENTS:
        for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
            name, _, anchor = link.partition("#")
            if link.startswith("http"):
                continue
            there = path.parent / name if name else path
            assert there.exists(), f"{path.name}: {link}"
            if anchor:
                headings = re.findall(r"^#+ (.+)", there.read_text(encoding="utf-8"), re.M)
                anchors = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
                assert anchor in anchors, f"{path.name}: {link}"


def test_links_to_code_name_what_is_there() -> None:
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for name, link in re.findall(r"\[`(\w+)`\]\(([^)\s]+\.py)\)", text):
            code = (path.parent / link).read_text(encoding="utf-8")
            assert re.search(rf"^(class|def) {name}\b", code, re.M), f"{path.name}: {name} is not in {link}"


def test_the_program_of_the_python_page_runs(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs/RUN").symlink_to(run)
    (tmp_path / "pairs.tsv").write_text("\n".join(corpus_lines()) + "\n", encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(encoding="utf-8"), re.S)
    program = "".join(blocks).replace('"experiment=smoke",', '"experiment=smoke", "data.prepared_dir=prepared",')
    names: dict[str, object] = {}
    exec(compile(program, "docs/python.md", "exec"), names)
    assert (tmp_path / "attention.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "outputs/mine/finished.json").is_file()
    assert names["evaluation"].scores["bleu"].signature in capsys.readouterr().out  # type: ignore[attr-defined]
