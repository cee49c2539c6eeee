"""How often each word of the target language occurs in the training set; a run keeps it for its reports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

from nmt.errors import UserError
from nmt.evaluation.report.training_set import prepared_corpus, training_sentences
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


class WordCounts:
    """Words of the training set's target side with their counts, cut as BLEU's `tokenizer` does."""

    def __init__(self, tokenizer: str, counts: Counter[str]) -> None:
        self.tokenizer, self.counts = tokenizer, counts

    @classmethod
    def count(cls, sentences: Iterable[str]) -> WordCounts:
        """Count the words of sentences, with the tokenizer that their script calls for."""
        iterator = iter(sentences)
        first = [text for text, _ in zip(iterator, range(_SAMPLE), strict=False)]
        tokenizer = choose_tokenizer(first)
        cut = bleu_tokens(tokenizer)
        return cls(tokenizer, Counter(word for text in chain(first, iterator) for word in cut(text)))

    @classmethod
    def of_corpus(cls, corpus: PreparedCorpus) -> WordCounts:
        """Count the words of a prepared corpus."""
        return cls.count(training_sentences(corpus.train.target, corpus.target_tokenizer))

    @classmethod
    def of(cls, run: OpenRun) -> WordCounts | None:
        """Read the counts of a run; runs of earlier versions have them as long as their prepared corpus is there."""
        if run.word_counts_file.exists():
            return cls.parse(read_listed(run.word_counts_file).decode("utf-8"))
        corpus = prepared_corpus(run)
        return cls.of_corpus(corpus) if corpus else None

    @classmethod
    def parse(cls, text: str) -> WordCounts:
        """Read what `render` wrote."""
        first, *lines = text.splitlines()
        rows = (line.split("\t") for line in lines)
        return cls(first, Counter({word: int(count) for count, words in rows for word in words.split(" ")}))

    def render(self) -> str:
        """The tokenizer, then a line for each count: the count, a tab, and all words that occur so often."""
        words = defaultdict(list)
        for word, count in self.counts.items():
            words[count].append(word)
        lines = (f"{count}\t{' '.join(sorted(words[count]))}\n" for count in sorted(words, reverse=True))
        return "".join([f"{self.tokenizer}\n", *lines])

    def write(self, run: OpenRun) -> None:
        """Keep them in the run."""
        write_listed(run.word_counts_file, self.render().encode("utf-8"))
