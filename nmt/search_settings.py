"""Settings that the search methods of both engines share; imports no PyTorch."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np

from nmt.errors import UserError
from nmt.special import BOS, EOS, PAD, UNK
from nmt.typed import nearest

NEVER = [PAD, BOS, UNK]  # no hypothesis contains these; byte fallback makes UNK needless

AnySearch = TypeVar("AnySearch", bound="SearchSettings")


@dataclass(frozen=True)
class Guide:
    """What is settled about the translations of a sentence before they are searched for."""

    prefix: tuple[int, ...] = ()  # tokens that every translation begins with; EOS may be the last
    overrides: Mapping[int, np.ndarray] = field(default_factory=dict)  # attention (heads, S) by step

    @classmethod
    def of(
        cls,
        prefix: Sequence[int],
        overrides: Mapping[int, Any] | None,  # rows (S,) for all heads, or (heads, S)
        source_tokens: int,
        vocabulary: int,
        heads: int | None,  # 1 for a score without heads, None for a model without attention
    ) -> Guide:
        """Check what is given; a UserError says what is wrong."""
        for place, token in enumerate(prefix):
            ends_early = token == EOS and place + 1 < len(prefix)
            if token in NEVER or ends_early or not 0 <= token < vocabulary:
                raise UserError(f"A prefix cannot have the token {token} at place {place}.")
        rows = {int(step): np.asarray(row, np.float32) for step, row in (overrides or {}).items()}
        if rows and heads is None:
            raise UserError("This model has no attention, so there are no weights to override.")
        for step, row in rows.items():
            if row.shape not in ((source_tokens,), (heads, source_tokens)):
                each = f", or a row of them for each of {heads} heads" if heads != 1 else ""
                raise UserError(
                    f"The attention of step {step} needs {source_tokens} weights, one for each source token{each}."
                )
            if not (np.isfinite(row).all() and (row >= 0).all()):
                raise UserError(f"The attention of step {step} must be numbers that are not negative.")
        shape = heads or 1, source_tokens
        return cls(tuple(map(int, prefix)), {step: np.broadcast_to(row, shape) for step, row in rows.items()})


UNGUIDED = Guide()


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Settings of a search method, as dataclass fields; subclasses add their own and the method itself."""

    other_choice: ClassVar[str] = "The search method preferred it."  # why a token is not the likeliest one

    length_penalty: float = 1.0  # score = log p / length^penalty; 0 compares sums, 1 averages
    max_length_ratio: float = 2.0  # a translation has at most ratio × source tokens + extra
    max_length_extra: int = 10
    batch_tokens: int = 4096  # hypotheses × source tokens searched for at once; changes speed, never results

    def __post_init__(self) -> None:
        self._require("batch_tokens", self.batch_tokens >= 1, "at least 1")
        self._require("length_penalty", -10 <= self.length_penalty <= 10, "between -10 and 10")
        self._require("max_length_ratio", 0 <= self.max_length_ratio <= 1000, "between 0 and 1000")
        self._require("max_length_extra", self.max_length_extra >= 1, "at least 1")

    def _require(self, name: str, holds: bool, condition: str) -> None:
        if not holds:
            raise UserError(f"decode.{name} must be {condition}; it is {getattr(self, name)}.")

    def longest(self, source_tokens: int) -> int:
        """The longest translation, with EOS, of a source of so many tokens."""
        return int(source_tokens * self.max_length_ratio) + self.max_length_extra

    @property
    def width(self) -> int:
        """Translations per sentence, and how many hypotheses of it are alive at most."""
        return 1

    def changed(self, **changes: Any) -> Any:
        """The same method with other settings; a UserError names one that it does not have."""
        known = [field.name for field in dataclasses.fields(self)]
        for name in changes:
            if name not in known:
                method = type(self).__name__
                raise UserError(f"The search method {method} has no setting {name}: {nearest(name, known)}")
        return dataclasses.replace(self, **changes)

    def converted(self, method: type[AnySearch], **changes: Any) -> AnySearch:
        """Another method with the settings that both have, and with these changes."""
        names, own = ({field.name for field in dataclasses.fields(each)} for each in (method, self))
        return method(**{name: getattr(self, name) for name in names & own} | changes)

    def for_nbest(self, count: int) -> Any:
        """The same search if it finds `count` translations of a sentence, else a UserError."""
        if count > self.width:
            raise UserError(f"{count} translations of a sentence need a beam as wide: add --beam {count}.")
        return self

    def record(self) -> dict[str, Any]:
        """The method and its settings as plain values, as configs hold them."""
        return {"_target_": f"nmt.search.{type(self).__name__}", **dataclasses.asdict(self)}


@dataclass(frozen=True, kw_only=True)
class BeamSettings(SearchSettings):
    """Settings of a beam search."""

    other_choice = "A beam compares whole translations, and this one came out best."

    beam_size: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("beam_size", self.beam_size >= 1, "at least 1")

    @property
    def width(self) -> int:
        return self.beam_size
