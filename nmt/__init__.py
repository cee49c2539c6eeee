"""Attention-based recurrent translation: train it, understand it, use it.

`nmt.load("outputs/RUN").translate(["They are watching."])`; docs/python.md shows more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from nmt.search import Search
    from nmt.translator import Translator


def load(
    runs: str | Path | Sequence[str | Path] | None = None,
    device: str = "auto",
    search: Search | None = None,
    **changes: Any,
) -> Translator:
    """Load a translator from a run directory; without one, from the newest finished run under outputs/.

    Args:
        runs: A run directory; several make an ensemble.
        device: auto, cpu, cuda, cuda:1 or mps.
        search: A search method of nmt.search in the place of the run's own.
        changes: Other settings of the search method, such as beam_size=10.
    """
    from nmt.config import ROOT  # late, because PyTorch imports slowly
    from nmt.run import newest_finished
    from nmt.translator import Translator

    return Translator.load(newest_finished(ROOT / "outputs") if runs is None else runs, device, search, **changes)
