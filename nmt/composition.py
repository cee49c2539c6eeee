"""Composition of settings by Hydra: plain values from configs/ and overrides, and errors in one sentence."""

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
from nmt.own_corpus import name_of, with_own_corpus
from nmt.run import OpenRun, Run, plain_yaml
from nmt.typed import nearest

COMPOSITION_ERRORS = (HydraException, OmegaConfBaseException)
# Settings that may change when a run is resumed.
PATHS = ("path", "val_path", "test_path", "prepared_dir")
MAY_CHANGE = ("train.", "optimizer.lr=", "device=", "threads=", *(f"data.{name}=" for name in PATHS))
# These do not: they define the batches that the position in the epoch counts, and what "best" means.
MAY_NOT = ("train.batch_size=", "train.batch_unit=", "train.accumulate=", "train.made_up_words=", "train.monitor=")


def register() -> None:
    """Register what configs/ refers to: the defaults of our dataclasses, and `${project:PATH}` for our own paths."""
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


def plain(cfg: DictConfig) -> dict[str, Any]:
    """A composed configuration as plain values: interpolations resolved, paths absolute."""
    values = _resolved(cfg)
    if is_sweep():
        values["run_dir"] = HydraConfig.get().runtime.output_dir
    values["run_dir"] = _absolute(values["run_dir"])
    return values


def is_sweep() -> bool:
    """Whether this is one run of several (-m)."""
    return bool(HydraConfig.get().mode == RunMode.MULTIRUN)


class NameComparison(Callback):
    """Prints the command that compares the runs, at the end of a sweep."""

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        print(f"Compare the runs: python scripts/compare.py {shlex.quote(config.hydra.sweep.dir)}", file=sys.stderr)


def composed(*overrides: str) -> dict[str, Any]:
    """Plain values for these overrides, for scripts and tests that run no command."""
    register()
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        return _resolved(compose("train", overrides=["name=composed", "run_dir=unused", *with_own_corpus(overrides)]))


def _resolved(cfg: DictConfig) -> dict[str, Any]:
    values = cast(dict[str, Any], OmegaConf.to_container(cfg, resolve=True))
    values.pop("resume")
    _make_paths_absolute(values["data"])
    return values


def check_launch(launch: Launch) -> None:
    """Raise a UserError if torchrun's options do not fit this command."""
    if launch.size > 1 and is_sweep():
        raise UserError("torchrun trains one model on several processes: leave out -m, or torchrun.")
    named = any(override.startswith(("run_dir=", "resume=")) for override in HydraConfig.get().overrides.task)
    if launch.restarts_allowed and not named:
        raise UserError("torchrun --max-restarts finds the run again by its name: add run_dir=outputs/NAME.")


class Chosen(NamedTuple):
    """The settings of a run; of a resumed one also all overrides since it began, and the run itself."""

    values: dict[str, Any]
    changes: list[str] | None = None
    run: OpenRun | None = None


def resumed(directory: str | Path | Run, overrides: Sequence[str] | None = None) -> Chosen:
    """Read a run and apply the overrides of earlier resume commands and of this one."""
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
    return Chosen(values, changes, run)


def restarted(values: dict[str, Any]) -> Chosen:
    """Resume a run by the command that began it; a UserError unless it has these settings."""
    run = Run.open(values["run_dir"])
    if load_config(values) != run.config:
        raise UserError(f"{run.directory} holds a run with other settings: choose another run_dir.")
    return resumed(run, overrides=[])


def _check_change(change: str) -> None:
    """Raise a UserError unless a run may be resumed with this override, which must be a plain value."""
    if not change.startswith(MAY_CHANGE) or change.startswith(MAY_NOT):
        others = "optimizer.lr, device, threads, data paths and most of train can"
        raise UserError(f"{change} cannot change in a run that goes on ({others}): begin a new run, without resume.")
    try:
        if "${" in change:
            raise ValueError("it holds ${…}")
        plain_yaml(change.partition("=")[2])
    except (YAMLError, ValueError) as error:
        raise UserError(f"{change[:80]} is no plain value: {error}.") from error


def in_hydra(value: str | Sequence[str]) -> str:
    """Quote a text, or a list of texts, for Hydra."""
    if not isinstance(value, str):
        return f"[{','.join(map(in_hydra, value))}]"
    is_plain = re.fullmatch(r"[\w./-]+", value, re.ASCII)
    if is_plain and OverridesParser.create().parse_override(f"x={value}").value() == value:  # nan and 1e5 are numbers
        return value
    return QuotedString(value, Quote.double).with_quotes()


def explain(error: Exception) -> str:
    """The error of Hydra or OmegaConf in one sentence."""
    text = " ".join(str(error).split())
    if isinstance(error, OverrideParseException):
        name, equals, value = error.override.partition("=")
        if equals:
            quoted = shlex.quote(f"{name}={in_hydra(value)}")
            return f"{error.override} cannot be read: quote the value, as in {quoted}."
        path = shlex.quote(f"data.path={in_hydra(name)}")
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


def _make_paths_absolute(data: dict[str, Any]) -> None:
    for name in PATHS:
        if (value := data.get(name)) is not None:
            data[name] = [_absolute(part) for part in value] if isinstance(value, list) else _absolute(value)


def _absolute(path: Any) -> str:
    return str(Path(str(path)).expanduser().absolute())
