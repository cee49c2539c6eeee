"""Options that commands share."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt import cli

if TYPE_CHECKING:
    from nmt.translator import Translator


def plain_parser(program: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser without options, whose help ends with examples."""
    shape = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(program, description=description, epilog=examples, formatter_class=shape)


def make_parser(program: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser with the options for runs, the search and the device."""
    parser = plain_parser(program, description, examples)
    parser.add_argument(
        "--run",
        type=Path,
        action="append",
        help="run directory (default: the newest finished one under outputs/); several make an ensemble",
    )
    parser.add_argument("--beam", type=cli.positive, help="beam size (default: the run's; 1 is greedy)")
    parser.add_argument(
        "--length-penalty", type=float, help="score = log p / length^penalty: higher is longer (default: the run's)"
    )
    parser.add_argument(
        "--batch-tokens", type=cli.positive, help="hypotheses × source tokens at once; changes speed, never results"
    )
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    return parser


def search_changes(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of the search that the user gave, by their names in decode."""
    names = {"beam": "beam_size", "length_penalty": "length_penalty", "batch_tokens": "batch_tokens"}
    names |= {"temperature": "temperature", "top_p": "top_p", "seed": "seed"}
    given = {setting: getattr(options, option, None) for option, setting in names.items()}
    return {setting: value for setting, value in given.items() if value is not None}


def name_runs(directories: list[Path], translator: Translator) -> None:
    """Say on stderr which runs are used, and for which languages."""
    source, target = translator.languages
    for directory in directories:
        print(f"run: {directory} ({source} → {target})", file=sys.stderr)
