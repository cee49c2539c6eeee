"""The application: the LibreTranslate API, and /explain."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from nmt.serving.detection import Detector
from nmt.serving.guard import Guard
from nmt.serving.jobs import Jobs
from nmt.serving.models import Label, Models
from nmt.serving.pages import Pages
from nmt.serving.requests import ApiError, Fields, check_key, check_origin, read_fields
from nmt.serving.settings import ALTERNATIVES, Settings
from nmt.serving.spec import specification
from nmt.serving.suggestions import Suggestions
from nmt.serving.translating import Texts

log = logging.getLogger(__name__)

_SURE = 80.0  # percent from which a text of an unknown language is taken to be in the target language already

Handler = Callable[[Fields], Awaitable[Any]]


class Api:
    """Answers requests with the models of a server."""

    def __init__(self, models: Models, jobs: Jobs, settings: Settings) -> None:
        self.models, self.settings = models, settings
        self.texts, self.detector = Texts(jobs), Detector(models)
        self.suggestions = Suggestions(settings.suggestions) if settings.suggestions else None
        self.active = 0  # requests that are being answered

    def post(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint that checks a request, and calls a handler unless there is too much to do."""

        async def endpoint(request: Request) -> Response:
            check_origin(request, self.settings)
            fields = await read_fields(request, self.settings)
            check_key(request, fields, self.settings)
            if self.active >= self.settings.max_requests:
                raise ApiError(503, "Too many requests at once: try again later", Retry_After="1")
            self.active += 1
            try:
                result = await self._in_time(request, handler(fields))
            finally:
                self.active -= 1
            if self.settings.log_texts:
                given = {name: value for name, value in fields.values.items() if name != "api_key"}
                log.info("%s %s", request.url.path, json.dumps([given, result], ensure_ascii=False))
            return JSONResponse(result)

        return endpoint

    async def _in_time(self, request: Request, work: Awaitable[Any]) -> Any:
        """The result of some work, which is given up when it takes too long or its client is gone."""
        task, gone = asyncio.ensure_future(work), asyncio.ensure_future(request.receive())
        try:
            first = asyncio.FIRST_COMPLETED
            done, _ = await asyncio.wait({task, gone}, timeout=self.settings.timeout, return_when=first)
        finally:
            gone.cancel()
            task.cancel()  # does nothing if it is done
        if task in done:
            return task.result()
        if gone in done:
            raise ApiError(400, "The client is gone")
        raise ApiError(503, f"The translation took more than {self.settings.timeout:g} s", Retry_After="5")

    async def translate(self, fields: Fields) -> dict[str, Any]:
        """POST /translate."""
        texts, several = fields.texts("q", self.settings.max_characters)
        source, target = fields.text("source"), self._label(fields.text("target"))
        alternatives = fields.number("alternatives", ALTERNATIVES)
        form = fields.text("format", "text")
        if form not in ("text", "html"):
            raise ApiError(400, f"{form} format is not supported")
        detected: list[dict[str, Any]] | None = None
        if source == "auto":
            detected = [self._detected(text, target) for text in texts]
            labels = [self._label(each["language"]) for each in detected]
        else:
            labels = [self._label(source)] * len(texts)
        found = await self._translations(texts, labels, target, form == "html", alternatives)
        best, others = [each[0] for each in found], [each[1:] for each in found]
        result: dict[str, Any] = {"translatedText": best if several else best[0]}
        if detected is not None:
            result["detectedLanguage"] = detected if several else detected[0]
        if alternatives:
            result["alternatives"] = others if several else others[0]
        return result

    async def _translations(
        self, texts: list[str], sources: list[Label], target: Label, html: bool, alternatives: int
    ) -> list[list[str]]:
        """The translations of each text from its language, best first."""
        results = [[text] for text in texts]
        for source in dict.fromkeys(sources):
            if source == target:
                continue
            chosen = [i for i, label in enumerate(sources) if label == source]
            model, wanted = self._model(source, target), [texts[i] for i in chosen]
            if html:
                found = [[text] for text in await self.texts.translate_html(model, wanted)]
            else:
                found = await self.texts.translate(model, wanted, alternatives)
            for i, each in zip(chosen, found, strict=True):
                results[i] = each
        return results

    def _detected(self, text: str, target: Label) -> dict[str, Any]:
        """The likeliest language of those that a text can be translated from; of all, if there are none."""
        sources = {model.source for model in self.models.models if model.target == target}
        found = self.detector.detect(text, {*sources, target} if sources else None)
        likeliest = found[0]
        if likeliest["language"] == target.code and likeliest["confidence"] < _SURE and sources:
            return found[1]
        return likeliest

    async def detect(self, fields: Fields) -> list[dict[str, Any]]:
        """POST /detect."""
        texts, _ = fields.texts("q", self.settings.max_characters)
        return self.detector.detect("\n".join(texts))

    async def explain(self, fields: Fields) -> dict[str, Any]:
        """POST /explain."""
        text = fields.text("q")
        fields.texts("q", self.settings.max_characters)
        source, target = fields.text("source"), self._label(fields.text("target"))
        label = self._label(self._detected(text, target)["language"] if source == "auto" else source)
        model = self._model(label, target)
        sentences = await self.texts.explain(model, text)
        return {"source": label.code, "target": target.code, "sentences": sentences}

    async def suggest(self, fields: Fields) -> dict[str, Any]:
        """POST /suggest."""
        if self.suggestions is None:
            raise ApiError(403, "Suggestions are disabled on this server.")
        for name in ("q", "s"):
            fields.texts(name, self.settings.max_characters)
        texts = fields.text("q"), fields.text("s")
        model = self._model(self._label(fields.text("source")), self._label(fields.text("target")))
        languages = self.models.models[model].languages
        if not await asyncio.to_thread(self.suggestions.add, languages, *texts):
            raise ApiError(403, "There are too many suggestions on this server already.")
        return {"success": True}

    def _label(self, text: str) -> Label:
        if label := self.models.label(text):
            return label
        raise ApiError(400, f"{text[:40]} is not supported")

    def _model(self, source: Label, target: Label) -> int:
        """The model for two languages."""
        model = self.models.find(source.code, target.code)
        if model is None:
            to, of = f"{target.name} ({target.code})", f"{source.name} ({source.code})"
            raise ApiError(400, f"{to} is not available as a target language from {of}")
        return model

    async def languages(self, request: Request) -> Response:
        """GET /languages."""
        labels = self.models.labels
        return JSONResponse([{**label._asdict(), "targets": self.models.targets(label)} for label in labels])

    async def health(self, request: Request) -> Response:
        """GET /health."""
        return JSONResponse({"status": "ok"})

    async def frontend_settings(self, request: Request) -> Response:
        """GET /frontend/settings: what clients show of the server."""
        first = self.models.models[0]
        return JSONResponse(
            {
                "charLimit": self.settings.max_characters,
                "frontendTimeout": 500,
                "apiKeys": bool(self.settings.keys),
                "keyRequired": bool(self.settings.keys),
                "suggestions": self.suggestions is not None,
                "filesTranslation": False,
                "supportedFilesFormat": [],
                "language": {"source": first.source._asdict(), "target": first.target._asdict()},
            }
        )


