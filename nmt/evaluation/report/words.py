"""How often each word of the target language occurs in the training set; a run keeps it for its reports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from nmt.errors import UserError
from nmt.evaluation.report.training_set import training_sentences
from nmt.files import read_listed, write_listed
from nmt.metrics import choose_tokenizer

if TYPE_CHECKING:
    from nmt.data.prepare import PreparedCorpus
    from nmt.run import OpenRun

Tokens = list[str]

_SAMPLE = 1000  # sentences that the tokenizer is chosen by


def bleu_tokens(tokenizer: str) -> Callable[[str], Tokens]:
    """A function that cuts text into words as BLEU does with this tokenizer."""
    cut = bleu_metric(tokenizer).tokenizer
    return lambda text: cut(text).split()


def bleu_metric(tokenizer: str) -> Any:
    """SacreBLEU's BLEU with a tokenizer that scores were computed with; a UserError if it is not installed here."""
    from sacrebleu.metrics.bleu import BLEU

    try:
        return BLEU(tokenize=tokenizer, force=True)
    except RuntimeError as error:
        raise UserError(
            f'BLEU\'s tokenizer {tokenizer} is missing here: run pip install "sacrebleu[ja,ko]".'
        ) from error


class WordCounts(NamedTuple):
    """Words of the training set's target side with their counts, cut as BLEU's `tokenizer` does."""

    tokenizer: str
    counts: Counter[str]

    @classmethod
    def of(cls, run: OpenRun) -> WordCounts | None:
        """The counts that a run keeps; None if it has none."""
        if not run.word_counts_file.exists():
            return None
        return cls.parse(read_listed(run.word_counts_file).decode("utf-8"))

    @classmethod
    def parse(cls, text: str) -> WordCounts:
        """Read what `render_counts` wrote."""
        first, *lines = text.splitlines()
        counts: Counter[str] = Counter()
        for line in lines:
            count, _, words = line.partition("\t")
            counts.update(dict.fromkeys(words.split(" "), int(count)))
        return cls(first, counts)


def write_counts(run: OpenRun, corpus: PreparedCorpus) -> None:
    """Keep the counts of a training set in its run."""
    sentences = training_sentences(corpus.train.target, corpus.target_tokenizer)
    write_listed(run.word_counts_file, render_counts(sentences).encode("utf-8"))


def render_counts(sentences: Iterable[str]) -> str:
    """Count the words of sentences, with the tokenizer that their script calls for.

    The text has the tokenizer, then a line for each count: the count, a tab, and all words that occur so often.
    """
    iterator = iter(sentences)
    first = list(islice(iterator, _SAMPLE))
    tokenizer = choose_tokenizer(first)
    cut = bleu_tokens(tokenizer)
    counts = Counter(word for text in chain(first, iterator) for word in cut(text))
    by_count: dict[int, list[str]] = defaultdict(list)
    for word, count in sorted(counts.items()):
        by_count[count].append(word)
    lines = (f"{count}\t{' '.join(by_count[count])}\n" for count in sorted(by_count, reverse=True))
    return "".join([f"{tokenizer}\n", *lines])
