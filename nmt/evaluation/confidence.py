"""Confidence of each word of a translation, by Monte Carlo dropout.

Shapes: N samples, S source length, T target length.
"""

import numpy as np
import torch

from nmt.model.alignment import Alignment
from nmt.special import BOS
from nmt.translation import Translation, Word
from nmt.translator import Translator

_TOGETHER = 32  # samples drawn at once, if they fit
_LARGEST = 2**25  # logits at once: 128 MiB


def sampled_confidence(translator: Translator, translation: Translation, samples: int, seed: int = 0) -> list[Word]:
    """Mean and standard deviation of each word's probability over dropout masks (Gal and Ghahramani 2016).

    A word that stays likely whatever is dropped is right more often than one that is likely without dropout.
    """
    if not translation.target_ids:
        return []
    together = min(_TOGETHER, max(1, _LARGEST // (len(translation.target_ids) * len(translator.target_tokenizer))))
    parts = [min(together, samples - start) for start in range(0, samples, together)]
    drawn = [_sampled_log_probs(translator, translation, part, seed + i) for i, part in enumerate(parts)]
    words = translation.word_probabilities(np.concatenate(drawn))
    return [Word(text, float(np.mean(p)), float(np.std(p))) for text, p in words]


@torch.inference_mode()
def _sampled_log_probs(translator: Translator, translation: Translation, samples: int, seed: int) -> np.ndarray:
    """Log probabilities (N, T) of a translation's tokens, with dropout."""
    model, device = translator.model, translator.device
    rows = (torch.tensor([ids]).expand(samples, -1) for ids in (translation.source_ids, translation.target_ids))
    source, target = (ids.to(device) for ids in rows)
    target_in = torch.cat([torch.full_like(target[:, :1], BOS), target[:, :-1]], dim=1)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        model.train()
        for module in model.modules():
            if isinstance(module, Alignment):
                module.eval()  # hard alignment samples positions in training; only dropout should vary
        try:
            output = model(source, torch.full((samples,), source.size(1)), target_in)
        finally:
            model.eval()
    log_probs = model.output(output.readout).float().log_softmax(dim=-1)
    return log_probs.gather(-1, target.unsqueeze(-1)).squeeze(-1).cpu().numpy()
