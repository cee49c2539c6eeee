"""Validation during training: loss, metrics, sample translations, and statistics of the attention.

Shapes: B batch, T target length, S source length.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from nmt.data.heldout import HeldOut
from nmt.evaluation.evaluate import choose_examples, evaluate
from nmt.metrics import metrics_for
from nmt.ranks import ALONE, Ranks
from nmt.special import PAD
from nmt.training.loss import token_loss
from nmt.training.monitor import Validation
from nmt.translation import Translation
from nmt.translator import Translator

SAMPLES, HEATMAPS = 8, 3


class Validator:
    """Scores the model that is being trained, always on the same sentences."""

    def __init__(
        self,
        model: nn.Module,
        batches: Callable[[], Iterable[Any]],
        translator: Translator,
        examples: Sequence[HeldOut],
        ranks: Ranks = ALONE,
    ) -> None:
        """Compute the loss on `batches`, this rank's share, and the metrics on `examples`."""
        self.model, self.batches, self.translator = model, batches, translator
        self.output: Any = model.output
        self.examples, self.ranks = examples, ranks
        self._chosen: list[int] | None = None

    def __call__(self) -> Validation:
        """Validate the model, which must be in evaluation mode."""
        metrics = self._teacher_forced()
        evaluation = evaluate(self.translator, self.examples, metrics=metrics_for("validation"), bootstrap=0)
        metrics |= evaluation.scores.values()
        samples = [
            (example.source, translation.text, example.references[0])
            for example, translation in zip(self.examples[:SAMPLES], evaluation.translations, strict=False)
        ]
        return Validation(metrics, samples, self._heatmaps(evaluation.translations))

    @torch.inference_mode()
    def _teacher_forced(self) -> dict[str, float]:
        """Loss, perplexity and accuracy per token; mean entropy of the attention and mean weight on EOS."""
        nll = correct = entropy = last = 0.0
        tokens = attentive = 0
        for batch in self.batches():
            output = self.model(batch.source, batch.source_lengths, batch.target_in)
            sums = token_loss(output.readout, batch.target_out, batch.real, self.output, label_smoothing=0.0)
            nll, correct, tokens = nll + float(sums.nll), correct + float(sums.correct), tokens + batch.tokens
            if output.weights is not None:
                attentive = 1
                health = attention_health(output.weights, batch.source_lengths, batch.target_out != PAD)
                entropy, last = entropy + float(health[0]), last + float(health[1])
        totals = torch.tensor([nll, correct, entropy, last, tokens, attentive], dtype=torch.float64)
        nll, correct, entropy, last, tokens, attentive = self.ranks.all_gather(totals).sum(dim=0).tolist()
        loss = nll / tokens
        metrics = {"loss": loss, "perplexity": math.exp(min(loss, 100.0)), "accuracy": correct / tokens}
        if attentive:
            metrics |= {"attention_entropy": entropy / tokens, "attention_on_last": last / tokens}
        return metrics

    def _heatmaps(self, translations: Sequence[Translation]) -> dict[str, Any]:
        if not self.ranks.is_first:  # only rank 0 reports
            return {}
        from nmt.evaluation import heatmap  # imports matplotlib, which no update needs

        if self._chosen is None:
            self._chosen = choose_examples(translations, HEATMAPS)
        return {
            f"{number}": heatmap.to_array(heatmap.draw_translation(translations[i], self.translator.languages))
            for number, i in enumerate(self._chosen, start=1)
        }


def attention_health(weights: Tensor, source_lengths: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    """Entropy (in nats) and weight on the source's EOS, each summed over the real target tokens.

    Attention that never sharpens has an entropy near ln S; collapsed attention puts its weight on EOS. Weights that
    sum to less than 1, as in local-p, are normalised first.
    """
    weights = weights.float()
    weights = weights / weights.sum(dim=-1, keepdim=True).clamp_min(1e-12)
    entropy = torch.special.entr(weights).sum(dim=-1)  # (B, T)
    ends = (source_lengths - 1).to(weights.device).view(-1, 1, 1).expand(-1, weights.size(1), 1)
    last = weights.gather(-1, ends).squeeze(-1)  # (B, T)
    return (entropy * real).sum(), (last * real).sum()
