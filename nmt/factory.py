"""Constructors for a configuration's `_target_`: only our own classes and PyTorch's optimisers.

Parts are given sizes by the part that owns them (an encoder learns its input size from the model), so a target
becomes a partial: a constructor whose configured arguments are checked against its signature and filled in.
"""

import functools
import importlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from torch import nn
from torch.optim import Optimizer

from nmt.errors import UserError
from nmt.search.base import Search
from nmt.training.schedule import Schedule
from nmt.typed import UnknownName, check_arguments, nearest

# Where the classes of each place in a configuration are defined, and what they are.
ALLOWED: dict[str, tuple[str, type]] = {
    "model": ("nmt.model.", nn.Module),
    "optimizer": ("torch.optim.", Optimizer),
    "scheduler": ("nmt.training.schedule.", Schedule),
    "decode": ("nmt.search.", Search),
}
_TARGET = re.compile(r"[a-z]\w*(\.[a-z]\w*)+", re.ASCII | re.IGNORECASE)  # public names only


def constructor(spec: Any, where: str) -> functools.partial[Any]:
    """The constructor that `spec`, a mapping with `_target_`, describes; nested targets become constructors too."""
    if not isinstance(spec, Mapping) or "_target_" not in spec:
        raise UserError(f"{where} must name a class with _target_; it is {spec!r}.")
    target = _resolve(spec["_target_"], f"{where}._target_")
    arguments = {
        name: constructor(value, f"{where}.{name}") if isinstance(value, Mapping) and "_target_" in value else value
        for name, value in spec.items()
        if name != "_target_"
    }
    return functools.partial(target, **check_arguments(target, arguments, where))


@contextmanager
def refusals(spec: Mapping[str, Any], where: str) -> Iterator[None]:
    """Turn the error of a class that refuses its settings into a UserError."""
    try:
        yield
    except UserError:
        raise
    except (TypeError, ValueError, RuntimeError) as error:
        reason = str(error).rstrip(".")
        raise UserError(f"{spec['_target_']} cannot be used with these settings of {where}: {reason}.") from error


def _resolve(target: Any, where: str) -> type:
    """Import a class by its dotted name, if a configuration may build it at this place.

    A module is imported only when its name is on the allow-list. It also holds the names that it imports, so a class
    is accepted by the module that defines it and by its base.
    """
    place = where.partition(".")[0]
    allowed = [ALLOWED[place]] if place in ALLOWED else list(ALLOWED.values())
    prefixes = tuple(prefix for prefix, _ in allowed)
    if not isinstance(target, str) or not _TARGET.fullmatch(target) or not target.startswith(prefixes):
        raise UserError(f"{where} may only name classes under {', '.join(prefixes)}; it is {target!r}.")
    module_name, _, class_name = target.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise UnknownName(f"{where}: there is no module {module_name}.", target) from error
    classes = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and any(f"{value.__module__}.".startswith(prefix) and issubclass(value, base) for prefix, base in allowed)
    }
    if class_name not in classes:
        hint = nearest(class_name, classes)
        raise UnknownName(f"{where}: {module_name} has no class {class_name!r}; {hint}", target)
    return classes[class_name]
