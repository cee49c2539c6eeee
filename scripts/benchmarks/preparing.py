"""Preparing: our whole data stage against SentencePiece alone, on the same text."""

import dataclasses
import io
import tempfile
import time
from collections import Counter

import sentencepiece

from benchmarks.yardstick import Figures, in_turn, median_ratio, medians, timed
from nmt.data.bitext import Bitext, usable_pairs
from nmt.data.prepare import prepare
from nmt.data.settings import DataSettings


def measure(settings: DataSettings, repeats: int) -> dict[str, float]:
    """Pairs a second, and the time of everything as a multiple of SentencePiece's own."""
    assert settings.path is not None
    bitext = Bitext.of(settings, settings.path)
    columns = list(zip(*usable_pairs(bitext, settings.max_chars, settings.max_ratio, Counter()), strict=True))

    def ours() -> Figures:
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            pairs = prepare(dataclasses.replace(settings, prepared_dir=folder)).report.pairs_read
            seconds = time.perf_counter() - began
        return {"seconds": seconds, "pairs_per_second": pairs / seconds}

    def theirs() -> Figures:
        return {"seconds": timed(lambda: _sentencepiece_alone([list(column) for column in columns], settings))}

    rows = in_turn({"theirs": theirs, "ours": ours}, repeats)
    return {
        "pairs_per_second": medians(rows["ours"])["pairs_per_second"],
        "times sentencepiece": median_ratio(rows["ours"], rows["theirs"], "seconds"),
    }


def _sentencepiece_alone(columns: list[list[str]], settings: DataSettings) -> None:
    """Train on and encode text that is in memory already, with as many threads as we use."""
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
