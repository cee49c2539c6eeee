"""Fetch sentence pairs of one language with English from manythings.org/anki (Tatoeba, CC BY 2.0 FR).

    python scripts/download_anki.py fra

The zip is kept as it is in data/raw/, with its SHA-256 beside it: training reads it without unpacking.
"""

import argparse
import hashlib
import http.client
import os
import re
import sys
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

BASE_URL = "https://www.manythings.org/anki"
TIMEOUT_SECONDS = 30
MAX_BYTES = 512 * 2**20
# The site turns away the default agent of urllib.
USER_AGENT = "Mozilla/5.0 (compatible; nmt-download-anki/1.0)"


class DownloadError(Exception):
    """What went wrong and what to do, in one sentence."""


def download(language: str, directory: Path, base_url: str = BASE_URL) -> Path:
    """Fetch `<language>-eng.zip` into a directory, unless it is there and unharmed.

    Raises:
        DownloadError: The file cannot be had, or is not what it should be.
    """
    if not re.fullmatch("[a-z]{3}", language):
        raise DownloadError(f"'{language}' is no three-letter language code such as fra: see {BASE_URL}/ for the list.")
    file = directory / f"{language}-eng.zip"
    record = file.with_name(f"{file.name}.sha256")
    if file.is_file() and record.is_file() and record.read_text().split()[:1] == [_sha256(file)]:
        return file
    directory.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        _fetch(f"{base_url}/{file.name}", partial)
        _check(partial, f"{language}.txt", file.name)
        # The record goes first: a file without a fitting record is fetched again, never trusted.
        record.write_text(f"{_sha256(partial)}  {file.name}\n")
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
    return file


def _fetch(url: str, file: Path) -> None:
    request = urllib.request.Request(url, headers={"User-Agent": USER_AGENT})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response, file.open("wb") as out:
            size = 0
            while block := response.read(2**16):
                size += len(block)
                if size > MAX_BYTES:
                    raise DownloadError(
                        f"{url} is larger than {MAX_BYTES // 2**20} MB: it is not the file it should be."
                    )
                out.write(block)
            expected = response.headers["Content-Length"]
            out.flush()
            os.fsync(out.fileno())
    except urllib.error.HTTPError as error:
        hint = f"see {BASE_URL}/ for the languages there are" if error.code == 404 else "try again later"
        raise DownloadError(f"{url} cannot be fetched (HTTP {error.code}): {hint}.") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadError(f"{url} cannot be fetched ({reason}): check the network and try again.") from error
    if expected is not None and size != int(expected):
        raise DownloadError(f"{url} broke off after {size} of {expected} bytes: try again.")


def _check(file: Path, member: str, name: str) -> None:
    try:
        with zipfile.ZipFile(file) as archive:
            damaged = archive.testzip()
            members = archive.namelist()
    except zipfile.BadZipFile as error:
        raise DownloadError(f"{name} arrived, but is no zip file: try again, or fetch it with a browser.") from error
    if damaged or member not in members:
        raise DownloadError(f"{name} arrived, but without a sound {member} in it: try again.")


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(2**20):
            digest.update(block)
    return digest.hexdigest()


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
