"""The scores of a set of translations: every metric, lengths, and BLEU by source length."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from nmt.metrics import METRICS, Score, Streams, Texts, metrics_for
from nmt.writing_systems import UNSPACED, count_scripts

_BUCKETS = 6  # enough to see a trend, few enough to read
_ROUND_WIDTHS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500)


@dataclass(frozen=True)
class LengthBucket:
    """BLEU of the sentences whose source has `shortest` to `longest` words (or characters)."""

    shortest: int
    longest: int | None  # None: no upper end
    sentences: int
    bleu: float

    @property
    def label(self) -> str:
        """The range of lengths, such as 6–10."""
        if self.longest is None:
            return f"{self.shortest}+"
        return f"{self.shortest}–{self.longest}" if self.longest > self.shortest else str(self.shortest)


@dataclass(frozen=True)
class Scores:
    """All scores of a set of translations; lengths are in BLEU's tokens."""

    metrics: dict[str, Score]  # by name, in the order of METRICS
    tokenizer: str
    sentences: int
    hypothesis_length: int
    reference_length: int
    brevity_penalty: float
    length_unit: str  # "words", or "characters" where the source script has no spaces
    by_length: tuple[LengthBucket, ...]

    def __getitem__(self, metric: str) -> Score:
        return self.metrics[metric]

    @property
    def length_ratio(self) -> float:
        """Length of the hypotheses over that of the references."""
        return self.hypothesis_length / self.reference_length if self.reference_length else 0.0

    def values(self) -> dict[str, float]:
        """The value of each metric."""
        return {name: score.value for name, score in self.metrics.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain values for scores.json: each metric under its name, null where it was not computed."""
        plain = asdict(self) | {"length_ratio": self.length_ratio}
        return dict.fromkeys(METRICS) | plain.pop("metrics") | plain


def score(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str],
    *,
    metrics: Sequence[str] | None = None,
    language: str = "",
    bootstrap: int = 1000,
) -> Scores:
    """Score detokenised translations by these metrics (default: those of a test set); see `Texts` for the others.

    Only the lengths of the sources are used.
    """
    assert len(hypotheses) == len(references) == len(sources)
    texts = Texts(hypotheses, references, language, bootstrap)
    corpus, _ = texts.bleu
    unit, lengths = source_lengths(sources)
    return Scores(
        metrics={name: METRICS[name].function(texts) for name in (metrics_for("test") if metrics is None else metrics)},
        tokenizer=texts.tokenizer,
        sentences=len(hypotheses),
        hypothesis_length=corpus.sys_len,
        reference_length=corpus.ref_len,
        brevity_penalty=corpus.bp,
        length_unit=unit,
        by_length=_bleu_by_length(hypotheses, texts.streams, lengths, texts.tokenizer),
    )


def source_lengths(sources: Sequence[str]) -> tuple[str, np.ndarray]:
    """Count words, or characters where most of the text is in a script without spaces."""
    scripts = count_scripts(sources)
    if sum(scripts[script] for script in UNSPACED) > scripts.total() / 2:
        return "characters", np.array([len("".join(source.split())) for source in sources])
    return "words", np.array([len(source.split()) for source in sources])


def _bleu_by_length(
    hypotheses: Sequence[str], streams: Streams, lengths: np.ndarray, tokenizer: str
) -> tuple[LengthBucket, ...]:
    """Compute BLEU in buckets of source length: up to six of one round width, and one for all longer sentences."""
    typical = np.quantile(lengths, 0.95)
    width = next((width for width in _ROUND_WIDTHS if width * _BUCKETS >= typical), _ROUND_WIDTHS[-1])
    bucket_of = np.clip((lengths - 1) // width, 0, _BUCKETS)
    numbers = np.unique(bucket_of).tolist()
    groups = [np.flatnonzero(bucket_of == bucket).tolist() for bucket in numbers]
    bleus = grouped_bleu(hypotheses, streams, tokenizer, groups)
    return tuple(
        LengthBucket(bucket * width + 1, (bucket + 1) * width if bucket < _BUCKETS else None, len(members), bleu)
        for bucket, members, bleu in zip(numbers, groups, bleus, strict=True)
    )


def grouped_bleu(
    hypotheses: Sequence[str], streams: Streams, tokenizer: str, groups: Sequence[Sequence[int]]
) -> list[float]:
    """Corpus BLEU of each group of sentences, given by their numbers; `streams` are references as sacreBLEU has them.

    Sentences of fewer than four tokens have no 4-grams. With the effective order their BLEU is that of the n-grams they
    have; wherever a group has 4-grams, it is plain BLEU.
    """
    from sacrebleu.metrics.bleu import BLEU

    bleu = BLEU(tokenize=tokenizer, force=True, effective_order=True)
    return [
        bleu.corpus_score([hypotheses[i] for i in group], [[stream[i] for i in group] for stream in streams]).score
        for group in groups
    ]
