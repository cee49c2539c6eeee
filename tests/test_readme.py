"""What the README and the docs tell a user to type must be possible to type."""

import csv
import re
import shlex
from pathlib import Path

import check_corpus
import compare
import distil
import diversify
import pytest
import tune_search
import verify_run

from nmt.commands import evaluate, explore, export, serve, translate
from nmt.composition import composed
from nmt.config import load_config
from tests.commands import corpus_lines
from tests.conftest import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "data/demo/README.md"]

PARSERS = {
    "translate.py": translate.parse,
    "evaluate.py": evaluate.parse,
    "explore.py": explore.parse,
    "export.py": export.parse,
    "serve.py": serve.parse,
    "scripts/compare.py": compare.parse,
    "scripts/verify_run.py": verify_run.parse,
    "scripts/distil.py": distil.parse,
    "scripts/diversify.py": lambda arguments: load_config(composed(*diversify.parse(arguments).settings)),
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


def test_links_to_code_name_what_is_there() -> None:
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for name, link in re.findall(r"\[`(\w+)`\]\(([^)\s]+\.py)\)", text):
            code = (path.parent / link).read_text(encoding="utf-8")
            assert re.search(rf"^(class|def) {name}\b", code, re.M), f"{path.name}: {name} is not in {link}"


@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if path.parent == ROOT / "docs"], ids=lambda path: path.stem
)
def test_a_page_begins_with_what_a_reader_can_do_after_it(path: Path) -> None:
    first = re.sub(r"\s+", " ", path.read_text(encoding="utf-8").split("\n\n")[1])
    assert first.startswith("After this page you can "), first


def experiments() -> list[dict[str, str]]:
    with (ROOT / "docs/experiments.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_every_row_of_the_experiments_is_whole() -> None:
    for number, row in enumerate(experiments(), 2):
        assert None not in row, f"line {number} has too many cells"
        assert None not in row.values(), f"line {number} has too few cells"
        assert row["topic"], f"line {number} has no topic"
        assert row["tried"], f"line {number} does not say what was tried"
        assert re.fullmatch(r"(\d{4}-\d\d-\d\d)?", row["date"]), f"line {number}: {row['date']}"


@pytest.mark.parametrize("document", ["README.md", "docs/results.md"])
def test_every_score_of_a_results_table_is_in_the_experiments(document: str) -> None:
    known = {(row["test_bleu"], row["test_interval"]) for row in experiments()}
    text = (ROOT / document).read_text(encoding="utf-8")
    found: list[tuple[str, str]] = []
    for line in re.findall(r"^\| (?:.*\d\.\d.*)\|$", text.split("## Ten")[0], re.M):
        found += re.findall(r"(\d+\.\d)\*{0,2} \[(\d+\.\d–\d+\.\d)\]", line)
        found += [(score, "") for score in re.findall(r"\d+\.\d ± \d\.\d", line)]
        published = line.rstrip("|").rpartition("|")[2]
        found += [(score, "") for score in re.findall(r"\b\d+\.\d\b", published)]
    assert len(found) >= 6
    assert set(found) - known == set()


def test_ci_runs_the_readmes_test_command() -> None:
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert (ROOT / ".ci/run").read_text().rstrip().endswith("make test")


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
