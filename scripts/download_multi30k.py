"""Fetch Multi30k, captions of images in English, German and French, from its repository on GitHub.

    python scripts/download_multi30k.py

The files are kept as they are in data/raw/multi30k/, with their SHA-256 beside them: training reads them as they are.
"""

import argparse
import gzip
import zlib
from functools import partial
from pathlib import Path

from fetching import fetch, run

from nmt.errors import UserError
from nmt.shell import shell_command

BASE_URL = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw"
LINES = {"train": 29_000, "val": 1_014, "test_2016_flickr": 1_000}


def download(languages: list[str], directory: Path, base_url: str = BASE_URL) -> list[Path]:
    """Fetch the three sets in some languages, unless they are there and unharmed.

    Raises:
        UserError: A file cannot be had, or is not what it should be.
    """
    missing = "the languages are en, de, fr and cs"
    return [
        fetch(f"{base_url}/{name}.{language}.gz", directory / f"{name}.{language}.gz", partial(_check, lines), missing)
        for language in languages
        for name, lines in LINES.items()
    ]


def _check(lines: int, file: Path) -> None:
    try:
        with gzip.open(file) as stream:
            found = sum(1 for _ in stream)
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"What arrived is no gzip file ({error}): try again.") from error
    if found != lines:
        raise UserError(f"A file arrived with {found} lines instead of {lines}: try again.")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Fetch Multi30k, captions of images in several languages.")
    parser.add_argument("languages", nargs="*", default=["en", "de", "fr"], help="en, de, fr or cs (default: en de fr)")

    def get(options: argparse.Namespace) -> str:
        download(options.languages, options.directory, options.url)
        train = shell_command("train.py", "experiment=multi30k_ende")
        return f"{options.directory} is ready. Train on it with:\n\n    {train}"

    run(parser, "data/raw/multi30k", BASE_URL, get)


if __name__ == "__main__":
    main()
