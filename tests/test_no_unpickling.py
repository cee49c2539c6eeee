"""No code of ours can run what a file says: it is read from the syntax tree, so no spelling hides it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

SOURCES = sorted([*ROOT.glob("*.py"), *(ROOT / "nmt").rglob("*.py"), *(ROOT / "scripts").rglob("*.py")])

MODULES = {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib", "code", "runpy"}
LOADERS = {"torch.load", "torch.hub.load", "torch.jit.load", "torch.package", "numpy.load", "pandas.read_pickle"}
YAML_UNSAFE = {"unsafe_load", "unsafe_load_all", "full_load", "full_load_all"}
YAML_SAFE = {"SafeLoader", "CSafeLoader"}
BUILTINS = {"eval", "exec", "__import__"}
METHODS = {"__reduce__", "__reduce_ex__", "__setstate__"}


def dangers(code: str) -> list[str]:
    """What in a program could turn data into running code, with line numbers."""
    tree = ast.parse(code)
    names = {}  # what a name of this file stands for: {"np": "numpy", "load": "torch.load"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {(name.asname or name.name.split(".")[0]): (name.name if name.asname else name.name.split(".")[0])
                      for name in node.names}  # fmt: skip
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {(name.asname or name.name): f"{node.module}.{name.name}" for name in node.names}
    return [f"line {node.lineno}: {problem}" for node in ast.walk(tree) for problem in problems(node, names)]  # type: ignore[attr-defined]


def problems(node: ast.AST, names: dict[str, str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names if name.name.split(".")[0] in MODULES)
    elif isinstance(node, ast.ImportFrom):
        found = [f"{node.module}.{name.name}" for name in node.names]
        yield from (name for name in found if name.split(".")[0] in MODULES or is_danger(name))
    elif isinstance(node, ast.Attribute):
        name = dotted(node, names)
        if name and is_danger(name):
            yield name
    elif isinstance(node, ast.Name) and node.id in BUILTINS:
        yield node.id
    elif isinstance(node, ast.FunctionDef) and node.name in METHODS:
        yield node.name
    elif isinstance(node, ast.Constant) and node.value in MODULES - {"code"}:
        yield f"the name {node.value!r}, which importlib may be given"
    elif isinstance(node, ast.keyword) and node.arg in ("allow_pickle", "weights_only"):
        yield node.arg
    elif isinstance(node, ast.Call) and dotted(node.func, names) in ("yaml.load", "yaml.load_all"):
        loaders = [keyword.value for keyword in node.keywords if keyword.arg == "Loader"] + node.args[1:]
        if not loaders or not all(is_safe_loader(loader, names) for loader in loaders):
            yield "yaml.load without a safe loader"


def is_danger(name: str) -> bool:
    module, _, last = name.rpartition(".")
    return (
        name in LOADERS
        or (module == "yaml" and last in YAML_UNSAFE)
        or (module.startswith("torch.distributed") and (last.endswith("_object") or "_object_" in last))
    )


def is_safe_loader(loader: ast.expr, names: dict[str, str]) -> bool:
    """yaml.SafeLoader, or a local variable, which is taken to be what `SAFE_CHOICE` below is."""
    name = dotted(loader, names)
    return name in {f"yaml.{safe}" for safe in YAML_SAFE} or (isinstance(loader, ast.Name) and loader.id == "loader")


def dotted(node: ast.expr, names: dict[str, str]) -> str | None:
    """torch.load, whatever torch is called here."""
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value, names)
        return f"{inner}.{node.attr}" if inner else None
    return names.get(node.id) if isinstance(node, ast.Name) else None


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_can_unpickle(path: Path) -> None:
    assert dangers(path.read_text(encoding="utf-8")) == []


# The fast loader where there is one: the one variable that may be handed to yaml.load.
SAFE_CHOICE = 'getattr(yaml, "CSafeLoader", yaml.SafeLoader)'


def test_a_loader_in_a_variable_is_a_safe_one() -> None:
    found = 0
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == ["loader"]:
                found += 1
                assert ast.unparse(node.value) == SAFE_CHOICE.replace('"', "'"), path
    assert found


@pytest.mark.parametrize(
    "code",
    [
        *("import pickle", "import pickle as p", "from pickle import loads", "import _pickle", "import dill, os"),
        *("from cloudpickle import *", "import marshal", "import shelve", "def f():\n    import joblib"),
        *("import torch\ntorch.load('x')", "import torch as t\nf = t.load", "from torch import load"),
        *("import torch.hub\ntorch.hub.load(1)", "import torch.hub as hub\nhub.load(1)"),
        *("import numpy as np\nnp.load('x')", "import numpy\nnumpy.load('x')", "from numpy import load as l"),
        *("np.fromfile(x, allow_pickle=True)", "importlib.import_module('pickle')", "__import__('os')"),
        *("import yaml\nyaml.load(x)", "import yaml\nyaml.load(x, yaml.Loader)"),
        "import yaml\nyaml.load(x, Loader=yaml.FullLoader)",
        *("import yaml\nyaml.unsafe_load(x)", "from yaml import full_load", "import yaml as y\ny.load_all(x)"),
        "from torch.distributed import broadcast_object_list",
        "import torch\ntorch.distributed.all_gather_object(a, b)",
        *("import torch.distributed as dist\ndist.scatter_object_list(a)", "eval('1')", "exec(x)", "f = eval"),
        *("class A:\n    def __reduce__(self): ...", "class A:\n    def __setstate__(self, s): ..."),
    ],
)  # fmt: skip
def test_each_danger_is_seen(code: str) -> None:
    assert dangers(code)


@pytest.mark.parametrize(
    "code",
    [
        "model.eval()",
        "import json\njson.load(f)",
        "import yaml\nyaml.safe_load(x)\nyaml.load(x, Loader=yaml.CSafeLoader)",
        "import torch\ntorch.compile(model)\nloaded = model.load_state_dict(x)",
        "# pickle, torch.load\n'nothing is ever unpickled'",
    ],
)
def test_what_is_harmless_passes(code: str) -> None:
    assert dangers(code) == []
