"""Hydra, kept at the door: resolvers for our configs, plain values out of them, errors in one sentence."""

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, NamedTuple, cast

from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Quote, QuotedString
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from hydra.experimental.callback import Callback
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from nmt.config import ROOT, Config, TrainSettings, load_config
from nmt.data.settings import DataSettings
from nmt.errors import UserError
from nmt.launch import Launch
from nmt.run import OpenRun, Run, plain_yaml
from nmt.typed import nearest

COMPOSITION_ERRORS = (HydraException, OmegaConfBaseException)
# What may be given when a run goes on: how long and how carefully it trains, where it runs, where the data lies now.
PATHS = ("path", "val_path", "test_path", "prepared_dir")
MAY_CHANGE = ("train.", "optimizer.lr=", "device=", "threads=", *(f"data.{name}=" for name in PATHS))
# The place in the epoch counts batches, which these make; and what was best so far was so by its monitor.
MAY_NOT = ("train.batch_size=", "train.batch_unit=", "train.accumulate=", "train.made_up_words=", "train.monitor=")


def register() -> None:
    """Make known to Hydra what configs/ refers to: the defaults of our dataclasses, and paths inside the project.

    `${project:outputs}` is such a path, wherever the command is started.
    """
    OmegaConf.register_new_resolver("project", lambda path: str(ROOT / path), replace=True)
    store = ConfigStore.instance().store
    store("run", defaults(Config))
    store("default", defaults(TrainSettings), group="train")
    # The pieces of a vocabulary come with the size of the corpus (size=30k), which is composed before the corpus.
    corpus = {name: value for name, value in defaults(DataSettings).items() if name != "vocab_size"}
    store("corpus", corpus | {"name": "???", "prepared_dir": "${project:data/prepared}"}, group="data/base")


def defaults(settings: type) -> dict[str, Any]:
    """The settings of a dataclass that have a default, as plain values."""
    return {field.name: field.default for field in fields(settings) if field.default is not MISSING}


def plain(cfg: DictConfig) -> dict[str, Any]:
    """A composed configuration as plain values: interpolations resolved, paths absolute."""
    values = _resolved(cfg)
    if is_sweep():
        values["run_dir"] = HydraConfig.get().runtime.output_dir
    values["run_dir"] = str(Path(str(values["run_dir"])).expanduser().absolute())
    return values


def is_sweep() -> bool:
    """Whether this is one run of several (-m)."""
    return bool(HydraConfig.get().mode == RunMode.MULTIRUN)


class NameComparison(Callback):
    """Names the command that compares the runs, at the end of a sweep."""

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        print(f"Compare the runs: python scripts/compare.py {shlex.quote(config.hydra.sweep.dir)}", file=sys.stderr)


def composed(*overrides: str) -> dict[str, Any]:
    """The plain values that a command with these overrides would have, for scripts and tests that run no command."""
    register()
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        return _resolved(compose("train", overrides=["name=composed", "run_dir=unused", *overrides]))


def _resolved(cfg: DictConfig) -> dict[str, Any]:
    values = cast(dict[str, Any], OmegaConf.to_container(cfg, resolve=True))
    values.pop("resume")
    _make_paths_absolute(values["data"])
    return values


def check_launch(launch: Launch) -> None:
    """Raise a UserError if torchrun was asked for something that cannot work with this command."""
    if launch.size > 1 and is_sweep():
        raise UserError("torchrun trains one model on several processes: leave out -m, or torchrun.")
    named = any(override.startswith(("run_dir=", "resume=")) for override in HydraConfig.get().overrides.task)
    if launch.restarts_allowed and not named:
        raise UserError("torchrun --max-restarts finds the run again by its name: add run_dir=outputs/NAME.")


class Resumed(NamedTuple):
    """A run that goes on: its settings by now, what was ever changed of them, and the run as it was opened."""

    values: dict[str, Any]
    changes: list[str]
    run: OpenRun


def resumed(directory: str | Path | Run, overrides: Sequence[str] | None = None) -> Resumed:
    """Read a run that is to go on, and apply the changes of earlier commands and of this one."""
    run = Run.open(directory)
    if overrides is None:
        overrides = [text for text in HydraConfig.get().overrides.task if not text.startswith("resume=")]
    again = {text.partition("=")[0] for text in overrides}
    changes = [text for text in run.changes if text.partition("=")[0] not in again] + list(overrides)
    for change in changes:
        _check_change(change)
    merged = OmegaConf.merge(OmegaConf.create(run.values), OmegaConf.from_dotlist(changes))
    values = cast(dict[str, Any], OmegaConf.to_container(merged)) | {"run_dir": str(run.directory)}
    _make_paths_absolute(values["data"])
    return Resumed(values, changes, run)


def restarted(values: dict[str, Any]) -> Resumed:
    """The same for a run that goes on by the command that began it: it must be the run of these settings."""
    run = Run.open(values["run_dir"])
    if load_config(values) != run.config:
        raise UserError(f"{run.directory} holds a run with other settings: choose another run_dir.")
    return resumed(run, overrides=[])


def _check_change(change: str) -> None:
    """Raise a UserError unless a run may go on with this change; it may have been recorded by anybody."""
    if not change.startswith(MAY_CHANGE) or change.startswith(MAY_NOT):
        raise UserError(
            f"{change} cannot change in a run that goes on (optimizer.lr, device, threads, data paths and most of "
            "train can): begin a new run, without resume."
        )
    try:
        if "${" in change:
            raise ValueError("it holds ${…}")
        plain_yaml(change.partition("=")[2])
    except (YAMLError, ValueError) as error:
        raise UserError(f"{change[:80]} is no plain value: {error}.") from error


def in_hydra(value: str | Sequence[str]) -> str:
    """A text, or several, as they must be written for Hydra to read them as they are."""
    if not isinstance(value, str):
        return f"[{','.join(map(in_hydra, value))}]"
    is_plain = re.fullmatch(r"[\w./-]+", value, re.ASCII)
    if is_plain and OverridesParser.create().parse_override(f"x={value}").value() == value:  # nan and 1e5 are numbers
        return value
    return QuotedString(value, Quote.double).with_quotes()


def explain(error: Exception) -> str:
    """One sentence for what Hydra and OmegaConf say in several."""
    text = " ".join(str(error).split())
    if isinstance(error, OverrideParseException):
        name, equals, value = error.override.partition("=")
        if equals:
            quoted = shlex.quote(f"{name}={in_hydra(value)}")
            return f"{error.override} cannot be read: quote the value, as in {quoted}."
        path = shlex.quote(f"data.path={in_hydra(name)}")
        return f"{name} is not of the form setting=value: for a file of sentence pairs, write data=anki {path}."
    if isinstance(error, MissingConfigException) and error.options:
        group, _, option = str(error.missing_cfg_file).rpartition("/")
        return f"There is no {group}={option}: {nearest(option, error.options)}"
    if match := re.search(r"Could not override '([^']+)'", text):
        key = match[1]
        if re.search("defaults? list", text):  # a part such as model/score, which some models do not have
            return f"There is no {key} to exchange in what was chosen: leave it out, or choose a model that has it."
        return f"There is no setting {key}: {nearest(key, _known_keys())}"
    return text


def _known_keys() -> list[str]:
    """Every setting, dotted, of the configuration that this command's choices (model=luong) make."""
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


def _make_paths_absolute(data: dict[str, Any]) -> None:
    for name in PATHS:
        value = data.get(name)
        if isinstance(value, list):
            data[name] = [str(Path(str(part)).expanduser().absolute()) for part in value]
        elif value is not None:
            data[name] = str(Path(str(value)).expanduser().absolute())
