"""Read requests: JSON, forms or query parameters in, checked values out; errors in the form of the API."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from starlette.datastructures import FormData, QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from nmt.serving.settings import BODY_SECONDS, Settings

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_MOST_FIELDS = 1000


class ApiError(HTTPException):
    """An error that a client is told of, as {"error": message}."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(status, message, {name.replace("_", "-"): value for name, value in headers.items()})


class Fields:
    """The fields of a request, with errors that name them."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def text(self, name: str, default: str | None = None) -> str:
        """A text that is not empty, unless there is a default."""
        value = self.values.get(name)
        if value is None or value == "":
            if default is not None:
                return default
            raise ApiError(400, f"Invalid request: missing {name} parameter")
        if not isinstance(value, str):
            raise ApiError(400, f"Invalid request: {name} parameter is not a text")
        return value

    def texts(self, name: str, most: int) -> tuple[list[str], bool]:
        """A text, or a list of them; whether it is a list. `most` limits all characters together."""
        value = self.values.get(name)
        if not value:
            raise ApiError(400, f"Invalid request: missing {name} parameter")
        texts = value if isinstance(value, list) else [value]
        if not all(isinstance(text, str) for text in texts):
            raise ApiError(400, f"Invalid request: {name} parameter is neither a text nor a list of texts")
        size = sum(map(len, texts))
        if size > most:
            raise ApiError(400, f"Invalid request: request ({size}) exceeds text limit ({most})")
        return texts, isinstance(value, list)

    def number(self, name: str, most: int) -> int:
        """A number from 0 up; 0 if there is none."""
        value = self.values.get(name)
        if value is None or value == "":
            return 0
        if isinstance(value, str) and len(value) < 10 and value.isascii() and value.isdecimal():  # as forms have it
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        number = value if isinstance(value, int) and not isinstance(value, bool) else -1
        if number < 0:
            raise ApiError(400, f"Invalid request: {name} parameter is not a number")
        if number > most:
            raise ApiError(400, f"Invalid request: {name} parameter must be <= {most}")
        return number


def check_origin(request: Request, settings: Settings) -> None:
    """Refuse scripts of other sites, which could use a server that only this computer can reach."""
    origin = request.headers.get("origin")
    if origin is None or origin in settings.origins or "*" in settings.origins:
        return
    if urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower():
        raise ApiError(403, "Requests from this origin are not allowed (serve.py --allow-origin)")


def check_key(request: Request, fields: Fields, settings: Settings) -> None:
    """Refuse requests without an API key, if one is needed."""
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    given = fields.text("api_key", bearer if scheme.lower() == "bearer" else "")
    if not settings.keys:
        return
    if not given:
        raise ApiError(403, "Please contact the server operator to get an API key")
    digest = key_digest(given)
    # All are compared, so that the time does not depend on which one it is.
    if not sum(hmac.compare_digest(digest, key) for key in settings.keys):
        raise ApiError(403, "Invalid API key")


def key_digest(key: str) -> bytes:
    """Digest of an API key, of the same length for all keys."""
    return hashlib.sha256(key.encode()).digest()


async def read_fields(request: Request, settings: Settings) -> Fields:
    """The fields of a request; its body must be complete in time."""
    try:
        return Fields(await asyncio.wait_for(_read(request, settings), BODY_SECONDS))
    except asyncio.TimeoutError as error:
        raise ApiError(408, "The request did not arrive in time", Connection="close") from error
    except ClientDisconnect as error:
        raise ApiError(400, "The request was not complete") from error


async def _read(request: Request, settings: Settings) -> dict[str, Any]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    limited = Request(request.scope, _limited(request, settings.max_body))
    if kind == "application/json":
        values = _json(await limited.body())
    elif kind in FORMS:
        async with limited.form(max_files=0, max_fields=_MOST_FIELDS, max_part_size=settings.max_body) as form:
            values = _first(request.query_params) | _first(form)
    elif not kind and not await limited.body():
        values = _first(request.query_params)  # as deep-translator sends them
    else:
        raise ApiError(415, "Send application/json, application/x-www-form-urlencoded or multipart/form-data")
    return cast("dict[str, Any]", _valid(values))


def _limited(request: Request, most: int) -> Any:
    """The stream of a request's body, which fails when the body is too large."""
    size = 0

    async def receive() -> Any:
        nonlocal size
        message = await request.receive()
        size += len(message.get("body", b""))
        if size > most:
            raise ApiError(413, f"The request has more than {most} bytes", Connection="close")
        return message

    return receive


def _json(body: bytes) -> dict[str, Any]:
    try:
        values = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ApiError(400, "Invalid JSON format") from error
    if not isinstance(values, dict):
        raise ApiError(400, "Invalid JSON format")
    return values


def _first(values: FormData | QueryParams) -> dict[str, Any]:
    """Each field's value, or the list of its values if there are several; line ends as in other texts."""
    found = {}
    for name in values:
        texts = [str(text).replace("\r\n", "\n") for text in values.getlist(name)]
        found[name] = texts if len(texts) > 1 else texts[0]
    return found


def _valid(value: Any) -> Any:
    """The value with halves of surrogate pairs, which JSON may have, joined or replaced: they are no text."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_valid(each) if isinstance(each, str) else each for each in value]
    return {name: _valid(each) for name, each in value.items()} if isinstance(value, dict) else value
