"""BLEU, chrF and TER by sacreBLEU, each with the signature that makes it comparable.

Scores are computed on detokenised text, against as many references as each sentence has.
"""

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from nmt.errors import UserError
from nmt.writing_systems import UNSPACED, count_scripts

log = logging.getLogger(__name__)

_BUCKETS = 6  # enough to see a trend, few enough to read
_ROUND_WIDTHS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500)
_SEGMENTER_EXTRAS = {"ja-mecab": "ja", "ko-mecab": "ko"}

Streams = list[list[Any]]  # texts, with None for an absent reference, which sacreBLEU's own types forget


@dataclass(frozen=True)
class Score:
    """One metric on a corpus; ``low`` and ``high`` bound its 95 % bootstrap interval where one was asked."""

    value: float
    signature: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class LengthBucket:
    """BLEU of the sentences whose source has ``shortest`` to ``longest`` words (or characters)."""

    shortest: int
    longest: int | None  # None: no upper end
    sentences: int
    bleu: float


@dataclass(frozen=True)
class Scores:
    """Everything measured on a set of translations; lengths are in BLEU's own tokens."""

    bleu: Score
    chrf: Score
    ter: Score | None
    tokenizer: str
    sentences: int
    hypothesis_length: int
    reference_length: int
    brevity_penalty: float
    length_unit: str  # "words", or "characters" where the source script has no spaces
    by_length: tuple[LengthBucket, ...]
    lc_tok: Score | None = None  # BLEU as in the literature, where it was asked for

    @property
    def length_ratio(self) -> float:
        """Length of the hypotheses over that of the references."""
        return self.hypothesis_length / self.reference_length if self.reference_length else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self) | {"length_ratio": self.length_ratio}


def score(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str],
    *,
    bootstrap: int = 1000,
    ter: bool = True,
) -> Scores:
    """Score translations.

    Args:
        hypotheses: One detokenised translation per sentence.
        references: For each sentence its references; their number may vary, a repeated one counts once.
        sources: The sentences that were translated; only their lengths are used.
        bootstrap: Resamples for the BLEU interval; 0 for none. The BLEU itself does not depend on it.
        ter: Whether to compute TER, the slow one of the three. Validation during training goes without.
    """
    assert len(hypotheses) == len(references) == len(sources)
    streams = reference_streams(references)
    tokenizer = choose_tokenizer(streams[0])
    bleu = BLEU(tokenize=tokenizer, force=True)  # force: no advice about periods set apart by the model
    corpus = bleu.corpus_score(hypotheses, streams, n_bootstrap=bootstrap)
    unit, lengths = _source_lengths(sources)
    return Scores(
        bleu=Score(corpus.score, str(bleu.get_signature()), *interval(corpus, bootstrap)),
        chrf=_measure(CHRF(), hypotheses, streams),
        ter=_measure(_ter(tokenizer), hypotheses, streams) if ter else None,
        tokenizer=tokenizer,
        sentences=len(hypotheses),
        hypothesis_length=corpus.sys_len,
        reference_length=corpus.ref_len,
        brevity_penalty=corpus.bp,
        length_unit=unit,
        by_length=_bleu_by_length(hypotheses, streams, lengths, tokenizer),
    )


def choose_tokenizer(references: Sequence[str | None]) -> str:
    """Choose sacreBLEU's tokenizer by the script that most of the references are written in."""
    scripts = count_scripts(text for text in references if text)
    kana = scripts["HIRAGANA"] + scripts["KATAKANA"]
    japanese_or_chinese = scripts["CJK"] + kana
    hangul = scripts["HANGUL"]
    others = scripts.total() - japanese_or_chinese - hangul
    if max(japanese_or_chinese, hangul) <= others:
        return "13a"
    if hangul > japanese_or_chinese:
        return _installed_or_char("ko-mecab")
    # Half of Japanese text is kana; Chinese borrows at most the odd の.
    return _installed_or_char("ja-mecab") if kana > japanese_or_chinese / 5 else "zh"


