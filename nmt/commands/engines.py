"""Which engine translates: numpy, which starts at once, or PyTorch, which is faster for many sentences."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nmt.commands.options import search_changes
from nmt.errors import UserError
from nmt.files import read_listed
from nmt.guessing import Guessing
from nmt.run import Run
from nmt.shell import shell_command

if TYPE_CHECKING:
    from nmt.portable.translator import PortableTranslator
    from nmt.translation import Engine
    from nmt.unlike_training import TrainingData

log = logging.getLogger(__name__)

FEW = 100  # sentences up to which numpy is the faster way, start included (docs/share.md)


class Loaded(NamedTuple):
    """An engine with a model, and what is known about the model's translations."""

    engine: Engine
    known: TrainingData
    threshold: float | None  # confidence at or below which a translation is a guess


def load(
    options: argparse.Namespace, runs: list[Path], lines: Iterator[str], one_by_one: bool
) -> tuple[Loaded, Iterator[str]]:
    """Load runs, or an exported file, for the lines to translate; returns all lines, of which a few may be read.

    `one_by_one` says that each line is answered before the next one is read.
    """
    portable = _load_portable(options, runs)
    if portable is None:
        return _load_torch(options, runs), lines
    portable.search = portable.search.changed(**search_changes(options))
    portable.search.for_nbest(options.nbest)  # an error comes before the first line is read
    if options.engine == "auto" and not one_by_one and runs[0].is_dir() and has_torch():
        first = list(islice(lines, FEW + 1))
        lines = chain(first, lines)
        if len(first) > FEW:
            return _load_torch(options, runs), lines
    return Loaded(portable, portable.known, portable.threshold), lines


def has_torch() -> bool:
    """Whether PyTorch is installed."""
    return find_spec("torch") is not None


def _load_portable(options: argparse.Namespace, runs: list[Path]) -> PortableTranslator | None:
    """The model for the numpy engine; None if PyTorch is to be used."""
    files = [run for run in runs if run.is_file()]
    needs = _need_of_torch(options, runs)
    if files and (needs or options.engine == "torch"):
        raise UserError(f"{needs or '--engine torch'} needs a run directory, and {files[0]} is an exported file.")
    if files:
        return open_portable(files[0])
    if options.engine == "numpy" and needs:
        raise UserError(f"{needs} needs PyTorch: leave out --engine numpy.")
    if options.engine == "torch" or needs:
        return None
    run = Run(runs[0])
    if not run.portable_file.exists() and options.engine != "numpy" and has_torch():
        return None
    try:
        return open_portable(run.directory)
    except DamagedPortable as error:
        if options.engine == "numpy" or not has_torch():
            raise
        log.warning("%s PyTorch is used instead.", error)
        return None


class DamagedPortable(UserError):
    """The portable file of a run that may be in order otherwise."""


def open_portable(path: Path) -> PortableTranslator:
    """The model of an exported file or of a finished run, for the numpy engine."""
    from nmt.portable.translator import PortableTranslator

    if path.is_file():
        return PortableTranslator.load(path)
    run = Run(path)
    run.check()
    run.finished()
    if not run.portable_file.exists():
        export = shell_command("export.py", "--run", run.directory)
        raise UserError(f"{run.directory} has no {run.portable_file.name}: write it, with PyTorch, by `{export}`.")
    try:
        translator = PortableTranslator.from_content(read_listed(run.portable_file), run.portable_file)
        if translator.identity != run.read_identity():
            raise UserError(f"{run.portable_file} belongs to another run.")
    except UserError as error:
        raise DamagedPortable(str(error)) from error
    guessing = Guessing.of(run, translator.checkpoint)  # that of the run counts, as with PyTorch
    translator.threshold = guessing.threshold if guessing else None
    return translator


def _need_of_torch(options: argparse.Namespace, runs: list[Path]) -> str | None:
    """The first option that only PyTorch can fulfil."""
    reasons = {
        "An ensemble": len(runs) > 1,
        "--sample": options.sample,
        f"--device {options.device}": options.device not in ("auto", "cpu"),
    }
    return next((name for name, given in reasons.items() if given), None)


def _load_torch(options: argparse.Namespace, runs: list[Path]) -> Loaded:
    """Runs with the search that the options ask for."""
    from nmt.search import Sample

    loaded = load_torch(runs, options.device)
    translator, changes = loaded.engine, search_changes(options)
    search = translator.search
    translator.search = search.converted(Sample, **changes) if options.sample else search.changed(**changes)
    translator.search.for_nbest(options.nbest)
    # A threshold holds for one model, and not for translations that are drawn at random.
    return loaded._replace(threshold=None) if options.sample or len(runs) > 1 else loaded


def load_torch(runs: list[Path], device: str) -> Loaded:
    """A run, or several as an ensemble, for the PyTorch engine."""
    from nmt.translator import Translator
    from nmt.unlike_training import TrainingData

    opened = [Run.open(run) for run in runs]
    translator = Translator.load(opened, device)
    guessing = Guessing.of(opened[0], translator.checkpoint)
    return Loaded(translator, TrainingData.of(opened[0]), guessing.threshold if guessing else None)
