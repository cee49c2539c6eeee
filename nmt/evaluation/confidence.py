"""How sure a model is of each word that it wrote.

Shapes: N samples, S source length, T target length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from nmt.evaluation.words import merge_words
from nmt.model.alignment import Alignment
from nmt.special import BOS
from nmt.translator import Translation, Translator

_TOGETHER = 32  # samples drawn at once, if they fit
_LARGEST = 2**25  # logits at once: 128 MiB


@dataclass(frozen=True)
class Word:
    """A word of a translation."""

    text: str
    confidence: float  # its probability, given the source and the words before it
    spread: float | None = None  # standard deviation of that probability over dropout's samples, where they were asked


def word_confidence(translation: Translation) -> list[Word]:
    """The probability of each word: the product of those of its pieces."""
    return [Word(text, p[0]) for text, p in _words(translation, np.array([translation.log_probs]))]


def sampled_confidence(translator: Translator, translation: Translation, samples: int, seed: int = 0) -> list[Word]:
    """The mean of each word's probability over models that dropout draws from this one (Gal and Ghahramani 2016).

    A model that is sure of a word with every part of itself is right more often than one that is sure as a whole.
    """
    if not translation.target_ids:
        return []
    together = min(_TOGETHER, max(1, _LARGEST // (len(translation.target_ids) * len(translator.target_tokenizer))))
    parts = [min(together, samples - start) for start in range(0, samples, together)]
    drawn = [_sampled_log_probs(translator, translation, part, seed + i) for i, part in enumerate(parts)]
    words = _words(translation, np.concatenate(drawn))
    return [Word(text, float(np.mean(p)), float(np.std(p))) for text, p in words]


def _words(translation: Translation, log_probs: np.ndarray) -> list[tuple[str, list[float]]]:
    """Words, each with its probability in every row of tokens' log probabilities (N, T); the end is no word."""
    if not translation.target_tokens:
        return []
    pieces = translation.target_tokens[:-1]
    if not pieces:
        return []
    words, sums = merge_words(pieces, log_probs[:, : len(pieces)], axis=1)  # columns are added up
    return [(word, [min(1.0, math.exp(value)) for value in sums[:, i]]) for i, word in enumerate(words)]


@torch.inference_mode()
def _sampled_log_probs(translator: Translator, translation: Translation, samples: int, seed: int) -> np.ndarray:
    """Log probabilities (N, T) of a translation's tokens, with dropout."""
    model, device = translator.model, translator.device
    source, target = (_rows(ids, samples).to(device) for ids in (translation.source_ids, translation.target_ids))
    target_in = torch.cat([torch.full_like(target[:, :1], BOS), target[:, :-1]], dim=1)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        model.train()
        for module in model.modules():
            if isinstance(module, Alignment):
                module.eval()  # hard alignment draws positions in training: the spread is to be that of dropout alone
        try:
            output = model(source, torch.full((samples,), source.size(1)), target_in)
        finally:
            model.eval()
    log_probs = model.output(output.readout).float().log_softmax(dim=-1)
    return log_probs.gather(-1, target.unsqueeze(-1)).squeeze(-1).cpu().numpy()


def _rows(ids: Sequence[int], count: int) -> torch.Tensor:
    return torch.tensor([ids]).expand(count, -1)
