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
    """Files `snapshots/step-00000500.nmt` of a run, in int8: at most so many, at equal distances."""

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
    """At most `most` of the steps kept so far and a new one: the first, the last, and others at equal distances.

    The distance doubles whenever there are too many, so at least half as many are kept.
    """
    kept = list(steps)
    if len(kept) > 3 and kept[-2] - kept[-3] < kept[1] - kept[0]:
        del kept[-2]  # which was kept as the last one
    if len(kept) > most:
        del kept[1:-1:2]
    return kept if most > 1 else kept[-1:]
