"""size=auto: settings that suit the number of sentence pairs and their lengths.

configs/size/auto.yaml asks for them by name, as in `vocab_size: ${auto:vocab_size}`, so that whatever the user or a
recipe sets is left as it is. docs/measured/small-data.csv has the experiments behind the table.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from omegaconf import DictConfig, OmegaConf

from nmt.data.bitext import reader_of, usable_pairs
from nmt.data.discovery import complete
from nmt.data.settings import DataSettings
from nmt.errors import UserError
from nmt.typed import to_dataclass

_MOST = 300_000  # pairs that are counted: more change nothing
_READING = ("path", "format", "header", "columns", "source", "target", "on_error", "max_chars", "max_ratio")
_VALIDATIONS = 15  # in a training


class Size(NamedTuple):
    """How much a corpus has to learn from."""

    pairs: int  # different ones, up to 300,000
    characters: float  # of a sentence, on average over both sides


class Settings(NamedTuple):
    """Settings that suit a number of pairs."""

    pairs: int
    vocab_size: int
    hidden_size: int  # of each direction of the encoder; the decoder has twice as much
    dropout: float
    batch_size: int
    updates: int


# Found by experiment up to 10,000 pairs; above, the recipes in configs/experiment.
TABLE = (
    Settings(500, 800, 96, 0.3, 32, 2_000),
    Settings(1_000, 1_000, 128, 0.3, 32, 3_500),
    Settings(3_000, 2_000, 128, 0.3, 32, 6_000),
    Settings(10_000, 3_000, 128, 0.3, 64, 7_000),
    Settings(30_000, 4_000, 160, 0.3, 64, 12_000),
    Settings(100_000, 6_000, 192, 0.2, 64, 20_000),
    Settings(300_000, 8_000, 256, 0.2, 128, 16_000),
)
_MULTIPLES = Settings(1, 100, 16, 0.05, 8, 100)  # the settings are rounded to multiples of these
_USUAL_CHARACTERS = 40  # a sentence; batches of longer ones are smaller, so that an update takes as long
_UNKNOWN = Size(30_000, _USUAL_CHARACTERS)  # of a corpus that cannot be read, which is reported when it is prepared


def suited(size: Size) -> Settings:
    """The settings between two rows of the table, in proportion to the logarithm of the number of pairs."""
    pairs = min(max(size.pairs, TABLE[0].pairs), TABLE[-1].pairs)
    above = next(i for i in range(1, len(TABLE)) if pairs <= TABLE[i].pairs)
    low, high = TABLE[above - 1], TABLE[above]
    share = math.log(pairs / low.pairs) / math.log(high.pairs / low.pairs)
    between = {name: a + share * (b - a) for name, a, b in zip(Settings._fields, low, high, strict=True)}
    between["batch_size"] *= min(1.0, _USUAL_CHARACTERS / size.characters)

    def rounded(name: str) -> Any:
        step = getattr(_MULTIPLES, name)
        return round(max(1, round(between[name] / step)) * step, 2)

    return Settings(*map(rounded, Settings._fields))._replace(pairs=pairs)


def register() -> None:
    """Let configs/ ask for a setting by `${auto:NAME}`."""
    OmegaConf.register_new_resolver("auto", _resolve, replace=True)


def _resolve(name: str, *, _root_: DictConfig) -> int | float:
    settings = suited(measure(_root_.data))
    derived = {"decoder_size": 2 * settings.hidden_size, "validate_every": max(50, settings.updates // _VALIDATIONS)}
    return (settings._asdict() | derived)[name]


def sentence(cfg: DictConfig) -> str | None:
    """What size=auto has chosen, and why; None if everything was set otherwise."""
    if not (chosen := ", ".join(f"{name}={value}" for name, value in _asked(cfg))):
        return None
    pairs, characters = measure(cfg.data)
    reason = f"{pairs:,}{' or more' if pairs == _MOST else ''} pairs of {characters:.0f} characters"
    return f"{'size=auto':<12}{reason}: {chosen}"


def _asked(cfg: DictConfig, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The settings that are written as ${auto:NAME}, and their values."""
    for key in map(str, cfg):
        node = cfg._get_node(key)  # as it is written
        if isinstance(node, DictConfig):
            yield from _asked(node, f"{prefix}{key}.")
        elif isinstance(written := node._value() if node is not None else None, str) and written.startswith("${auto:"):
            yield f"{prefix}{key}", cfg[key]


def measure(data: DictConfig) -> Size:
    """Count the corpus of these settings."""
    values = {name: data.get(name) for name in _READING}
    plain = {name: list(value) if OmegaConf.is_list(value) else value for name, value in values.items()}
    return _measure(json.dumps(plain))


@cache
def _measure(reading: str) -> Size:
    try:
        settings = to_dataclass(DataSettings, {"name": "corpus", **json.loads(reading)}, "data")
        settings.require_files()
        settings = complete(settings)
        assert settings.path is not None
        different, characters = set(), 0
        reader = reader_of(settings, settings.path)
        for pair in islice(usable_pairs(reader, settings.max_chars, settings.max_ratio, Counter()), _MOST):
            different.add(hash(pair))
            characters += len(pair[0]) + len(pair[1])
    except (UserError, OSError):
        return _UNKNOWN
    return Size(len(different), characters / (2 * len(different))) if different else _UNKNOWN
