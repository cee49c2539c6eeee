"""Fetch a corpus, completely or not at all: sentence pairs of manythings.org/anki, or Multi30k.

    python scripts/download.py fra
    python scripts/download.py multi30k

Training reads the files as they are, from data/raw.
"""

import argparse
import gzip
import http.client
import re
import sys
import urllib.error
import urllib.request
import zipfile
import zlib
from pathlib import Path

from nmt import cli
from nmt.commands.options import plain_parser
from nmt.errors import UserError
from nmt.shell import shell_command

ANKI = "https://www.manythings.org/anki"
MULTI30K = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw"
SETS = ("train", "val", "test_2016_flickr")
EXAMPLES = """examples:
  python scripts/download.py fra               # English with French, Tatoeba (CC BY 2.0 FR)
  python scripts/download.py multi30k          # captions of images in English, German and French
  python scripts/download.py multi30k cs       # … or in Czech
"""


def main() -> None:
    """Fetch what is not there yet, and say how to train on it."""
    options = parse(sys.argv[1:])
    folder: Path = options.directory
    if options.corpus == "multi30k":
        settings, known = ["experiment=multi30k_ende"], "the languages are en, de, fr and cs"
        folder, site = folder / "multi30k", options.url or MULTI30K
        names = [f"{name}.{language}.gz" for language in options.languages or ("en", "de", "fr") for name in SETS]
    else:
        names, site = [f"{options.corpus}-eng.zip"], options.url or ANKI
        known = f"see {ANKI}/ for the languages that there are"
        settings = [f"data.path={folder / names[0]}"]
    for name in names:
        if not (folder / name).is_file():
            fetch(f"{site}/{name}", folder / name, known)
    print(f"{folder} is ready. Train on it with:\n\n    {shell_command('train.py', *settings)}\n")


def fetch(url: str, file: Path, known: str) -> None:
    """Download a .zip or .gz file under another name, read it to the end, and rename it; `known` says what there is."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f"{file.name}.part")
    # Some sites turn away the default agent of urllib.
    request = urllib.request.Request(url, headers={"User-Agent": "Mozilla/5.0 (compatible; nmt-download/1.0)"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response, partial.open("wb") as out:
            while block := response.read(2**16):
                out.write(block)
            announced = response.headers["Content-Length"]
        if announced not in (None, str(partial.stat().st_size)):
            raise UserError(f"{url} broke off after {partial.stat().st_size} bytes: try again.")
        check(partial)
        partial.replace(file)
    except urllib.error.HTTPError as error:
        hint = known if error.code == 404 else "try again later"
        raise UserError(f"{url} cannot be fetched (HTTP {error.code}): {hint}.") from error
    except (zipfile.BadZipFile, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(f"{url} is damaged ({error}): try again, or fetch it with a browser.") from error
    except (urllib.error.URLError, TimeoutError, ConnectionError, http.client.HTTPException, ValueError) as error:
        raise UserError(f"{url} cannot be fetched ({error}): check the network and the address.") from error
    finally:
        partial.unlink(missing_ok=True)


def check(file: Path) -> None:
    """Read all of an archive, which compares its checksums."""
    if ".zip" in file.suffixes:
        with zipfile.ZipFile(file) as archive:
            if damaged := archive.testzip():
                raise zipfile.BadZipFile(f"{damaged} has a wrong checksum")
    else:
        with gzip.open(file) as stream:
            while stream.read(2**20):
                pass


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = plain_parser("download.py", (__doc__ or "").splitlines()[0], EXAMPLES)
    parser.add_argument("corpus", help="multi30k, or a language of manythings.org/anki by three letters: fra, mar, cmn")
    parser.add_argument("languages", nargs="*", help="of multi30k: en, de, fr or cs (default: en de fr)")
    parser.add_argument("--directory", type=Path, default=Path("data/raw"), help="where to put it (%(default)s)")
    parser.add_argument("--url", type=lambda text: text.rstrip("/"), help="another site with the same files")
    options = parser.parse_args(arguments)
    if options.corpus != "multi30k" and not re.fullmatch("[a-z]{3}", options.corpus):
        raise UserError(
            f"'{options.corpus}' is neither multi30k nor three letters such as fra: see {ANKI}/ for the list."
        )
    if options.corpus != "multi30k" and options.languages:
        raise UserError("Only multi30k has several languages to choose from: name one corpus.")
    return options


if __name__ == "__main__":
    cli.run(main)
