"""Limits of the server, and whom it answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CONNECTIONS = 512  # open at once; most systems allow 1,024 files a process
ALTERNATIVES = 10  # the most that a request may ask for
BODY_SECONDS = 20  # for a client to send its body


@dataclass(frozen=True)
class Settings:
    """What serve.py was told by its options."""

    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "::1", "[::1]")  # names that a Host header may have
    origins: tuple[str, ...] = ()  # of other pages whose scripts may use the server
    keys: tuple[bytes, ...] = ()  # SHA-256 of each API key; without any, none is needed
    max_characters: int = 20_000  # in the texts of a request
    max_requests: int = 128  # translated or waiting at once; further ones get 503
    timeout: float = 60.0  # seconds that a translation may take, waiting included
    suggestions: Path | None = None  # directory for corrections; None refuses them
    log_texts: bool = False

    @property
    def max_body(self) -> int:
        """Bytes of a request's body: in JSON, a character takes at most 12, which are two escaped surrogates."""
        return 12 * self.max_characters + 2**16
