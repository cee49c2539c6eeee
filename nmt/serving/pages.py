"""The translator page of each direction, as export.py --html writes it, and with a place to send corrections to."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import AsyncIterator
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from nmt.serving.models import Models
from nmt.shell import shell_command
from nmt.web.translator_page import Served, page

_CHUNK = 2**16  # bytes sent at once, so that slow readers take little memory


class Page(NamedTuple):
    """A finished page."""

    plain: bytes
    compressed: bytes
    tag: str


class Pages:
    """Makes each page when it is first asked for."""

    def __init__(self, models: Models, suggest: bool) -> None:
        """With `suggest`, corrections are sent to the server."""
        self.models, self.suggest = models, suggest
        self._made: dict[int, Page] = {}
        self._making = asyncio.Lock()

    async def answer(self, request: Request) -> Response:
        """The page of the direction that the query asks for, or of the first one."""
        query = request.query_params
        source, target = (self.models.label(query.get(name, "")) for name in ("source", "target"))
        found = self.models.find(source.code, target.code) if source and target else None
        place = found or 0
        if not self.models.models[place].content:
            export = shell_command("export.py", "--run", self.models.models[place].place)
            return Response(f"This page needs the run's portable.nmt, which `{export}` writes.\n", 404)
        async with self._making:
            if place not in self._made:
                self._made[place] = await asyncio.to_thread(self._make, place)
        made = self._made[place]
        if request.headers.get("if-none-match") == made.tag:
            return Response(status_code=304, headers={"ETag": made.tag})
        zipped = "gzip" in request.headers.get("accept-encoding", "")
        content = made.compressed if zipped else made.plain
        headers = {"ETag": made.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        headers |= {"Content-Length": str(len(content)), **({"Content-Encoding": "gzip"} if zipped else {})}
        body = _chunks(b"" if request.method == "HEAD" else content)
        return StreamingResponse(body, headers=headers, media_type="text/html")

    def _make(self, place: int) -> Page:
        from nmt.portable.file import pack, unpack

        model = self.models.models[place]
        tensors, record = unpack(model.content)
        others = [
            (f"{other.source.name} → {other.target.name}", f"?source={other.source.code}&target={other.target.code}")
            for other in self.models.models
            if other is not model
        ]
        served = Served(suggest="suggest" if self.suggest else "", others=others)
        plain = page(pack(tensors, record, int8=True), served).encode()
        return Page(plain, gzip.compress(plain, 6), f'"{hashlib.sha256(plain).hexdigest()[:32]}"')


async def _chunks(content: bytes) -> AsyncIterator[bytes]:
    for begin in range(0, len(content), _CHUNK):
        yield content[begin : begin + _CHUNK]
