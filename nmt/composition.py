"""Hydra, kept at the door: resolvers for our configs, plain values out of them, errors in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException, MissingConfigException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from nmt.config import ROOT
from nmt.errors import UserError
from nmt.run import Run
from nmt.typed import nearest

COMPOSITION_ERRORS = (HydraException, OmegaConfBaseException)
MAY_CHANGE = ("train.", "device=", "threads=")  # settings that can be given when a run is resumed


def register_resolvers() -> None:
    """`${project:outputs}` is a path inside the project, wherever the command is started."""
    OmegaConf.register_new_resolver("project", lambda path: str(ROOT / path), replace=True)


def plain(cfg: DictConfig) -> dict[str, Any]:
    """A composed configuration as plain values: interpolations resolved, paths absolute."""
    values = cast(dict[str, Any], OmegaConf.to_container(cfg, resolve=True))
    values.pop("resume")
    hydra = HydraConfig.get()
    if hydra.mode == RunMode.MULTIRUN:
        values["run_dir"] = hydra.runtime.output_dir
    values["run_dir"] = str(Path(str(values["run_dir"])).expanduser().absolute())
    data = values["data"]
    for name in ("path", "val_path", "test_path", "prepared_dir"):
        if name in data:
            data[name] = _absolute(data[name])
    return values


def resumed(directory: Path) -> dict[str, Any]:
    """The settings of a run, with the overrides of this command where a run that goes on may change."""
    run = Run(directory)
    run.check()
    values, _ = run.read_config()
    overrides = [o for o in HydraConfig.get().overrides.task if not o.startswith("resume=")]
    for override in overrides:
        if not override.startswith(MAY_CHANGE):
            raise UserError(
                f"{override} cannot change in a run that goes on: only train.*, device and threads can, "
                "or begin a new run without resume."
            )
    changed = OmegaConf.merge(OmegaConf.create(values), OmegaConf.from_dotlist(overrides))
    return cast(dict[str, Any], OmegaConf.to_container(changed)) | {"run_dir": str(directory)}


def explain(error: Exception) -> str:
    """One sentence for what Hydra and OmegaConf say in several."""
    text = " ".join(str(error).split())
    if isinstance(error, MissingConfigException) and error.options:
        group, _, option = str(error.missing_cfg_file).rpartition("/")
        return f"There is no {group}={option}: {nearest(option, error.options)}"
    if match := re.search(r"Could not override '([^']+)'", text):
        key = match[1]
        return f"There is no setting {key}: {nearest(key, _known_keys())}"
    return text


def _known_keys() -> list[str]:
    """Every setting of the default configuration, dotted."""
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        cfg = compose("train", return_hydra_config=False)
    return list(_dotted(cfg))


def _dotted(cfg: DictConfig, prefix: str = "") -> Iterator[str]:
    for name in map(str, cfg):
        yield prefix + name
        node = cfg._get_node(name)  # as it is written: interpolations are not resolved here
        if isinstance(node, DictConfig):
            yield from _dotted(node, f"{prefix}{name}.")


def _absolute(path: str | list[str] | None) -> str | list[str] | None:
    if isinstance(path, list):
        return [str(Path(part).expanduser().absolute()) for part in path]
    return None if path is None else str(Path(path).expanduser().absolute())
