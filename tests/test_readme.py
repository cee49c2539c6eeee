"""What the README and the docs tell a user to type must be possible to type."""

from __future__ import annotations

import re
import shlex

import compare
import distil
import diversify
import pytest
import tune_search
import verify_run

import evaluate
import translate
from nmt.composition import composed
from nmt.config import load_config
from tests.conftest import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "data/demo/README.md"]

PARSERS = {
    "translate.py": translate.parse,
    "evaluate.py": evaluate.parse,
    "scripts/compare.py": compare.parse,
    "scripts/verify_run.py": verify_run.parse,
    "scripts/distil.py": distil.parse,
    "scripts/diversify.py": lambda arguments: load_config(composed(*diversify.parse(arguments).settings)),
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
            load_config(composed(*arguments))
        elif script in PARSERS:
            PARSERS[script](arguments)


def test_the_readme_is_not_forgotten() -> None:
    assert any(line.startswith("make train") for line in commands())
    assert any("train.py model=" in line for line in commands())


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


def test_ci_runs_the_readmes_test_command() -> None:
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert (ROOT / ".ci/run").read_text().rstrip().endswith("make test")
