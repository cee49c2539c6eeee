"""Fetch a file over the network: whole, or not at all."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

TIMEOUT_SECONDS = 30
MAX_BYTES = 512 * 2**20
# Some sites turn away the default agent of urllib.
USER_AGENT = "Mozilla/5.0 (compatible; nmt-download/1.0)"


class DownloadError(Exception):
    """What went wrong and what to do, in one sentence."""


def fetch(url: str, file: Path, check: Callable[[Path], None], missing: str) -> Path:
    """Fetch a file, unless it is there and unharmed; its SHA-256 is kept beside it.

    Args:
        url: Where it is.
        file: Where it goes.
        check: Raises a DownloadError if what came is not what it should be.
        missing: What to tell a user if there is no such file.

    Raises:
        DownloadError: The file cannot be had, or is not what it should be.
    """
    record = file.with_name(f"{file.name}.sha256")
    if file.is_file() and record.is_file() and record.read_bytes().split()[:1] == [_sha256(file).encode()]:
        return file
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DownloadError(f"{file.parent} cannot be made ({error.strerror}): choose another directory.") from error
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        _read(url, partial, missing)
        check(partial)
        # The record goes first: a file without a fitting record is fetched again, never trusted.
        record.write_text(f"{_sha256(partial)}  {file.name}\n")
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
                    raise DownloadError(
                        f"{url} is larger than {MAX_BYTES // 2**20} MB: it is not the file it should be."
                    )
                out.write(block)
            expected = response.headers["Content-Length"]
            out.flush()
            os.fsync(out.fileno())
    except urllib.error.HTTPError as error:
        hint = missing if error.code == 404 else "try again later"
        raise DownloadError(f"{url} cannot be fetched (HTTP {error.code}): {hint}.") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadError(
            f"{url} cannot be fetched ({reason}): check the network and the address, and try again."
        ) from error
    if expected is not None and size != int(expected):
        raise DownloadError(f"{url} broke off after {size} of {expected} bytes: try again.")


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(2**20):
            digest.update(block)
    return digest.hexdigest()
