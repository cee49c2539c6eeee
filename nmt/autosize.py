"""size=auto: settings that suit the number of sentence pairs and their length.

configs/size/auto.yaml asks for them by name, as in `vocab_size: ${auto:vocab_size}`, so a setting that is given by the
user or by a recipe is left as it is. docs/small-data.md has the experiments behind the table.
"""

import math
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from omegaconf import DictConfig, OmegaConf

from nmt.data.bitext import Bitext, usable_pairs
from nmt.data.discovery import complete
from nmt.data.settings import DataSettings
from nmt.errors import UserError
from nmt.typed import to_dataclass

_MOST = 300_000  # pairs that are counted; more change nothing
_DATA = ("path", "format", "header", "columns", "source", "target", "on_error", "max_chars", "max_ratio")


class Size(NamedTuple):
    """How much text a corpus has."""

    pairs: int  # different ones that can be used, counted up to `_MOST`
    characters: float  # of a sentence, on average


UNKNOWN = Size(30_000, 40.0)  # of a corpus that cannot be read: the error is reported where it is prepared


def register() -> None:
    """Let configs/ ask for a setting by `${auto:NAME}`."""
    OmegaConf.register_new_resolver("auto", _resolve, replace=True)


def _resolve(name: str, *, _root_: DictConfig) -> int | float:
    return choose(measure(_root_.data))[name]


def sentence(cfg: DictConfig) -> str | None:
    """What size=auto has chosen and why, in one sentence; None if nothing was left to it."""
    chosen = [f"{name}={value}" for name, value in _asked(cfg)]
    if not chosen:
        return None
    size = measure(cfg.data)
    count = f"{size.pairs:,}" if size.pairs < _MOST else f"{_MOST:,} or more"
    return f"size=auto, for {count} pairs of {size.characters:.0f} characters: {', '.join(chosen)}."


def _asked(cfg: DictConfig, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The settings that are written as ${auto:NAME}, and their values."""
    for key in map(str, cfg):
        node = cfg._get_node(key)  # as it is written
        if isinstance(node, DictConfig):
            yield from _asked(node, f"{prefix}{key}.")
        elif str(getattr(node, "_value", lambda: None)()).startswith("${auto:"):
            yield f"{prefix}{key}", cfg[key]


def measure(data: DictConfig) -> Size:
    """Count the pairs of the corpus that these settings name."""
    values = {name: data.get(name) for name in _DATA}
    plain = {name: OmegaConf.to_container(value) if OmegaConf.is_config(value) else value for name, value in values.items()}
    return _measure(repr(plain))


@cache
def _measure(values: str) -> Size:
    """The size of a corpus; its settings are a text, so that one result is kept for them."""
    import ast

    settings = to_dataclass(DataSettings, {"name": "corpus", **ast.literal_eval(values)}, "data")
    if settings.path is None:
        return UNKNOWN
    try:
        settings = complete(settings)
        bitext = Bitext.of(settings, settings.path or "")
        pairs = usable_pairs(bitext, settings.max_chars, settings.max_ratio, Counter())
        seen, characters = set(), 0
        for pair in islice(pairs, _MOST):
            if (key := hash(pair)) not in seen:
                seen.add(key)
                characters += len(pair[0]) + len(pair[1])
    except (UserError, OSError):
        return UNKNOWN
    return Size(len(seen), characters / max(1, 2 * len(seen)))
