"""ruff refuses code that could run what a file says."""

import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

DANGERS = [
    *("import pickle", "import pickle as p", "from pickle import loads", "import dill", "import shelve"),
    *("from cloudpickle import dumps", "import marshal\nmarshal.loads(x)", "def f():\n    import joblib"),
    *("import torch\ntorch.load('x')", "import torch as t\nf = t.load", "from torch import load"),
    *("import torch.hub as hub\nhub.load(1)", "import numpy as np\nnp.load('x')", "from numpy import load as l"),
    *("import yaml\nyaml.load(x)", "import yaml\nyaml.load(x, Loader=yaml.FullLoader)"),
    *("import yaml\nyaml.unsafe_load(x)", "from yaml import full_load"),
    "from torch.distributed import broadcast_object_list",
    "import torch\ntorch.distributed.all_gather_object(a, b)",
    *("eval(x)", "exec(x)", "import os\nos.system(x)", "import subprocess\nsubprocess.run(x, shell=True)"),
]


def test_each_danger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nmt").mkdir()
    for number, code in enumerate(DANGERS):
        (tmp_path / f"nmt/{number}.py").write_text(code)
    options = ["--no-cache", "--output-format=concise", "--config", str(ROOT / "pyproject.toml")]
    command = [sys.executable, "-m", "ruff", "check", *options, "nmt"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    refused = set(re.findall(r"^nmt/(\d+)\.py:\S+ (?:S\d{3}|TID251) ", found, re.M))
    assert [code for number, code in enumerate(DANGERS) if str(number) not in refused] == []
