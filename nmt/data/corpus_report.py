"""The report on a prepared corpus: what was read, dropped, held out and how long the sentences are."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nmt.languages import FAMILIES, is_written_in
from nmt.writing_systems import scripts_of

_PERCENTILES = (50, 95, 99, 100)
_MIXED_SHARE, _MIXED_SCRIPTS = 0.05, 3  # so many scripts with such a share of the letters each are an oddity


@dataclass(frozen=True)
class SideReport:
    """One language of the corpus."""

    language: str
    scripts: dict[str, float]  # share of the letters by Unicode script, the most common first
    lengths: dict[str, int]  # tokens per training sentence, by percentile
    vocabulary: int  # pieces in its vocabulary
    vocabulary_asked: int  # pieces that data.vocab_size asked for


@dataclass(frozen=True)
class DataReport:
    """Counts and statistics of a prepared corpus."""

    name: str
    key: str  # hash of the inputs and settings it was made from
    pairs_read: int  # lines of the corpus, good and bad
    dropped: dict[str, int]  # lines that were dropped, by reason
    train_pairs: int
    val_sources: int
    val_pairs: int  # each validation sentence counted once per reference
    test_sources: int
    test_pairs: int
    random_leak: float  # share of a random split's test pairs that would share a sentence with its training set
    split_hash: str  # hash of the validation and test sets; scores are comparable only where it is the same
    source: SideReport
    target: SideReport
    new_pairs: int = 0  # training pairs that the run which this one starts from did not have

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "DataReport":
        """Rebuild a report from what `dataclasses.asdict` made of it."""
        sides = {side: SideReport(**values[side]) for side in ("source", "target")}
        return cls(**{**values, **sides})

    def oddities(self) -> list[str]:
        """What the scripts of the two sides say against the languages that they should be in."""
        found = [sentence for side in (self.source, self.target) if (sentence := _mixed(side))]
        main = [next(iter(_families(side.scripts)), None) for side in (self.source, self.target)]
        languages = self.source.language, self.target.language

        def wrong(language: str, script: str | None) -> bool:
            return script is not None and is_written_in(language, script) is False

        misplaced = [wrong(*pair) for pair in zip(languages, main, strict=True)]
        turned = [wrong(*pair) for pair in zip(languages, reversed(main), strict=True)]
        if any(misplaced) and not any(turned):
            advice = "turn data.columns around if so, or mend the header"
            found.append(f"The columns of {' and '.join(languages)} seem to be swapped, by their scripts: {advice}.")
        else:
            for language, script, odd in zip(languages, main, misplaced, strict=True):
                if odd:
                    found.append(f"The text of {language} is mostly {script}: check data.columns, source and target.")
        return found

    def lines(self, samples: Sequence[tuple[str, str]] = ()) -> list[str]:
        """The report for a terminal, with some pairs under the names of their languages."""
        dropped = ", ".join(f"{count:,} {reason}" for reason, count in self.dropped.items()) or "none"
        return [
            f"corpus      {self.name}: {self.source.language} → {self.target.language} ({self.key[:12]})",
            f"pairs       {self.pairs_read:,} read; dropped: {dropped}",
            f"train       {self.train_pairs:,} pairs" + (f", {self.new_pairs:,} of them new" if self.new_pairs else ""),
            f"val         {self.val_sources:,} sentences with {self.val_pairs:,} references",
            f"test        {self.test_sources:,} sentences with {self.test_pairs:,} references",
            f"leak        none (a random split of pairs: {self.random_leak:.0%} of its test set)",
            f"split       {self.split_hash[:12]}",
            _side_line("source", self.source),
            _side_line("target", self.target),
            *(line for pair in samples for line in _sample_lines(self.source.language, self.target.language, *pair)),
        ]


def _mixed(side: SideReport) -> str | None:
    """A sentence about a side in many scripts, if it is one."""
    families = _families(side.scripts)
    common = [script for script, share in families.items() if share >= _MIXED_SHARE]
    if len(common) < _MIXED_SCRIPTS:
        return None
    shares = ", ".join(f"{script} {families[script]:.0%}" for script in common)
    return f"The text of {side.language} is in {len(common)} scripts ({shares}): are several languages in its column?"


def _families(scripts: dict[str, float]) -> dict[str, float]:
    """Shares of scripts, with those of Japanese and of Korean taken together where they are mixed."""
    counts: Counter[str] = Counter()
    home = next((script for script in ("HIRAGANA", "HANGUL") if scripts.get(script, 0) >= _MIXED_SHARE), None)
    for script, share in scripts.items():
        family = FAMILIES.get(script, script)
        counts[home if home and family == "CJK" else family] += share  # type: ignore[assignment]
    return dict(counts.most_common())


def _sample_lines(source: str, target: str, source_text: str, target_text: str) -> list[str]:
    width = max(len(source), len(target))
    return [f"{'sample':<12}{source:<{width}}  {source_text}", f"{'':<12}{target:<{width}}  {target_text}"]


def _side_line(label: str, side: SideReport) -> str:
    scripts = ", ".join(f"{script} {share:.1%}" for script, share in side.scripts.items() if share >= 0.001)
    lengths = ", ".join(f"{name} {length}" for name, length in side.lengths.items())
    shrunk = f" of {side.vocabulary_asked:,} asked" if side.vocabulary < side.vocabulary_asked else ""
    return f"{label:<12}{side.language}: {side.vocabulary:,} pieces{shrunk}; {scripts}; tokens: {lengths}"


def script_shares(characters: Counter[str]) -> dict[str, float]:
    """Share of the letters by script, the most common first."""
    scripts = scripts_of(characters)
    return {script: count / scripts.total() for script, count in scripts.most_common()}


def length_percentiles(lengths: NDArray[np.integer]) -> dict[str, int]:
    """Median, 95th and 99th percentile and maximum, each a length that occurs."""
    ordered = np.sort(lengths)
    places = [-(-percent * (len(ordered) - 1) // 100) for percent in _PERCENTILES]  # rounded up
    return dict(zip(("median", "95 %", "99 %", "longest"), ordered[places].tolist(), strict=True))
