"""Options that commands share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt import cli

if TYPE_CHECKING:
    from nmt.translation import Engine


def plain_parser(program: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser without options, whose help ends with examples."""
    shape = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(program, description=description, epilog=examples, formatter_class=shape)


def make_parser(program: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser with the options for runs, the search and the device."""
    parser = plain_parser(program, description, examples)
    add = parser.add_argument
    runs = "run directory (default: the newest finished one under outputs/); several make an ensemble"
    add("--run", type=Path, action="append", help=runs)
    add("--beam", type=cli.positive, help="beam size (default: the run's; 1 is greedy)")
    penalty = "score = log p / length^penalty: higher is longer (default: the run's)"
    add("--length-penalty", type=float, help=penalty)
    add("--device", default="auto", help="auto (default), cpu, cuda or mps")
    return parser


def search_changes(options: argparse.Namespace) -> dict[str, Any]:
    """The search settings that the user gave, by their names in the group decode."""
    given = {name: getattr(options, name, None) for name in ("length_penalty", "temperature", "top_p")}
    given |= {"beam_size": options.beam, "seed": getattr(options, "seed", None)}
    return {setting: value for setting, value in given.items() if value is not None}


def newest_run() -> Path:
    """The newest finished run under outputs/."""
    from nmt.config import ROOT
    from nmt.run import newest_finished

    return newest_finished(ROOT / "outputs").directory


def name_runs(directories: Sequence[Path], translator: Engine) -> None:
    """Print on stderr which runs are used, and for which languages."""
    source, target = translator.languages
    for directory in directories:
        print(f"run: {directory} ({source} → {target})", file=sys.stderr)
