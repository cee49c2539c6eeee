"""When a model is guessing: the confidence below which nine of ten of its translations are bad.

The threshold is found on the validation set at the end of training and kept in the run's guessing.json; runs of
earlier versions have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from nmt.data.heldout import HeldOut
from nmt.files import read_record, write_record
from nmt.metrics import sentence_chrf
from nmt.run import Run
from nmt.translation import Translation
from nmt.typed import to_dataclass, written_to

BAD = 40.0  # a translation with a lower sentence chrF is bad: hardly a phrase of it is right
DESERVED = 0.9  # share of the notices that must be for bad translations
_Z = 1.2816  # normal quantile of 90 %: how sure that share must be, as few sentences show little


@dataclass(frozen=True)
class Guessing:
    """The threshold of a checkpoint, and what it would have done on the validation set."""

    checkpoint: str
    threshold: float | None  # confidence at or below which the model is guessing; None: none is good enough
    sentences: int  # validation sentences
    bad: int  # of them, translated badly
    notices: int  # of them, at or below the threshold
    deserved: int  # of the notices, for bad translations

    @classmethod
    def calibrated(cls, checkpoint: str, confidences: Sequence[float], chrf: Sequence[float]) -> Guessing:
        """Choose the highest threshold at which nine of ten notices are deserved, by the lower end of their interval.

        The fewest sentences that give a threshold are 15 bad ones with lower confidences than any other.
        """
        order = np.argsort(confidences, kind="stable")
        ordered, bad = np.asarray(confidences)[order], np.asarray(chrf)[order] < BAD
        notices, deserved = np.arange(1, len(ordered) + 1), np.cumsum(bad)
        whole = np.append(ordered[1:] > ordered[:-1], True)  # equal confidences get a notice together or not at all
        allowed = np.flatnonzero(whole & (_lower_end(deserved, notices) >= DESERVED))
        if not len(allowed):
            return cls(checkpoint, None, len(ordered), int(bad.sum()), 0, 0)
        last = allowed[-1]
        counts = len(ordered), int(bad.sum()), int(notices[last]), int(deserved[last])
        return cls(checkpoint, float(ordered[last]), *counts)

    @classmethod
    def on(cls, checkpoint: str, translations: Sequence[Translation], examples: Sequence[HeldOut]) -> Guessing:
        """Calibrate a checkpoint on its translations of a validation set."""
        texts, references = [each.text for each in translations], [example.references for example in examples]
        return cls.calibrated(checkpoint, [each.confidence for each in translations], sentence_chrf(texts, references))

    @classmethod
    def of(cls, run: Run, checkpoint: str | None) -> Guessing | None:
        """Read a run's record; None if it has none, or one of another checkpoint."""
        if not run.guessing_file.exists():
            return None
        with written_to(run.guessing_file):
            record = to_dataclass(cls, read_record(run.guessing_file), "guessing")
        return record if record.checkpoint == checkpoint else None

    def write(self, run: Run) -> None:
        """Keep it in the run."""
        write_record(run.guessing_file, asdict(self))

    def line(self) -> str:
        """What was found, for the log of the training."""
        if self.threshold is None:
            few = f"{self.bad} of {self.sentences} validation sentences were translated badly"
            return f"translate.py will not say when the model is guessing: {few}, and no confidence tells them apart."
        share = f"{self.deserved} of {self.notices} in validation were bad, of {self.bad} bad ones in all"
        return f"translate.py will call translations with a confidence up to {self.threshold:.2f} guesses: {share}."


def _lower_end(deserved: np.ndarray, notices: np.ndarray) -> np.ndarray:
    """Lower end of the interval of a share (Wilson 1927), one-sided."""
    share, z2 = deserved / notices, _Z**2 / notices
    return (share + z2 / 2 - np.sqrt(z2 * (share * (1 - share) + z2 / 4))) / (1 + z2)
