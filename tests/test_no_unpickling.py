"""ruff refuses code that could run what a file says."""

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize(
    "code",
    [
        *("import pickle", "import pickle as p", "from pickle import loads", "import dill", "import shelve"),
        *("from cloudpickle import dumps", "import marshal\nmarshal.loads(x)", "def f():\n    import joblib"),
        *("import torch\ntorch.load('x')", "import torch as t\nf = t.load", "from torch import load"),
        *("import torch.hub as hub\nhub.load(1)", "import numpy as np\nnp.load('x')", "from numpy import load as l"),
        *("import yaml\nyaml.load(x)", "import yaml\nyaml.load(x, Loader=yaml.FullLoader)"),
        *("import yaml\nyaml.unsafe_load(x)", "from yaml import full_load"),
        "from torch.distributed import broadcast_object_list",
        "import torch\ntorch.distributed.all_gather_object(a, b)",
        *("eval(x)", "exec(x)", "import os\nos.system(x)", "import subprocess\nsubprocess.run(x, shell=True)"),
    ],
)
def test_each_danger_is_refused(code: str) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--stdin-filename", "nmt/x.py", "-"]
    found = subprocess.run(command, cwd=ROOT, input=code, capture_output=True, text=True, check=False)
    assert re.search(r"\b(S\d{3}|TID251) ", found.stdout), found.stdout + found.stderr
