"""The metrics of a translation, in one list that tables, files, TensorBoard, training and comparisons read.

To add one, write a function from `Texts` to a `Score` and add a line to `METRICS`. This module is imported with the
settings, so functions import sacreBLEU and Moses only when they are called.
"""

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from typing import Any, Literal

from nmt.errors import UserError

log = logging.getLogger(__name__)

Streams = list[list[Any]]  # texts, or None for an absent reference, which sacreBLEU's own types do not allow


@dataclass(frozen=True)
class Score:
    """A metric of a corpus; `low` and `high` bound its 95 % bootstrap interval, where one was computed."""

    value: float
    signature: str  # everything that the value depends on, in sacreBLEU's format
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, eq=False)
class Texts:
    """Detokenised translations and their references: the input of every metric."""

    hypotheses: Sequence[str]  # one translation per sentence
    references: Sequence[Sequence[str]]  # of each sentence; their number may vary, and duplicates count once
    language: str = ""  # target language, for metrics whose rules depend on it
    bootstrap: int = 0  # resamples for confidence intervals; 0 computes none

    @cached_property
    def streams(self) -> Streams:
        """The references in sacreBLEU's layout."""
        return reference_streams(self.references)

    @cached_property
    def tokenizer(self) -> str:
        """SacreBLEU's tokenizer for the script of the references."""
        return choose_tokenizer(self.streams[0])

    @cached_property
    def bleu(self) -> tuple[Any, str]:
        """SacreBLEU's result object for BLEU, and its signature."""
        return _bleu(self.tokenizer, self.hypotheses, self.streams, self.bootstrap)


@dataclass(frozen=True)
class Metric:
    """One metric."""

    name: str  # key in scores.json, tag in TensorBoard, value of train.monitor
    label: str  # name in tables
    function: Callable[[Texts], Score]
    computed: Literal["validation", "test", "on request"] = "test"  # "validation": there and on the test set
    higher_is_better: bool = True


def bleu(texts: Texts) -> Score:
    """BLEU (Papineni 2002) with its bootstrap interval."""
    corpus, signature = texts.bleu
    return Score(corpus.score, signature, *_interval(corpus, texts.bootstrap))


def chrf(texts: Texts) -> Score:
    """F-score of character n-grams (Popović 2015) with its bootstrap interval."""
    from sacrebleu.metrics.chrf import CHRF

    return _measure(CHRF(), texts)


