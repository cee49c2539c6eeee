"""Download a file completely or not at all."""

import argparse
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from nmt import cli
from nmt.errors import UserError
from nmt.files import sha256

TIMEOUT_SECONDS = 30
MAX_BYTES = 512 * 2**20
# Some sites turn away the default agent of urllib.
USER_AGENT = "Mozilla/5.0 (compatible; nmt-download/1.0)"


def run(parser: argparse.ArgumentParser, directory: str, url: str, get: Callable[[argparse.Namespace], str]) -> None:
    """Add the options that all downloads have, download, and print how to train on it."""
    parser.add_argument("--directory", type=Path, default=Path(directory), help="where to put it (%(default)s)")
    parser.add_argument("--url", type=lambda text: text.rstrip("/"), default=url, help="where it is (%(default)s)")
    cli.run(lambda: print(f"{get(parser.parse_args())}\n"))


def fetch(url: str, file: Path, check: Callable[[Path], None], missing: str) -> Path:
    """Fetch a file, unless it is there and unharmed; its SHA-256 is kept beside it.

    Args:
        url: Where it is.
        file: Where it goes.
        check: Raises a UserError if what came is not what it should be.
        missing: What to tell a user if there is no such file.

    Raises:
        UserError: The file cannot be had, or is not what it should be.
    """
    record = file.with_name(f"{file.name}.sha256")
    if file.is_file() and record.is_file() and record.read_bytes().split()[:1] == [sha256(file).encode()]:
        return file
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{file.parent} cannot be made ({error.strerror}): choose another directory.") from error
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        _read(url, partial, missing)
        check(partial)
        # The record goes first: a file without a fitting record is fetched again, never trusted.
        record.write_text(f"{sha256(partial)}  {file.name}\n", encoding="utf-8")
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
    return file


def _read(url: str, file: Path, missing: str) -> None:
    try:
        request = urllib.request.Request(url, headers={"User-Agent": USER_AGENT})
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response, file.open("wb") as out:
            size = 0
            while block := response.read(2**16):
                size += len(block)
                if size > MAX_BYTES:
                    raise UserError(f"{url} is larger than {MAX_BYTES // 2**20} MB: it is not the file it should be.")
                out.write(block)
            announced = response.headers["Content-Length"]
            out.flush()
            os.fsync(out.fileno())
    except urllib.error.HTTPError as error:
        hint = missing if error.code == 404 else "try again later"
        raise UserError(f"{url} cannot be fetched (HTTP {error.code}): {hint}.") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise UserError(
            f"{url} cannot be fetched ({reason}): check the network and the address, and try again."
        ) from error
    if announced is not None and announced != str(size):
        advice = "try again, or fetch it with a browser"
        raise UserError(f"{url} broke off after {size} bytes, announced as {announced[:40]!r}: {advice}.")
