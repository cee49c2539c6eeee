"""Composition of settings by Hydra: plain values from configs/ and overrides, and errors in one sentence."""

import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, asdict, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from hydra.experimental.callback import Callback
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from nmt import autosize
from nmt.config import ROOT, Config, TrainSettings, load_config
from nmt.data.settings import DataSettings
from nmt.errors import UserError
from nmt.launch import Launch
from nmt.overrides import PATHS, apply_change, for_hydra, in_hydra
from nmt.own_corpus import name_of, with_own_corpus
from nmt.run import OpenRun, Run
from nmt.shell import shell_command
from nmt.starting import started_from
from nmt.typed import nearest

# Settings that may change when a run is resumed.
DATA_PATHS = [name for name in PATHS if name.startswith("data.")]
MAY_CHANGE = ("train.", "optimizer.lr=", "device=", "threads=", *(f"{name}=" for name in DATA_PATHS))
# These do not: they define the batches that the position in the epoch counts, and what "best" means.
BATCHES = ("batch_size", "batch_unit", "accumulate", "made_up_words", "replay")
MAY_NOT = tuple(f"train.{name}=" for name in (*BATCHES, "monitor"))


def register() -> None:
    """Register what configs/ refers to: the defaults of our dataclasses, and `${project:PATH}` for our own paths."""
    for place in (str(ROOT), os.getcwd()):
        if "${" in place:  # Hydra keeps both in its own configuration, where that would be an interpolation
            raise UserError(f"Hydra cannot work in {place}: rename the directory, so that its path is without ${{.")
    autosize.register()
    OmegaConf.register_new_resolver("project", lambda path: str(ROOT / path), replace=True)
    OmegaConf.register_new_resolver("file_name", name_of, replace=True)
    store = ConfigStore.instance().store
    store("run", defaults(Config))
    store("default", defaults(TrainSettings), group="train")
    # vocab_size comes from the group `size`, which is composed before the corpus.
    corpus = {name: value for name, value in defaults(DataSettings).items() if name != "vocab_size"}
    store("corpus", corpus | {"name": "???", "prepared_dir": "${project:data/prepared}"}, group="data/base")


def defaults(settings: type) -> dict[str, Any]:
    """The settings of a dataclass that have a default, as plain values."""
    return {field.name: field.default for field in fields(settings) if field.default is not MISSING}


def settings(cfg: DictConfig) -> Config:
    """The settings of a new run: interpolations resolved, paths absolute."""
    return replace(_resolved(cfg), run_dir=run_dir(cfg))


def run_dir(cfg: DictConfig) -> str:
    """The directory of a new run."""
    return absolute(HydraConfig.get().runtime.output_dir if is_sweep() else cfg.run_dir)


def origin(cfg: DictConfig) -> dict[str, Any]:
    """How a new run is begun, for its record: by which overrides, and with what size=auto has chosen."""
    overrides = [text for text in task_overrides() if not text.startswith(("run_dir=", "hydra."))]
    size = autosize.sentence(cfg) if cfg.start is None else None
    return {"overrides": overrides} | ({"size": size} if size else {})


def is_sweep() -> bool:
    """Whether this is one run of several (-m)."""
    return bool(HydraConfig.get().mode == RunMode.MULTIRUN)


class NameComparison(Callback):
    """Prints the command that compares the runs, at the end of a sweep."""

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        sweep = Path(config.hydra.sweep.dir)
        print(f"Compare the runs: {shell_command('scripts/compare.py', sweep)}", file=sys.stderr)


def composed(*overrides: str) -> Config:
    """The settings for these overrides, for scripts and tests that run no command."""
    register()
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        own = for_hydra(with_own_corpus(overrides))
        return _resolved(compose("train", overrides=["name=composed", "run_dir=unused", *own]))


def _resolved(cfg: DictConfig) -> Config:
    values = cast(dict[str, Any], OmegaConf.to_container(cfg, resolve=True))
    values.pop("resume")
    return _with_absolute_paths(load_config(values))


def check_launch(launch: Launch) -> None:
    """Raise a UserError if torchrun's options do not fit this command."""
    if launch.size > 1 and is_sweep():
        raise UserError("torchrun trains one model on several processes: leave out -m, or torchrun.")
    named = any(override.startswith(("run_dir=", "resume=")) for override in task_overrides())
    if launch.restarts_allowed and not named:
        raise UserError("torchrun --max-restarts finds the run again by its name: add run_dir=outputs/NAME.")


def task_overrides() -> list[str]:
    """The overrides of this run as they were given: what Hydra would resolve in them stays text."""
    return cast(list[str], OmegaConf.to_container(HydraConfig.get().overrides.task, resolve=False))


class Chosen(NamedTuple):
    """The settings of a run; of a resumed one also all overrides since it began, and the run itself."""

    config: Config
    changes: list[str] | None = None
    run: OpenRun | None = None