def sentence_chrf(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
    """The chrF of each sentence against the reference that is nearest to it.

    N-grams have up to 6 characters, about a word of an alphabet, or up to 2 where characters are syllables or words.
    """
    from sacrebleu.metrics.chrf import CHRF

    alphabetic = Texts(hypotheses, references).tokenizer == "13a"
    metric = CHRF() if alphabetic else CHRF(char_order=2)
    return [
        100.0 if hypothesis in group else metric.sentence_score(hypothesis, list(group)).score
        for hypothesis, group in zip(hypotheses, references, strict=True)
    ]


def ter(texts: Texts) -> Score:
    """Translation edit rate (Snover 2006) with interval: edits of words, or characters in scripts without spaces."""
    from sacrebleu.metrics.ter import TER

    by_character = texts.tokenizer in {"zh", "ja-mecab", "char"}
    return _measure(TER(normalized=by_character, asian_support=by_character), texts, most=math.inf)


def lower_moses_bleu(texts: Texts) -> Score:
    """BLEU on lower-cased Moses tokens, as papers on small corpora report it.

    Compare it with their figures only; between languages or tokenizers, sacreBLEU on plain text is the reliable one.
    """
    from nmt.moses import LowerCasedTokens

    tokenise = LowerCasedTokens(texts.language)
    streams = reference_streams([[tokenise(text) for text in group] for group in texts.references])
    corpus, signature = _bleu("none", [tokenise(text) for text in texts.hypotheses], streams, texts.bootstrap)
    moses = f"lc-tok:moses-{tokenise.language}-{version('sacremoses')}"
    return Score(corpus.score, f"{moses}|{signature}", *_interval(corpus, texts.bootstrap))


MAIN = "bleu"  # orders comparisons and is tested for significance
METRICS = {
    metric.name: metric
    for metric in (
        Metric("bleu", "BLEU", bleu, "validation"),
        Metric("chrf", "chrF", chrf, "validation"),
        Metric("ter", "TER", ter, "test", higher_is_better=False),
        Metric("lc_tok", "BLEU lc-tok", lower_moses_bleu, "on request"),
    )
}


def metrics_for(stage: Literal["validation", "test"], *requested: str) -> list[str]:
    """Names of the metrics that are computed in validation or on the test set, and of those requested."""
    stages = ("validation",) if stage == "validation" else ("validation", "test")
    return [name for name, metric in METRICS.items() if metric.computed in stages or name in requested]


def monitors() -> list[str]:
    """What `train.monitor` may name: the validation loss, or a metric that is computed in validation."""
    return ["loss", *metrics_for("validation")]


def is_improvement(name: str, value: float, best: float | None) -> bool:
    """Whether the monitored value is better than the best so far, if there is one."""
    if best is None:
        return True
    return value > best if name != "loss" and METRICS[name].higher_is_better else value < best


def choose_tokenizer(references: Sequence[str | None]) -> str:
    """Choose sacreBLEU's tokenizer by the script that most of the references are written in."""
    from nmt.writing_systems import count_scripts

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


@cache  # validation scores many times: warn once
def _installed_or_char(tokenizer: str) -> str:
    """Fall back to BLEU on characters, with a warning, where the tokenizer's segmenter is not installed."""
    from sacrebleu.metrics.bleu import BLEU

    try:
        BLEU(tokenize=tokenizer)
    except RuntimeError:
        problem = f"BLEU is computed on characters because its tokenizer {tokenizer} is missing"
        advice = f'for comparable numbers run pip install "sacrebleu[{tokenizer.removesuffix("-mecab")}]"'
        log.warning("%s; %s", problem, advice)
        return "char"
    return tokenizer


def reference_streams(references: Sequence[Sequence[str]]) -> Streams:
    """Transpose references by sentence into sacreBLEU's streams: all first references, all second ones and so on.

    Absent references are None, which sacreBLEU skips; an empty string would count as a reference. Duplicates are
    dropped because TER averages the lengths of the references.
    """
    if not references:
        raise UserError("There is nothing to score: the test set has no sentences.")
    unique = [list(dict.fromkeys(group)) for group in references]
    for number, group in enumerate(unique, start=1):
        if not group:
            raise UserError(f"Test sentence {number} has no reference: give it one or leave it out.")
    depth = max(len(group) for group in unique)
    return [[group[i] if i < len(group) else None for group in unique] for i in range(depth)]


def _bleu(tokenizer: str, hypotheses: Sequence[str], streams: Streams, bootstrap: int) -> tuple[Any, str]:
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize=tokenizer, force=True)  # force: no warning about tokenised periods
    return metric.corpus_score(hypotheses, streams, n_bootstrap=bootstrap), str(metric.get_signature())


def _measure(metric: Any, texts: Texts, most: float = 100.0) -> Score:
    compute = metric._compute_score_from_stats
    # Resampled statistics are NumPy's float32, which sacreBLEU cannot average with a score of exactly 0.0.
    metric._compute_score_from_stats = lambda statistics: compute([float(each) for each in statistics])
    corpus = metric.corpus_score(texts.hypotheses, texts.streams, n_bootstrap=texts.bootstrap)
    return Score(corpus.score, str(metric.get_signature()), *_interval(corpus, texts.bootstrap, most))


def _interval(corpus: Any, bootstrap: int, most: float = 100.0) -> tuple[float | None, float | None]:
    """SacreBLEU's 95 % bootstrap interval, clipped to [0, most] and widened where it would exclude the score.

    The bootstrap mean of a few sentences is biased, and sacreBLEU computes it in single precision.
    """
    if bootstrap < 2:
        return None, None
    mean, half = float(corpus._mean), float(corpus._ci)
    return min(max(mean - half, 0.0), corpus.score), max(min(mean + half, most), corpus.score)
