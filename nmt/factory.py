"""From a configuration's `_target_` to a constructor: our own classes and PyTorch's optimisers, nothing else.

Parts are given sizes by the part that owns them (an encoder learns its input size from the model), so a target
becomes a partial: a constructor whose configured arguments are checked against its signature and filled in.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from typing import Any

from nmt.errors import UserError
from nmt.typed import check_arguments, nearest

ALLOWED = ("nmt.model.", "nmt.training.schedule.", "torch.optim.")


def constructor(spec: Any, where: str) -> functools.partial[Any]:
    """The constructor that `spec` describes, its nested targets turned into constructors too.

    Args:
        spec: A mapping with `_target_` and arguments.
        where: Its place in the configuration, for error messages.
    """
    if not isinstance(spec, Mapping) or "_target_" not in spec:
        raise UserError(f"{where} must name a class with _target_; it is {spec!r}.")
    target = _resolve(spec["_target_"], f"{where}._target_")
    arguments = {
        name: constructor(value, f"{where}.{name}") if isinstance(value, Mapping) and "_target_" in value else value
        for name, value in spec.items()
        if name != "_target_"
    }
    return functools.partial(target, **check_arguments(target, arguments, where))


def _resolve(target: Any, where: str) -> type:
    """Import a class by its dotted name, if it is one that a configuration may build."""
    if not isinstance(target, str) or not target.startswith(ALLOWED):
        raise UserError(f"{where} may only name classes under {', '.join(ALLOWED)}; it is {target!r}.")
    module_name, _, class_name = target.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise UserError(f"{where}: there is no module {module_name}.") from error
    classes = [name for name, value in vars(module).items() if isinstance(value, type)]
    if class_name not in classes:
        raise UserError(f"{where}: {module_name} has no class {class_name!r}; {nearest(class_name, classes)}")
    found: type = getattr(module, class_name)
    return found
