"""Find sentences in scripts or of lengths that the training data did not have."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nmt.writing_systems import scripts_of

if TYPE_CHECKING:
    from nmt.run import Run

# A script with less than this share of the training text was not learnt. Rows whose two sides are swapped bring the
# script of the other language with them, so being there is not enough.
_HARDLY = 0.05
_LEARNT_WITH = {"KATAKANA": "HIRAGANA"}  # Japanese has few letters of the one, but they come with the other
_FOREIGN = 0.5  # a sentence with more than this share of such letters cannot be read


@dataclass(frozen=True)
class TrainingData:
    """Size, scripts and longest sentence of the source side that a model was trained on."""

    scripts: dict[str, float]  # share of the letters
    longest: int  # in tokens
    pairs: int

    @classmethod
    def of(cls, run: Run) -> TrainingData:
        """Read them from the run's data/report.json."""
        report = json.loads((run.directory / "data/report.json").read_text(encoding="utf-8"))
        source = report["source"]
        return cls(source["scripts"], source["lengths"]["longest"], report["train_pairs"])

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> TrainingData:
        """Read them from plain values, as `dataclasses.asdict` gives them."""
        shares = {str(name): float(share) for name, share in record["scripts"].items()}
        return cls(shares, int(record["longest"]), int(record["pairs"]))

    def differences(self, text: str, tokens: int) -> list[str]:
        """How a sentence is unlike the training data; empty if it is not."""
        found = []
        letters = scripts_of(Counter(text))
        strange = {name: count for name, count in letters.items() if not self.learnt(name)}
        if sum(strange.values()) > _FOREIGN * letters.total():
            names = " and ".join(name.capitalize() for name in sorted(strange, key=lambda name: -strange[name])[:3])
            known = " and ".join(name.capitalize() for name in self.scripts if self.learnt(name))
            found.append(f"is written in {names}, and the model has learnt {known or 'no letters'} only")
        if tokens > self.longest:
            found.append(f"has {tokens} tokens, and the longest sentence in training had {self.longest}")
        return found

    def learnt(self, script: str) -> bool:
        """Whether training had enough letters of a script."""
        return any(self.scripts.get(name, 0.0) >= _HARDLY for name in (script, _LEARNT_WITH.get(script, script)))