def resumed(directory: str | Path | Run, overrides: Sequence[str] | None = None) -> Chosen:
    """Read a run and apply the overrides of earlier resume commands and of this one."""
    run = Run.open(directory)
    if overrides is None:
        overrides = [text for text in task_overrides() if not text.startswith("resume=")]
    again = {text.partition("=")[0] for text in overrides}
    changes = [text for text in run.changes if text.partition("=")[0] not in again] + list(overrides)
    values = asdict(run.config) | {"run_dir": str(run.directory)}
    for change in changes:
        if not change.startswith(MAY_CHANGE) or change.startswith(MAY_NOT):
            others = "optimizer.lr, device, threads, data paths and most of train can"
            advice = "begin a new run, without resume"
            raise UserError(f"{change} cannot change in a run that goes on ({others}): {advice}.")
        apply_change(change, values)
    if values["data"]["kept"]:
        values["data"]["kept"] = str(run.directory)  # it has copies of what was kept
    return Chosen(_with_absolute_paths(load_config(values)), changes, run)


def started(cfg: DictConfig) -> Config:
    """The settings of a run that starts from the finished run `cfg.start`."""
    if cfg.resume is not None:
        raise UserError("start=… begins a new run and resume=… goes on with an interrupted one: give one of the two.")
    parent = resumed(absolute(cfg.start), overrides=[])
    assert parent.run is not None
    overrides = [text for text in task_overrides() if not text.startswith(("start=", "run_dir="))]
    config = _with_absolute_paths(started_from(parent.run, parent.config, overrides))
    cfg.data.name, cfg.name, cfg.seed = config.data.name, config.name, config.seed  # run_dir mentions them
    return replace(config, run_dir=run_dir(cfg))


def restarted(config: Config) -> Chosen:
    """Resume a run by the command that began it; a UserError unless it has these settings."""
    run = Run.open(config.run_dir)
    if not config.train.has_end():  # the number of new pairs has set it
        config = replace(config, train=replace(config.train, max_epochs=run.config.train.max_epochs))
    if config != run.config:
        raise UserError(f"{run.directory} holds a run with other settings: choose another run_dir.")
    return resumed(run, overrides=[])


@contextmanager
def explained() -> Iterator[None]:
    """Turn errors of Hydra and OmegaConf into a UserError of one sentence."""
    try:
        yield
    except (HydraException, OmegaConfBaseException) as error:
        raise UserError(explain(error)) from error
    except ValueError as error:
        if not str(error).startswith("Config group override"):
            raise
        raise UserError("A group such as model cannot be null: name one of its options, or leave it out.") from error


def explain(error: Exception) -> str:
    """The error of Hydra or OmegaConf in one sentence."""
    text = " ".join(str(error).split())
    if isinstance(error, OverrideParseException):
        name, equals, value = error.override.partition("=")
        if equals:
            quoted = shlex.quote(f"{name}={in_hydra(value)}")
            return f"{error.override} cannot be read: quote the value, as in {quoted}."
        path = shlex.quote(f"data.path={name}")
        return f"{name} is not of the form setting=value: for a file of sentence pairs, write {path}."
    if isinstance(error, MissingConfigException) and error.options:
        group, _, option = str(error.missing_cfg_file).rpartition("/")
        return f"There is no {group}={option}: {nearest(option, error.options)}"
    if match := re.search(r"Could not override '([^']+)'", text):
        key = match[1]
        if re.search("defaults? list", text):  # a part such as model/score, which some models do not have
            return f"There is no {key} to exchange in what was chosen: leave it out, or choose a model that has it."
        group, last = key.split(".")[0], key.split(".")[-1]
        if (ROOT / "configs" / group / last).is_dir():
            choice = f"{group}/{last}=… (or for this part alone, +{group}/{last}@{key}=…)"
            return f"There is no setting {key}: choose a {last} with {choice}."
        return f"There is no setting {key}: {nearest(key, _known_keys())}"
    return text


def _known_keys() -> list[str]:
    """Every setting, dotted, of the configuration that this command's groups (model=luong) compose."""
    choices = [argument for argument in sys.argv[1:] if "=" in argument]
    groups = [each for each in choices if (ROOT / "configs" / each.partition("=")[0].partition("@")[0]).is_dir()]
    first = [group.partition(",")[0] for group in groups]  # of the choices of a sweep
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        return list(_dotted(compose("train", overrides=first)))


def _dotted(cfg: DictConfig, prefix: str = "") -> Iterator[str]:
    for name in map(str, cfg):
        yield prefix + name
        node = cfg._get_node(name)  # as it is written: interpolations are not resolved here
        if isinstance(node, DictConfig):
            yield from _dotted(node, f"{prefix}{name}.")


def _with_absolute_paths(config: Config) -> Config:
    paths = {name: getattr(config.data, name) for name in (path.removeprefix("data.") for path in DATA_PATHS)}
    for name, value in paths.items():
        if value is not None:
            paths[name] = [absolute(part) for part in value] if isinstance(value, list) else absolute(value)
    return replace(config, data=replace(config.data, **paths))


def absolute(path: Any) -> str:
    """An absolute path, with ~ and ~user expanded."""
    return str(Path(os.path.expanduser(str(path))).absolute())
