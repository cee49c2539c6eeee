"""size=auto: settings that suit the number of sentence pairs.

configs/size/auto.yaml asks for them by name, as in `vocab_size: ${auto:vocab_size}`, so that what the user or a recipe
sets is left as it is. docs/small-data.md has the experiments behind the table.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from omegaconf import DictConfig, OmegaConf

from nmt.data.bitext import Bitext, usable_pairs
from nmt.data.discovery import complete
from nmt.data.settings import DataSettings
from nmt.errors import UserError
from nmt.typed import to_dataclass

_MOST = 300_000  # pairs that are counted: more change nothing
_UNKNOWN = 30_000  # pairs of a corpus that cannot be read, which is reported where it is prepared
_READING = ("path", "format", "header", "columns", "source", "target", "on_error", "max_chars", "max_ratio")


class Sizes(NamedTuple):
    """Settings for a corpus of some size."""

    pairs: int
    vocab_size: int
    hidden_size: int  # of each direction of the encoder; the decoder has twice as much
    dropout: float
    batch_size: int
    updates: int


TABLE = (
    Sizes(500, 500, 96, 0.4, 16, 1_500),
    Sizes(1_000, 700, 96, 0.4, 32, 2_000),
    Sizes(3_000, 1_200, 128, 0.4, 32, 4_000),
    Sizes(10_000, 2_000, 160, 0.3, 64, 7_000),
    Sizes(30_000, 4_000, 192, 0.3, 64, 12_000),
    Sizes(100_000, 6_000, 192, 0.2, 64, 18_000),
    Sizes(300_000, 8_000, 256, 0.2, 128, 16_000),
)
_STEPS = Sizes(1, 100, 16, 0.05, 8, 100)  # what the settings are rounded to multiples of


def suited(pairs: int) -> Sizes:
    """The settings for this many pairs: between two rows of the table, in proportion to the logarithm."""
    pairs = min(max(pairs, TABLE[0].pairs), TABLE[-1].pairs)
    above = next(i for i in range(1, len(TABLE)) if pairs <= TABLE[i].pairs)
    low, high = TABLE[above - 1], TABLE[above]
    share = math.log(pairs / low.pairs) / math.log(high.pairs / low.pairs)
    between = [a + share * (b - a) for a, b in zip(low, high, strict=True)]
    rounded = Sizes(*(round(round(value / step) * step, 2) for value, step in zip(between, _STEPS, strict=True)))
    return rounded._replace(pairs=pairs)


def register() -> None:
    """Let configs/ ask for a setting by `${auto:NAME}`."""
    OmegaConf.register_new_resolver("auto", _resolve, replace=True)


def _resolve(name: str, *, _root_: DictConfig) -> int | float:
    sizes = suited(count_pairs(_root_.data))
    chosen = sizes._asdict() | {"decoder_size": 2 * sizes.hidden_size, "validate_every": max(50, sizes.updates // 15)}
    return chosen[name]


def sentence(cfg: DictConfig) -> str | None:
    """What size=auto has chosen and why; None if nothing was left to it."""
    chosen = ", ".join(f"{name}={value}" for name, value in _asked(cfg))
    pairs = count_pairs(cfg.data)
    return f"For {pairs:,}{' or more' if pairs == _MOST else ''} pairs: {chosen}." if chosen else None


def _asked(cfg: DictConfig, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The settings that are written as ${auto:NAME}, and their values."""
    for key in map(str, cfg):
        node = cfg._get_node(key)  # as it is written
        if isinstance(node, DictConfig):
            yield from _asked(node, f"{prefix}{key}.")
        elif isinstance(written := node._value() if node is not None else None, str) and written.startswith("${auto:"):
            yield f"{prefix}{key}", cfg[key]


def count_pairs(data: DictConfig) -> int:
    """The number of different pairs in the corpus of these settings, up to 300,000."""
    values = {name: data.get(name) for name in _READING}
    plain = {name: list(value) if OmegaConf.is_list(value) else value for name, value in values.items()}
    return _count(json.dumps(plain))


@cache
def _count(reading: str) -> int:
    try:
        settings = to_dataclass(DataSettings, {"name": "corpus", **json.loads(reading)}, "data")
        settings.require_files()
        settings = complete(settings)
        assert settings.path is not None
        pairs = usable_pairs(Bitext.of(settings, settings.path), settings.max_chars, settings.max_ratio, Counter())
        return len({hash(pair) for pair in islice(pairs, _MOST)}) or _UNKNOWN
    except (UserError, OSError):
        return _UNKNOWN
