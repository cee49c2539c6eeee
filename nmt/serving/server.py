"""Runs the application with uvicorn."""

from __future__ import annotations

import signal
import socket
import sys

import uvicorn

from nmt.serving.app import application
from nmt.serving.jobs import Jobs
from nmt.serving.models import Models
from nmt.serving.settings import CONNECTIONS, Settings


class Server(uvicorn.Server):
    """Says on stderr when it is ready."""

    ready = ""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(self.ready, file=sys.stderr, flush=True)


def run(models: Models, jobs: Jobs, settings: Settings, listening: socket.socket, what: str) -> None:
    """Serve until a signal comes; requests that were accepted are answered first."""
    config = uvicorn.Config(
        application(models, jobs, settings),
        http="h11",
        limit_concurrency=CONNECTIONS,  # more get 503
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=int(settings.timeout) + 30,
    )
    host, port = listening.getsockname()[:2]
    server = Server(config)
    server.ready = f"Serving {what} at http://{f'[{host}]' if ':' in host else host}:{port}/"
    for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises them again after it has shut down
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        jobs.check()
        server.run(sockets=[listening])
    finally:
        jobs.stop()
