"""Preparing: our whole data stage against SentencePiece alone, on the same text."""

from __future__ import annotations

import dataclasses
import io
import statistics
import tempfile
import time
from collections import Counter

import sentencepiece

from nmt.data.bitext import Bitext, usable_pairs
from nmt.data.prepare import prepare
from nmt.data.settings import DataSettings


def measure(settings: DataSettings, repeats: int) -> dict[str, float]:
    """Pairs a second, and the time of everything as a multiple of SentencePiece's own."""
    assert settings.path is not None
    bitext = Bitext.of(settings, settings.path)
    columns = list(zip(*usable_pairs(bitext, settings.max_chars, settings.max_ratio, Counter()), strict=True))
    ours, theirs, pairs = [], [], 0
    for _ in range(repeats):
        theirs.append(_sentencepiece_alone([list(column) for column in columns], settings))
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            corpus = prepare(dataclasses.replace(settings, prepared_dir=folder))
            ours.append(time.perf_counter() - began)
            pairs = corpus.report.pairs_read
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    return {
        "pairs_per_second": pairs / statistics.median(ours),
        "times sentencepiece": statistics.median(ratios),
        "sentencepiece seconds": statistics.median(theirs),
    }


def _sentencepiece_alone(columns: list[list[str]], settings: DataSettings) -> float:
    """Seconds to train on and encode text that is in memory already, with as many threads as we use."""
    began = time.perf_counter()
    for sentences in columns:
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences),
            model_writer=model,
            vocab_size=settings.vocab_size,
            model_type=settings.vocab_type,
            byte_fallback=True,
            hard_vocab_limit=False,
            character_coverage=settings.character_coverage,
            num_threads=4,
            minloglevel=2,
        )
        sentencepiece.SentencePieceProcessor(model_proto=model.getvalue()).encode(sentences)
    return time.perf_counter() - began
