"""What is recorded of a run beside its settings: data, versions and machine, and its columns in TensorBoard."""

import dataclasses
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import torch

from nmt.config import ROOT, Config
from nmt.data.prepare import PreparedCorpus
from nmt.ranks import Ranks


def provenance(corpus: PreparedCorpus, config: Config, device: torch.device, ranks: Ranks) -> dict[str, Any]:
    """The data, versions and machine of a run."""
    packages = ("torch", "numpy", "sentencepiece", "sacrebleu", "hydra-core", "safetensors")
    return {
        "data_key": corpus.report.key,
        "split_hash": corpus.report.split_hash,
        "device": str(device),
        "processes": ranks.size,
        "gpu": torch.cuda.get_device_name(device) if device.type == "cuda" else None,
        "threads": config.threads or torch.get_num_threads(),
        "platform": f"{platform.system()} {platform.machine()}",
        "git": _git_revision(),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in packages}},
    }


def _git_revision() -> str | None:
    try:
        command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40"]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=True)
        return done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def hyperparameters(config: Config) -> dict[str, Any]:
    """Columns of TensorBoard's HParams tab: names first, then every simple setting, dotted."""
    parts = {name: getattr(config, name) for name in ("model", "optimizer", "scheduler", "decode")}
    parts["train"] = dataclasses.asdict(config.train)
    return {"name": config.name, "corpus": config.data.name, "seed": config.seed, **_dotted(parts)}


def _dotted(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= _dotted(value, f"{prefix}{name}.")
        elif isinstance(value, (int, float, str)):
            flat[f"{prefix}{name}"] = value
    return flat
