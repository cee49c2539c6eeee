"""Attention-based recurrent translation: train it, understand it, use it.

`nmt.load("outputs/RUN").translate(["They are watching."])`; docs/python.md shows more.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.errors import UserError

if TYPE_CHECKING:
    from nmt.search import Search
    from nmt.translation import Engine


def load(
    runs: str | Path | Sequence[str | Path] | None = None,
    device: str = "auto",
    search: Search | None = None,
    **changes: Any,
) -> Engine:
    """Load a translator from a run directory; without one, from the newest finished run under outputs/.

    Args:
        runs: A run directory; several make an ensemble. Or a file of export.py, which needs no PyTorch.
        device: auto, cpu, cuda, cuda:1 or mps.
        search: A search method of nmt.search in the place of the run's own.
        changes: Other settings of the search method, such as beam_size=10.
    """
    if isinstance(runs, (str, os.PathLike)) and Path(runs).is_file():
        from nmt.portable.translator import PortableTranslator

        if search is not None:
            raise UserError(f"{runs} is an exported file, which has a beam search: leave out search=.")
        exported = PortableTranslator.load(Path(runs))
        exported.search = exported.search.changed(**changes)
        return exported
    from nmt.config import ROOT  # late, because PyTorch imports slowly
    from nmt.run import newest_finished
    from nmt.translator import Translator

    return Translator.load(newest_finished(ROOT / "outputs") if runs is None else runs, device, search, **changes)
