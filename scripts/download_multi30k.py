"""Fetch Multi30k, captions of images in English, German and French, from its repository on GitHub.

    python scripts/download_multi30k.py

The files are kept as they are in data/raw/multi30k/, with their SHA-256 beside them: training reads them as they are.
"""

import argparse
import gzip
import sys
import zlib
from functools import partial
from pathlib import Path

from fetching import DownloadError, fetch

BASE_URL = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw"
LINES = {"train": 29_000, "val": 1_014, "test_2016_flickr": 1_000}


def download(languages: list[str], directory: Path, base_url: str = BASE_URL) -> list[Path]:
    """Fetch the three sets in some languages, unless they are there and unharmed.

    Raises:
        DownloadError: A file cannot be had, or is not what it should be.
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
        raise DownloadError(f"What arrived is no gzip file ({error}): try again.") from error
    if found != lines:
        raise DownloadError(f"A file arrived with {found} lines instead of {lines}: try again.")


def main() -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Fetch Multi30k, captions of images in several languages.")
    parser.add_argument("languages", nargs="*", default=["en", "de", "fr"], help="en, de, fr or cs (default: en de fr)")
    parser.add_argument("--directory", type=Path, default=Path("data/raw/multi30k"), help="where to (%(default)s)")
    parser.add_argument("--url", default=BASE_URL, help="where to fetch it from (%(default)s)")
    arguments = parser.parse_args()
    try:
        download(arguments.languages, arguments.directory, arguments.url.rstrip("/"))
    except DownloadError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{arguments.directory} is ready. Train on it with:\n\n    python train.py experiment=multi30k_ende\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
