"""Overrides as users type them, rewritten for Hydra, so that paths are read literally."""

import os
import re
from collections.abc import Sequence
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Quote, QuotedString
from hydra.errors import HydraException

from nmt.data.lines import MEMBER_SEPARATOR
from nmt.errors import UserError

# Settings that are paths, each with whether it may also be a list of paths.
_LISTS = ("data.path", "data.val_path", "data.test_path", "data.replay_path")
PATHS = dict.fromkeys(_LISTS, True) | dict.fromkeys(("data.prepared_dir", "run_dir", "start", "resume"), False)
_SWEEP_DIR = "hydra.sweep.dir"  # interpolations keep their meaning in it, as in other settings of Hydra itself
_QUOTED = r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
_ITEM = re.compile(rf"\s*({_QUOTED}|\[[^\]]*\]|[^,]*?)\s*(?:,|$)", re.DOTALL)
_SWEEP_FUNCTION = re.compile(r"(choice|glob|shuffle|sort|tag)\(.*\)", re.DOTALL)


def for_hydra(arguments: Sequence[str]) -> list[str]:
    """The arguments of train.py, quoted where Hydra's syntax would read something else than a path."""
    sweep = not {"-m", "--multirun", "hydra.mode=MULTIRUN"}.isdisjoint(arguments)
    return [_for_hydra(argument, sweep) for argument in arguments]


def _for_hydra(argument: str, sweep: bool) -> str:
    key, equals, value = argument.partition("=")
    name = key.lstrip("+")
    if name in PATHS and equals:
        return f"{key}={_path(value, PATHS[name], sweep)}"
    if name == _SWEEP_DIR and not re.fullmatch(_QUOTED, value, re.DOTALL):
        return f"{key}={QuotedString(os.path.expanduser(value), Quote.double).with_quotes()}"
    return argument


def _path(value: str, lists: bool, sweep: bool) -> str:
    """Quote a path for Hydra, unless it is null, in quotes, a list or a sweep; a file of just this name wins."""
    if value == "null":
        return value
    if not os.path.exists(os.path.expanduser(value.partition(MEMBER_SEPARATOR)[0])):
        if sweep and _SWEEP_FUNCTION.fullmatch(value):
            return value
        if sweep and len(items := _split(value)) > 1:
            return ",".join(_path(item, lists, sweep=False) for item in items)
        if re.fullmatch(_QUOTED, value, re.DOTALL):
            return value
        if lists and value.startswith("[") and value.endswith("]"):
            return f"[{','.join(_path(item, lists=False, sweep=False) for item in _split(value[1:-1]))}]"
    return in_hydra(value)


def _split(text: str) -> list[str]:
    """The items of a list, split at commas outside of quotes and brackets."""
    items = _ITEM.findall(text)
    return items[:-1] if items[-1] == "" else items


def in_hydra(value: str | Sequence[str]) -> str:
    """Quote a text, or a list of texts, so that Hydra and OmegaConf give it back unchanged."""
    if not isinstance(value, str):
        return f"[{','.join(map(in_hydra, value))}]"
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UserError(f"{value!a} is not UTF-8: rename it, or make a link to it with another name.") from error
    is_plain = re.fullmatch(r"[\w./-]+", value, re.ASCII)
    if is_plain and OverridesParser.create().parse_override(f"x={value}").value() == value:  # nan and 1e5 are numbers
        return value
    literal = re.sub(r"(\\*)\$\{", r"\1\1\\${", value)  # no interpolation
    return QuotedString(literal, Quote.double).with_quotes()


def read_change(override: str) -> tuple[str, Any]:
    """The setting and the plain value of an override; a UserError if it is no plain value."""
    try:
        parsed = OverridesParser.create().parse_override(override)
        return parsed.key_or_group, _plain(parsed.value())
    except (HydraException, ValueError, RecursionError) as error:
        reason = error if isinstance(error, UserError) else "it cannot be read"
        raise UserError(f"{override[:80]} is no plain value: {reason}.") from error


def apply_change(override: str, values: dict[str, Any]) -> None:
    """Change a setting of a recorded run by an override, which must be a plain value."""
    name, value = read_change(override)
    *groups, setting = name.split(".")
    for group in groups:
        values = values.get(group, {})
        if not isinstance(values, dict):
            raise UserError(f"There is no setting {name}: {group} has no settings of its own.")
    values[setting] = value


def _plain(value: Any) -> Any:
    """A value without interpolations; those that `in_hydra` has made literal become text."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, str):
        return value
    if any(len(match[1]) % 2 == 0 for match in re.finditer(r"(\\*)\$\{", value)):
        raise UserError("it holds ${…}")
    return re.sub(r"(\\*)\$\{", lambda match: match[1][: len(match[1]) // 2] + "${", value)
