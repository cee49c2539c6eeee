"""The training set of a run, for as long as its prepared corpus is where it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nmt.data.spool import sentence_hash

if TYPE_CHECKING:
    from nmt.data.heldout import HeldOut
    from nmt.data.prepare import PreparedCorpus
    from nmt.data.store import Replaced
    from nmt.data.store import Sequences as Stored
    from nmt.data.tokenizer import Tokenizer
    from nmt.run import OpenRun

_BLOCK = 8192  # sentences decoded together


def prepared_corpus(run: OpenRun) -> PreparedCorpus | None:
    """The corpus that a run was trained on; None if it is gone."""
    from nmt.data.prepare import PreparedCorpus

    data, key = run.config.data, run.provenance["data_key"]
    source, target, *_ = data.direction()
    directory = Path(data.prepared_dir).expanduser() / f"{data.name}-{source}-{target}-{key[:12]}"
    return PreparedCorpus.open(directory) if directory.is_dir() else None


def training_sentences(stored: Stored | Replaced, tokenizer: Tokenizer) -> Iterator[str]:
    """The texts of one side, decoded in blocks."""
    for start in range(0, len(stored), _BLOCK):
        block = np.arange(start, min(start + _BLOCK, len(stored)))
        ids = np.split(stored.flat(block), np.cumsum(stored.lengths[block])[:-1])
        yield from tokenizer.decode_batch([each.tolist() for each in ids])


def shared_with_training(corpus: PreparedCorpus, examples: Sequence[HeldOut]) -> int:
    """Number of examples whose source, or one of whose references, a training pair has on that side.

    As in splits, case, punctuation and spacing make no difference.
    """
    sources = [sentence_hash(example.source) for example in examples]
    references = [{sentence_hash(text) for text in example.references if text} for example in examples]
    train = corpus.train
    seen_sources = _seen(set(sources), training_sentences(train.source, corpus.source_tokenizer))
    seen_targets = _seen(set().union(*references), training_sentences(train.target, corpus.target_tokenizer))
    pairs = zip(sources, references, strict=True)
    return sum(source in seen_sources or bool(group & seen_targets) for source, group in pairs)


def _seen(hashes: set[bytes], texts: Iterator[str]) -> set[bytes]:
    return {found for text in texts if (found := sentence_hash(text)) in hashes}
