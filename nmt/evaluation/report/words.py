"""How often each word of the target language occurs in the training set; a run keeps it for its reports."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any
from zlib import crc32

from nmt.errors import UserError
from nmt.evaluation.report.training_set import prepared_corpus, training_sentences
from nmt.files import read_listed, write_listed
from nmt.metrics import choose_tokenizer

if TYPE_CHECKING:
    from nmt.data.prepare import PreparedCorpus
    from nmt.run import OpenRun

Tokens = list[str]

_PARTS = 16  # in which words are counted
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
    def of(cls, run: OpenRun, wanted: Container[str] | None = None) -> WordCounts | None:
        """Read the counts of a run, of `wanted` words only or of all.

        Runs of earlier versions have them as long as their prepared corpus is there.
        """
        if run.word_counts_file.exists():
            return cls.parse(read_listed(run.word_counts_file).decode("utf-8"), wanted)
        corpus = prepared_corpus(run)
        return cls.parse(render_counts(target_side(corpus)), wanted) if corpus else None

    @classmethod
    def parse(cls, text: str, wanted: Container[str] | None = None) -> WordCounts:
        """Read what `render_counts` wrote."""
        first, *lines = text.splitlines()
        counts: Counter[str] = Counter()
        for line in lines:
            count, _, words = line.partition("\t")
            for match in re.finditer("[^ ]+", words):  # one at a time: there may be millions
                if wanted is None or match[0] in wanted:
                    counts[match[0]] = int(count)
        return cls(first, counts)


def target_side(corpus: PreparedCorpus) -> Iterator[str]:
    """The target sentences of a training set."""
    return training_sentences(corpus.train.target, corpus.target_tokenizer)


def write_counts(run: OpenRun, corpus: PreparedCorpus) -> None:
    """Keep the counts of a training set in its run."""
    write_listed(run.word_counts_file, render_counts(target_side(corpus)).encode("utf-8"))


def render_counts(sentences: Iterable[str]) -> str:
    """Count the words of sentences, with the tokenizer that their script calls for.

    The text has the tokenizer, then a line for each count: the count, a tab, and all words that occur so often.
    """
    iterator = iter(sentences)
    first = [text for text, _ in zip(iterator, range(_SAMPLE), strict=False)]
    tokenizer = choose_tokenizer(first)
    cut = bleu_tokens(tokenizer)
    words: dict[int, list[str]] = defaultdict(list)  # count → words, joined
    for part in _counted(word for text in chain(first, iterator) for word in cut(text)):
        by_count = defaultdict(list)
        for word, count in sorted(part.items()):
            by_count[count].append(word)
        for count, found in by_count.items():
            words[count].append(" ".join(found))
    lines = (f"{count}\t{' '.join(words[count])}\n" for count in sorted(words, reverse=True))
    return "".join([f"{tokenizer}\n", *lines])


def _counted(words: Iterable[str]) -> Iterator[Counter[str]]:
    """Counts in parts that have no word in common: memory holds one of them, whatever the size of the corpus."""
    with ExitStack() as stack:
        parts = [stack.enter_context(TemporaryFile("w+", encoding="utf-8", newline="\n")) for _ in range(_PARTS)]
        for word in words:
            parts[crc32(word.encode("utf-8")) % _PARTS].write(f"{word}\n")
        for part in parts:
            part.seek(0)
            yield Counter(line[:-1] for line in part)
