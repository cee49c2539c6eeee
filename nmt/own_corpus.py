"""The corpus of a command that names a file and no corpus: data=own, rather than the demo with its own settings."""

import re
from collections.abc import Sequence
from pathlib import Path

from nmt.config import ROOT

OWN = "own"  # configs/data/own.yaml


def with_own_corpus(overrides: Sequence[str]) -> list[str]:
    """Add data=own to overrides that set data.path, unless they, or their experiment, choose a corpus or a run."""
    given = dict(override.lstrip("+").partition("=")[::2] for override in overrides)
    if "data.path" not in given or given.keys() & {"data", "resume", "start"}:
        return list(overrides)
    for name in given.get("experiment", "").split(","):
        file = ROOT / "configs/experiment" / f"{name}.yaml"
        if file.is_file() and re.search(r"override /data\b", file.read_text(encoding="utf-8")):
            return list(overrides)
    return [*overrides, f"data={OWN}"]


def name_of(path: object) -> str:
    """A name for a corpus from its file: mine for data/mine.csv.gz."""
    first = path[0] if isinstance(path, Sequence) and not isinstance(path, str) and path else path
    stem = Path(str(first or OWN)).name.split(".")[0]
    return re.sub(r"[^A-Za-z0-9]+", "_", stem).strip("_")[:40] or OWN
