"""serve.py: trained models over HTTP, through the LibreTranslate API, with the translator page at /."""

from __future__ import annotations

import argparse
import ipaddress
import logging
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nmt import cli
from nmt.commands.options import newest_run, plain_parser
from nmt.errors import UserError

if TYPE_CHECKING:
    from nmt.serving.settings import Settings

EXAMPLES = """examples:
  python serve.py                                        # newest finished run, http://127.0.0.1:5000/
  python serve.py --run outputs/EN-FR --run fra-eng.nmt  # one model for each direction
  python serve.py --suggestions corrections              # keeps what readers mend, for train.py start=RUN
  python serve.py --engine torch --run outputs/RUN       # batches, on a GPU if there is one
  python serve.py --host 0.0.0.0 --allow-host translate.example.org --api-key-file keys.txt
  curl -d q="They are watching." -d source=en -d target=fr http://127.0.0.1:5000/translate
"""


def main(argv: Sequence[str] | None = None) -> None:
    """Serve with these arguments (default: those of the command line)."""
    options = parse(sys.argv[1:] if argv is None else argv)
    level = {"errors": logging.WARNING, "requests": logging.INFO, "texts": logging.INFO}[options.log]
    logging.basicConfig(stream=sys.stderr, level=level, format="%(message)s", force=True)
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # names what is wrong in a form; the client knows
    from nmt.serving import models
    from nmt.serving.jobs import Batches, Jobs, Processes

    settings = settings_of(options)
    listening = listen(options.host, options.port)
    runs = options.run or [newest_run()]
    jobs: Jobs
    if options.engine == "torch":
        from nmt.device import choose_device

        served, loaded = models.load_torch(runs, options.device)
        jobs = Batches(loaded, str(choose_device(options.device)))
    else:
        served, packed = models.load_numpy(runs)
        jobs = Processes(packed, options.workers or processors())
    found = models.Models(served)
    from nmt.serving.server import run

    directions = ", ".join(f"{model.source.name} → {model.target.name}" for model in served)
    run(found, jobs, settings, listening, f"{directions} ({jobs.name})")


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings by the options; a UserError if others than this computer could use the server without a key."""
    from nmt.serving.settings import Settings

    keys = read_keys(options.api_key_file) if options.api_key_file else ()
    if not keys and not is_loopback(options.host):
        reason = f"--host {options.host} lets other computers use this server"
        raise UserError(f"{reason}: give --api-key-file FILE, with a long random line for each user.")
    if any("*" in name or "/" in name or ":" in name for name in options.allow_host):
        raise UserError("--allow-host takes one name without a port, such as translate.example.org.")
    own = () if options.host in ("0.0.0.0", "::") else (options.host, f"[{options.host}]")
    return Settings(
        hosts=(*Settings.hosts, *own, *options.allow_host),
        origins=tuple(origin.rstrip("/") for origin in options.allow_origin),
        keys=keys,
        max_characters=options.max_characters,
        max_requests=options.max_requests,
        timeout=float(options.timeout),
        suggestions=options.suggestions,
        log_texts=options.log == "texts",
    )


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_keys(path: Path) -> tuple[bytes, ...]:
    """The digests of the API keys in a file, one on each line; a UserError if there are none, or short ones."""
    from nmt.serving.requests import key_digest

    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read as text ({error}).") from error
    keys = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not keys:
        raise UserError(f"{path} has no API key: write a long random text on a line of its own.")
    if any(len(key) < 16 for key in keys):
        raise UserError(f"{path} has an API key of less than 16 characters, which can be guessed: write a longer one.")
    return tuple(key_digest(key) for key in keys)


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections; a UserError if the address cannot be used."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family, backlog=1024)
        # Connections inherit it; asyncio does not set it here, and answers would wait 40 ms for an acknowledgement.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        raise UserError(f"{host} port {port} cannot be used ({error.strerror}): choose another --port.") from error


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the options."""
    description = (
        "Serve trained models over HTTP: the LibreTranslate API, and the translator page at / (docs/serve.md)."
    )
    parser = plain_parser("serve.py", description, EXAMPLES)
    add = parser.add_argument
    runs = "run directory or exported file (default: the newest finished run); several serve several directions"
    add("--run", type=Path, action="append", help=runs)
    add("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1, for this computer only)")
    add("--port", type=int, default=5000, help="default: 5000; 0 takes a free one")
    engines = (
        "numpy (default) starts at once; torch translates concurrent requests in batches, on a GPU if there is one"
    )
    add("--engine", choices=("numpy", "torch"), default="numpy", help=engines)
    add("--workers", type=cli.positive, help="processes of the numpy engine (default: one for each processor)")
    add("--device", default="auto", help="of --engine torch: auto (default), cpu, cuda or mps")
    add("--suggestions", type=Path, metavar="DIR", help="keep corrections of readers here, as TSV files")
    names = "further name that clients may call this server by, as translate.example.org"
    add("--allow-host", action="append", default=[], metavar="NAME", help=names)
    origins = "further origin whose pages may use this server, as https://example.org; * for all"
    add("--allow-origin", action="append", default=[], metavar="ORIGIN", help=origins)
    add("--api-key-file", type=Path, metavar="FILE", help="API keys, one on each line; requests need one of them")
    add("--max-characters", type=cli.positive, default=20_000, help="in a request (default: 20000)")
    add("--max-requests", type=cli.positive, default=128, help="at once; further ones get 503 (default: 128)")
    add("--timeout", type=cli.positive, default=60, metavar="SECONDS", help="for a translation (default: 60)")
    levels = "to stderr: errors (default), requests (without their texts), or texts too"
    add("--log", choices=("errors", "requests", "texts"), default="errors", help=levels)
    options = parser.parse_args(arguments)
    if not 0 <= options.port < 2**16:
        parser.error("--port must be between 0 and 65535")
    return options
