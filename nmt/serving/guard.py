"""What every request passes: no traceback reaches a client, headers that browsers heed, lines in the log."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

log = logging.getLogger(__name__)

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """The outermost part of the application; logs neither texts nor queries, which may have texts in them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin, status = time.perf_counter(), 0

        async def checked(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self.app(scope, receive, checked)
        except Exception as error:
            # Without its message, which may have text of the request in it.
            frames = traceback.extract_tb(error.__traceback__)
            places = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames[-8:]))
            log.error("%s %s failed: %s at %s", scope["method"], _path(scope), type(error).__name__, places)
            if not status:
                await JSONResponse({"error": "Internal error"}, 500)(scope, receive, checked)
        milliseconds = 1000 * (time.perf_counter() - begin)
        log.info("%s %s %d %.0f ms", scope["method"], _path(scope), status, milliseconds)


def _path(scope: Scope) -> str:
    """The path of a request, on one line and of bounded length."""
    return ascii(scope["path"][:80]).strip("'\"")
