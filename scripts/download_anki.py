"""Fetch sentence pairs of one language with English from manythings.org/anki (Tatoeba, CC BY 2.0 FR).

    python scripts/download_anki.py fra

The zip is kept as it is in data/raw/, with its SHA-256 beside it: training reads it without unpacking.
"""

import argparse
import re
import zipfile
from functools import partial
from pathlib import Path

from fetching import fetch, run

from nmt.errors import UserError
from nmt.shell import shell_command

BASE_URL = "https://www.manythings.org/anki"


def download(language: str, directory: Path, base_url: str = BASE_URL) -> Path:
    """Fetch `<language>-eng.zip` into a directory, unless it is there and unharmed.

    Raises:
        UserError: The file cannot be had, or is not what it should be.
    """
    if not re.fullmatch("[a-z]{3}", language):
        raise UserError(f"'{language}' is no three-letter language code such as fra: see {BASE_URL}/ for the list.")
    file = directory / f"{language}-eng.zip"
    missing = f"see {BASE_URL}/ for the languages there are"
    return fetch(f"{base_url}/{file.name}", file, partial(_check, member=f"{language}.txt", name=file.name), missing)


def _check(file: Path, member: str, name: str) -> None:
    try:
        with zipfile.ZipFile(file) as archive:
            damaged = archive.testzip()
            members = archive.namelist()
    except zipfile.BadZipFile as error:
        raise UserError(f"{name} arrived, but is no zip file: try again, or fetch it with a browser.") from error
    if damaged or member not in members:
        raise UserError(f"{name} arrived, but without a sound {member} in it: try again.")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Fetch sentence pairs of a language with English.")
    parser.add_argument("language", nargs="?", default="fra", help="three-letter code, such as fra, deu, mar, cmn")

    def get(options: argparse.Namespace) -> str:
        file = download(options.language, options.directory, options.url)
        train = shell_command("train.py", "data=anki", f"data.path={file}")
        return f"{file} is ready. Train on it with:\n\n    {train}"

    run(parser, "data/raw", BASE_URL, get)


if __name__ == "__main__":
    main()
