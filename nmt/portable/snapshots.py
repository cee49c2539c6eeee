"""Snapshots of a model through its training, as portable files: to look at how its attention formed (`train.keep`)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from nmt.portable import file
from nmt.portable.builder import NotPortable
from nmt.portable.export import of_translator
from nmt.run import OpenRun
from nmt.translator import Translator
from nmt.unlike_training import TrainingData

log = logging.getLogger(__name__)


class Snapshots:
    """Files `snapshots/step-00000500.nmt` of a run, in int8: at most so many, spread evenly over the steps so far."""

    def __init__(self, run: OpenRun, translator: Translator, most: int) -> None:
        """Keep at most `most` snapshots of the translator's model."""
        self._run, self._translator, self._most = run, translator, most

    def __call__(self, step: int) -> None:
        """Write one of the model, which is in evaluation mode; a warning if it cannot be captured.

        Those of later steps, from before the run was resumed, are deleted.
        """
        if not self._most:
            return
        name = f"step-{step:08d}"
        self._translator.checkpoint = name
        try:
            tensors, record = of_translator(self._translator)
        except NotPortable as error:
            log.warning("train.keep has no effect: %s.", error)
            self._most = 0
            return
        about = {
            **asdict(TrainingData.of(self._run)),
            "guessing": None,
            "identity": self._run.identity,
            "scores": {},
            "card": {
                "Snapshot": f"After {step:,} updates of run {self._run.identity[:12]}, before its training ended."
            },
        }
        self._run.lock.check()
        file.write(self._run.snapshots / f"{name}{file.SUFFIX}", tensors, record | about)
        steps = kept_steps(self._run.snapshots)
        kept = thinned([each for each in steps if each <= step], self._most)
        for each in set(steps) - set(kept):
            (self._run.snapshots / f"step-{each:08d}{file.SUFFIX}").unlink(missing_ok=True)


def kept_steps(folder: Path) -> list[int]:
    """Steps of which there are snapshots, ascending."""
    names = (path.stem.removeprefix("step-") for path in folder.glob(f"step-*{file.SUFFIX}"))
    return sorted(int(name) for name in names if name.isdecimal())


def thinned(steps: Sequence[int], most: int) -> list[int]:
    """At most `most` of the steps, always with the last and, of two or more, the first.

    The one that goes has the nearest neighbours, so that the rest lie as evenly as can be.
    """
    kept = list(steps)
    while len(kept) > most:
        inner = range(1, len(kept) - 1)
        del kept[min(inner, key=lambda i: kept[i + 1] - kept[i - 1]) if most > 1 else 0]
    return kept
