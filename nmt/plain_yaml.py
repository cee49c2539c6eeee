"""YAML that holds plain values: no objects, no aliases, no deep nesting."""

from typing import Any

import yaml
from yaml import YAMLError

__all__ = ["YAMLError", "dump", "load"]

_DEEPEST = 50  # levels of nesting: far more than settings have, and harmless to read


class _Dumper(yaml.SafeDumper):
    """Writes no aliases, not even for a value that occurs twice: a config.yaml with aliases is refused."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def dump(values: dict[str, Any]) -> str:
    """Write values in their order, with letters of any script as they are."""
    text: str = yaml.dump(values, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    return text


def load(text: str) -> Any:
    """Load YAML with a safe loader, without aliases and deep nesting.

    Ten lines with aliases can expand to gigabytes, and deep nesting overflows the stack of the C loader.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is ten times as fast
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"it has an alias, *{event.anchor}")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise ValueError("it is nested too deeply")
    return yaml.load(text, Loader=loader)  # noqa: S506  # one of the two safe ones
