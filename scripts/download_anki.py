"""Fetch sentence pairs of one language with English from manythings.org/anki (Tatoeba, CC BY 2.0 FR).

    python scripts/download_anki.py fra

The zip is kept as it is in data/raw/, with its SHA-256 beside it: training reads it without unpacking.
"""

import argparse
import re
import sys
import zipfile
from functools import partial
from pathlib import Path

from fetching import DownloadError, fetch

BASE_URL = "https://www.manythings.org/anki"


def download(language: str, directory: Path, base_url: str = BASE_URL) -> Path:
    """Fetch `<language>-eng.zip` into a directory, unless it is there and unharmed.

    Raises:
        DownloadError: The file cannot be had, or is not what it should be.
    """
    if not re.fullmatch("[a-z]{3}", language):
        raise DownloadError(f"'{language}' is no three-letter language code such as fra: see {BASE_URL}/ for the list.")
    file = directory / f"{language}-eng.zip"
    missing = f"see {BASE_URL}/ for the languages there are"
    return fetch(f"{base_url}/{file.name}", file, partial(_check, member=f"{language}.txt", name=file.name), missing)


def _check(file: Path, member: str, name: str) -> None:
    try:
        with zipfile.ZipFile(file) as archive:
            damaged = archive.testzip()
            members = archive.namelist()
    except zipfile.BadZipFile as error:
        raise DownloadError(f"{name} arrived, but is no zip file: try again, or fetch it with a browser.") from error
    if damaged or member not in members:
        raise DownloadError(f"{name} arrived, but without a sound {member} in it: try again.")


def main() -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Fetch sentence pairs of a language with English.")
    parser.add_argument("language", nargs="?", default="fra", help="three-letter code, such as fra, deu, mar, cmn")
    parser.add_argument("--directory", type=Path, default=Path("data/raw"), help="where to put it (%(default)s)")
    parser.add_argument("--url", default=BASE_URL, help="where to fetch it from (%(default)s)")
    arguments = parser.parse_args()
    try:
        file = download(arguments.language, arguments.directory, arguments.url.rstrip("/"))
    except DownloadError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{file} is ready. Train on it with:\n\n    python train.py data=anki data.path={file}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