def _installed_or_char(tokenizer: str) -> str:
    """Return the tokenizer, or ``"char"`` with a warning where its segmenter is not installed."""
    try:
        BLEU(tokenize=tokenizer)
    except RuntimeError:
        _warn_once_about(tokenizer)
        return "char"
    return tokenizer


_warned: set[str] = set()  # validation scores again and again; once is enough to be told


def _warn_once_about(tokenizer: str) -> None:
    if tokenizer not in _warned:
        _warned.add(tokenizer)
        log.warning(
            "BLEU is computed on characters because its tokenizer %s is missing; for comparable numbers run "
            'pip install "sacrebleu[%s]"',
            tokenizer,
            _SEGMENTER_EXTRAS[tokenizer],
        )


def reference_streams(references: Sequence[Sequence[str]]) -> Streams:
    """Turn references by sentence into sacreBLEU's streams: the first of every sentence, the second, ...

    sacreBLEU skips None, so what is absent never counts; an empty string would count as a reference. Repeated
    references are dropped because TER averages their lengths.
    """
    if not references:
        raise UserError("There is nothing to score: the test set has no sentences.")
    unique = [list(dict.fromkeys(group)) for group in references]
    for number, group in enumerate(unique, start=1):
        if not group:
            raise UserError(f"Test sentence {number} has no reference: give it one or leave it out.")
    depth = max(len(group) for group in unique)
    return [[group[i] if i < len(group) else None for group in unique] for i in range(depth)]


def _ter(tokenizer: str) -> TER:
    """Make the TER metric: edits of words, or of characters where words are not set apart."""
    by_character = tokenizer in {"zh", "ja-mecab", "char"}
    return TER(normalized=by_character, asian_support=by_character)


def _measure(metric: Metric, hypotheses: Sequence[str], streams: Streams) -> Score:
    return Score(metric.corpus_score(hypotheses, streams).score, str(metric.get_signature()))


def interval(corpus: Any, bootstrap: int) -> tuple[float | None, float | None]:
    """The 95 % interval around the bootstrap mean, as sacreBLEU prints it, within BLEU's range.

    On a handful of sentences the bootstrap mean is biased, and its arithmetic is in single precision, so the
    interval is widened where it would miss the score itself.
    """
    if bootstrap < 2:
        return None, None
    low, high = corpus._mean - corpus._ci, corpus._mean + corpus._ci
    return float(min(max(low, 0.0), corpus.score)), float(max(min(high, 100.0), corpus.score))


def _source_lengths(sources: Sequence[str]) -> tuple[str, np.ndarray]:
    """Measure the sources in words, or in characters where their script has no spaces."""
    scripts = count_scripts(sources)
    if sum(scripts[script] for script in UNSPACED) > scripts.total() / 2:
        return "characters", np.array([len("".join(source.split())) for source in sources])
    return "words", np.array([len(source.split()) for source in sources])


def _bleu_by_length(
    hypotheses: Sequence[str], streams: Streams, lengths: np.ndarray, tokenizer: str
) -> tuple[LengthBucket, ...]:
    """Compute BLEU in buckets of source length: equal round widths up to the longest few, then the rest."""
    # Sentences of fewer than four tokens have no 4-grams. With the effective order their BLEU is that of the
    # n-grams they have; wherever a bucket has 4-grams, it is plain BLEU.
    bleu = BLEU(tokenize=tokenizer, force=True, effective_order=True)
    typical = np.quantile(lengths, 0.95)
    width = next((width for width in _ROUND_WIDTHS if width * _BUCKETS >= typical), _ROUND_WIDTHS[-1])
    bucket_of = np.clip((lengths - 1) // width, 0, _BUCKETS)
    buckets = []
    for bucket in np.unique(bucket_of).tolist():
        members = np.flatnonzero(bucket_of == bucket).tolist()
        result = bleu.corpus_score(
            [hypotheses[i] for i in members], [[stream[i] for i in members] for stream in streams]
        )
        longest = (bucket + 1) * width if bucket < _BUCKETS else None
        buckets.append(LengthBucket(bucket * width + 1, longest, len(members), result.score))
    return tuple(buckets)
