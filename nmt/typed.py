"""Conversion of plain values (YAML, JSON) to typed settings; errors name the key and the nearest known one."""

import collections.abc
import dataclasses
import difflib
import inspect
import math
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from nmt.errors import UserError

T = TypeVar("T")
LARGEST = 2**64 - 1  # whole number that every part (PyTorch's seeds, NumPy, JSON) can hold


class UnknownName(UserError):
    """A setting or class that this version does not have."""

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name


class NewerVersion(UserError):
    """A file that a newer version of this project wrote."""


@contextmanager
def written_to(file: Path) -> Iterator[None]:
    """Turn UnknownName into NewerVersion: an unknown name in `file` means that a newer version wrote it."""
    try:
        yield
    except UnknownName as error:
        problem = f"was written by a newer version, with {error.name}, which this one does not know"
        raise NewerVersion(f"{file} {problem}: update.") from error


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint: the closest known name, else the known names."""
    known = sorted(known)
    if close := difflib.get_close_matches(name, known, n=1, cutoff=0.6):
        return f"did you mean '{close[0]}'?"
    shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    return f"known: {shown}."


def to_dataclass(kind: Callable[..., T], values: Any, where: str) -> T:
    """Make a settings dataclass from a mapping; unknown keys and wrong types are refused."""
    hints = get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    _check_names(values, fields, where)
    missing = [
        name
        for name, field in fields.items()
        if name not in values and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise UserError(f"{_join(where, missing[0])} is not set: give it a value.")
    return kind(**{name: convert(value, hints[name], _join(where, name)) for name, value in values.items()})


def check_arguments(target: Callable[..., Any], values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Check keyword arguments against the signature of a class, and convert them."""
    _check_names(values, inspect.signature(target).parameters, where)
    hints = get_type_hints(target.__init__ if inspect.isclass(target) else target)
    return {name: convert(value, hints.get(name, Any), _join(where, name)) for name, value in values.items()}


def convert(value: Any, hint: Any, where: str) -> Any:
    """Check and convert a value by a type hint; values of unknown types pass unchanged."""
    if isinstance(value, (int, float)):
        _check_number(value, where)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _convert_union(value, arguments, where)
    if origin is Literal:
        if value not in arguments:
            options = [str(option) for option in arguments]
            raise UserError(f"{where} cannot be {value!r}: {nearest(str(value), options)}")
        return value
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return to_dataclass(hint, value, where)
    if origin is collections.abc.Callable and not callable(value):
        raise UserError(
            f"{where} must be a part with its own _target_; it is {value!r}: choose one with {_choice(where)}."
        )
    if origin is tuple and isinstance(value, list):
        return tuple(convert(item, arguments[i % len(arguments)], f"{where}[{i}]") for i, item in enumerate(value))
    if origin is list:
        if not isinstance(value, list):
            raise UserError(f"{where} must be a list; it is {value!r}.")
        return [convert(item, arguments[0], f"{where}[{i}]") for i, item in enumerate(value)]
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint in (int, float, str, bool):
        wrong_bool = isinstance(value, bool) and hint is not bool
        if wrong_bool or not isinstance(value, hint):
            names = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
            raise UserError(f"{where} must be {names[hint]}; it is {value!r}.")
    elif origin is None and isinstance(hint, type) and not isinstance(value, hint):
        raise UserError(f"{where} must be a {hint.__name__}; it is {value!r}.")
    return value


def _convert_union(value: Any, options: tuple[Any, ...], where: str) -> Any:
    if value is None and type(None) in options:
        return None
    problems = []
    for option in (option for option in options if option is not type(None)):
        try:
            return convert(value, option, where)
        except UserError as error:
            problems.append(error)
    raise problems[0]


def _check_number(value: float, where: str) -> None:
    if not math.isfinite(value) if isinstance(value, float) else abs(value) > LARGEST:
        limit = "a finite number" if isinstance(value, float) else f"between -{LARGEST} and {LARGEST}"
        raise UserError(f"{where} must be {limit}; it is {value}.")


def _check_names(values: Any, known: Iterable[str], where: str) -> None:
    if not isinstance(values, Mapping):
        raise UserError(f"{where or 'The configuration'} must hold named settings; it is {values!r}.")
    for name in values:
        if name not in known:
            full = _join(where, str(name))
            raise UnknownName(f"There is no setting {full}: {nearest(str(name), known)}", full)


def _choice(where: str) -> str:
    """How the part at this place of a configuration is chosen: model/cell=…, or in another part, with its place."""
    group, *inside, name = where.split(".")
    return f"{group}/{name}=…" if not inside else f"+{group}/{name}@{where}=…"


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
