"""Which module may import which: the directions that docs/architecture.md draws."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

# Of nmt/portable: they may know PyTorch.
CAPTURING = ("builder", "capture", "card", "export", "lowering", "shapes", "snapshots")
# What translate.py runs without PyTorch.
ENGINE = [
    *("nmt/translation.py", "nmt/search_settings.py", "nmt/unlike_training.py", "nmt/commands/translate.py"),
    *(f"nmt/serving/{path.name}" for path in (ROOT / "nmt/serving").glob("*.py") if path.stem != "models"),
    *(f"nmt/portable/{path.name}" for path in (ROOT / "nmt/portable").glob("*.py") if path.stem not in CAPTURING),
]
HEAVY = ["torch", "nmt.model", "nmt.training", "nmt.search", "nmt.translator", "nmt.pipeline", "hydra", "yaml", "rich"]
FORBIDDEN = {
    **dict.fromkeys(ENGINE, HEAVY),
    "nmt/data": ["nmt.model", "nmt.training", "nmt.evaluation", "nmt.translator", "nmt.pipeline", "nmt.search"],
    "nmt/model": ["nmt.data", "nmt.training", "nmt.evaluation", "nmt.translator", "nmt.pipeline", "nmt.search"],
    "nmt/training": ["nmt.data", "nmt.model", "nmt.evaluation", "nmt.translator", "nmt.pipeline", "nmt.search"],
    "nmt/search": ["nmt.model", "nmt.data", "nmt.training", "nmt.evaluation", "nmt.translator"],
    "nmt/translator.py": ["nmt.evaluation", "nmt.pipeline", "hydra", "omegaconf", "matplotlib", "sacrebleu", "rich"],
    "nmt/checking": ["torch", "nmt.model", "nmt.training", "nmt.evaluation", "nmt.translator", "nmt.pipeline", "hydra"],
    "nmt/config.py": ["torch", "hydra", "omegaconf"],
}
HYDRA_ALLOWED = {"nmt/autosize.py", "nmt/commands/train.py", "nmt/composition.py", "nmt/overrides.py"}
SOURCES = sorted([*ROOT.glob("*.py"), *(ROOT / "nmt").rglob("*.py"), *(ROOT / "scripts").rglob("*.py")])


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


@pytest.mark.parametrize("place", FORBIDDEN)
def test_one_direction(place: str) -> None:
    root = ROOT / place
    files = [root] if root.suffix else sorted(root.rglob("*.py"))
    assert files
    for path in files:
        for name in imports(path):
            for forbidden in FORBIDDEN[place]:
                assert not (name + ".").startswith(forbidden + "."), f"{path.relative_to(ROOT)} imports {name}"


def test_hydra_stays_at_the_door() -> None:
    users = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        if any(name.split(".")[0] in ("hydra", "omegaconf") for name in imports(path))
    }
    assert users == HYDRA_ALLOWED


NOT_FOR_NUMPY = "torch hydra omegaconf matplotlib sacrebleu rich tensorboard pandas scipy yaml safetensors"
CAPTURE = "from tests.conftest import tiny_model; from nmt.portable.export import graphs; "
CAPTURE += "graphs(tiny_model('model=bahdanau').eval())"  # at the end of every training, where a compiler takes seconds


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import nmt", "torch numpy sentencepiece yaml"),
        ("import nmt.data.tokenizer", "torch numpy omegaconf"),
        ("import train, nmt.config", "torch"),
        ("import translate, nmt.commands.engines, nmt.portable.translator, nmt.evaluation.explain", NOT_FOR_NUMPY),
        ("import serve, nmt.serving.server", NOT_FOR_NUMPY),
        (
            "import nmt.evaluation.heatmap, nmt.evaluation.scores, nmt.evaluation.score_report",
            "torch hydra matplotlib.pyplot",
        ),
        (CAPTURE, "torch._dynamo"),
        ("import nmt.translator, translate", "hydra omegaconf matplotlib sacrebleu rich tensorboard pandas scipy"),
        pytest.param("import nmt.pipeline", "matplotlib", marks=pytest.mark.slow),  # needed from the first validation
    ],
)
def test_what_is_not_used_is_not_loaded(code: str, unwanted: str) -> None:
    listing = f"import sys; {code}; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not set(out.stdout.split()) & set(unwanted.split())