def application(models: Models, jobs: Jobs, settings: Settings) -> Starlette:
    """The application, which starts and stops the engine with itself."""
    api = Api(models, jobs, settings)
    pages = Pages(models, suggest=api.suggestions is not None and not settings.keys)
    document = specification(models, settings)

    async def spec(request: Request) -> Response:
        return JSONResponse(document)

    async def error(request: Request, failure: Exception) -> Response:
        assert isinstance(failure, HTTPException)
        return JSONResponse({"error": failure.detail}, failure.status_code, failure.headers)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await jobs.start()
        yield
        jobs.stop()

    posts = {"translate": api.translate, "detect": api.detect, "explain": api.explain, "suggest": api.suggest}
    gets = {"languages": api.languages, "health": api.health, "frontend/settings": api.frontend_settings, "spec": spec}
    routes = [Route("/", pages.answer, methods=["GET"])]
    routes += [Route(f"/{name}", api.post(handler), methods=["POST"]) for name, handler in posts.items()]
    routes += [Route(f"/{name}", handler, methods=["GET"]) for name, handler in gets.items()]
    middleware = [
        Middleware(Guard),
        Middleware(TrustedHostMiddleware, allowed_hosts=settings.hosts, www_redirect=False),
    ]
    if settings.origins:
        allowed: Any = {"allow_methods": ["GET", "POST"], "allow_headers": ["Authorization", "Content-Type"]}
        middleware.append(Middleware(CORSMiddleware, allow_origins=settings.origins, **allowed))
    handlers: Any = {HTTPException: error}
    app = Starlette(routes=routes, middleware=middleware, exception_handlers=handlers, lifespan=lifespan)
    app.router.redirect_slashes = False
    return app
