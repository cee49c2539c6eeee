"""What a model would say instead of the reference, and how much of it is right: the material of risk training.

Minimum risk training (Shen 2016) lowers R = Σ q(u)·(1 − gain(u)) over the translations u that a beam finds, where
q(u) ∝ p(u)^(κ/|u|) and gain is BLEU of the sentence, in pieces. Its gradient is that of a weighted likelihood,

    ∂R/∂log p(u) = −κ/|u| · q(u)·(gain(u) − Σ q·gain),

so the translations become one more batch, with a weight for each token: those better than their mean gain probability.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from nmt.config import DecodeSettings
from nmt.data.batching import Batch, collate
from nmt.data.store import Sequences, TokenStore
from nmt.search import Hypothesis, search
from nmt.special import EOS, PAD

BEAM = 6  # translations looked at
SHARPNESS = 4.0  # κ: how much more a likelier translation counts
WEIGHT = 10.0  # of the risk of a sentence, beside the likelihood of one token of its reference

_ORDER = 4  # of the longest n-grams


class Explored(NamedTuple):
    """Translations with their sources as a batch, and what each of their tokens counts (N,)."""

    batch: Batch
    weights: Tensor


def explore(model: Any, batch: Batch, settings: DecodeSettings) -> Explored | None:
    """Search for translations of a batch with a model in evaluation mode; None where each sentence has but one."""
    found = search(model, batch.source, batch.source_lengths, replace(settings, beam_size=BEAM, length_penalty=1.0))
    sources, targets, weights = [], [], []
    for row, hypotheses in enumerate(found):
        source = batch.source[row, : int(batch.source_lengths[row]) - 1].tolist()
        reference = [i for i in batch.target_out[row].tolist() if i not in (PAD, EOS)]
        for hypothesis, weight in zip(hypotheses, risk_weights(hypotheses, reference), strict=True):
            if weight:
                sources.append(source)
                targets.append(hypothesis.tokens)
                weights.append(weight)
    if not weights:
        return None
    store = TokenStore(Sequences.of(sources, np.int64), Sequences.of(targets, np.int64))
    explored = collate(store, np.arange(len(store))).to(batch.source.device)
    lengths = torch.tensor([len(target) + 1 for target in targets])
    counts = torch.tensor(weights).repeat_interleave(lengths).to(batch.source.device)
    return Explored(explored, counts)


def risk_weights(hypotheses: Sequence[Hypothesis], reference: Sequence[int]) -> list[float]:
    """What each token of each translation counts: the negative of the gradient above, for a sentence of any length.

    A sentence counts WEIGHT times for every token of its reference, so that the risk and the likelihood, which is
    summed over tokens, keep their proportion.
    """
    lengths = [len(hypothesis.tokens) + 1 for hypothesis in hypotheses]
    means = [sum(each.log_probs) / length for each, length in zip(hypotheses, lengths, strict=True)]
    shares = [math.exp(SHARPNESS * (mean - max(means))) for mean in means]
    shares = [share / sum(shares) for share in shares]
    gains = [sentence_bleu(hypothesis.tokens, reference) for hypothesis in hypotheses]
    expected = sum(share * gain for share, gain in zip(shares, gains, strict=True))
    scale = WEIGHT * SHARPNESS * (len(reference) + 1)
    rows = zip(shares, gains, lengths, strict=True)
    return [scale / length * share * (gain - expected) for share, gain, length in rows]


def sentence_bleu(tokens: Sequence[int], reference: Sequence[int]) -> float:
    """BLEU of one sentence, between 0 and 1, where longer n-grams count as if one more had matched (Lin 2004)."""
    if not tokens or not reference:
        return float(not tokens and not reference)
    total = 0.0
    for n in range(1, _ORDER + 1):
        ours, theirs = _ngrams(tokens, n), _ngrams(reference, n)
        matches, count, more = (ours & theirs).total(), ours.total(), int(n > 1)
        if matches + more == 0:
            return 0.0
        total += math.log((matches + more) / (count + more))
    return math.exp(total / _ORDER + min(0.0, 1 - len(reference) / len(tokens)))


def _ngrams(tokens: Sequence[int], n: int) -> Counter[Any]:
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))
