"""The OpenAPI document of the server (GET /spec)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nmt.serving.models import Models
from nmt.serving.requests import FORMS
from nmt.serving.settings import ALTERNATIVES, Settings

_ERRORS = {
    "400": "Something is missing or wrong in the request",
    "403": "API key, origin or suggestion refused",
    "408": "The request did not arrive in time",
    "413": "The request is too large",
    "415": "Neither JSON nor a form",
    "503": "Too much to do: try again after the seconds of Retry-After",
}
_TEXT: dict[str, Any] = {"type": "string"}
_FILLED = {"type": "string", "minLength": 1}
_KEY = {"type": ["string", "null"], "description": "API key, where one is needed; or Authorization: Bearer KEY"}
_NUMBER = {"type": "number"}
_UP_TO = {"type": "integer", "minimum": 0, "maximum": ALTERNATIVES}
# Forms have texts only: neither lists nor null.
_IN_FORMS = {"q": _FILLED, "format": {"enum": ["text", "html"]}, "alternatives": _UP_TO, "api_key": _TEXT}


def _object(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties] if required is None else required}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _or_list(item: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [item, _list(item)]}


def _maybe(kind: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [kind, {"type": "null"}]}


# A sentence of /explain.
_SENTENCE = _object(
    {
        "source": _TEXT,
        "text": _TEXT,
        "score": _NUMBER,
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "source_tokens": _list(_TEXT),
        "target_tokens": _list(_TEXT),
        "attention": _maybe(_list(_list(_NUMBER))),
        "alignment": _maybe(_list(_list({"type": "integer"}))),
        "words": _list(_object({"text": _TEXT, "confidence": _NUMBER})),
        "guessing": _maybe({"type": "boolean"}),
        "doubts": _list(_TEXT),
    }
)
_LABEL = _object({"code": _TEXT, "name": _TEXT})
_SETTINGS = _object(
    {
        "charLimit": {"type": "integer"},
        "frontendTimeout": {"type": "integer"},
        **{name: {"type": "boolean"} for name in ("apiKeys", "keyRequired", "suggestions", "filesTranslation")},
        "supportedFilesFormat": _list(_TEXT),
        "language": _object({"source": _LABEL, "target": _LABEL}),
    }
)


def specification(models: Models, settings: Settings) -> dict[str, Any]:
    """OpenAPI 3.1, in which a client finds every endpoint, field and answer."""
    detection = _object({"confidence": {"type": "number", "minimum": 0, "maximum": 100}, "language": _TEXT})
    text = {**_FILLED, "maxLength": settings.max_characters}
    languages = {
        "source": {**_FILLED, "description": "Code of a language, or auto where that is offered"},
        "target": {**_FILLED, "description": "Code of a language"},
    }
    codes = [label.code for label in models.labels]
    pairs = [(model.source.code, model.target.code) for model in models.models]
    automatic = [("auto", target) for target in sorted({target for _, target in pairs})]
    same = [(code, code) for code in codes]
    translation = {
        "q": {"anyOf": [text, {"type": "array", "items": _TEXT, "minItems": 1}], "description": "Text, or texts"},
        **languages,
        "format": {"enum": ["text", "html", "", None], "default": "text"},
        "alternatives": {"anyOf": [_UP_TO, {"enum": [*map(str, range(ALTERNATIVES + 1)), "", None]}], "default": 0},
        "api_key": _KEY,
    }
    translated = _object(
        {
            "translatedText": _or_list(_TEXT),
            "alternatives": {"anyOf": [_list(_TEXT), _list(_list(_TEXT))]},
            "detectedLanguage": _or_list(detection),
        },
        ["translatedText"],
    )
    explanation = _object({"source": _TEXT, "target": _TEXT, "sentences": _list(_SENTENCE)})
    suggestion = {"q": text, "s": text, **languages, "api_key": _KEY}
    served = _list(_object({"code": _TEXT, "name": _TEXT, "targets": _list(_TEXT)}))
    return {
        "openapi": "3.1.0",
        "info": {"title": "nmt", "version": "1", "description": "The LibreTranslate API, and /explain"},
        "paths": {
            "/translate": _post("Translate texts", translation, translated, [*pairs, *same, *automatic]),
            "/detect": _post("Languages of a text", {"q": text, "api_key": _KEY}, _list(detection)),
            "/explain": _post(
                "Tokens, attention, alignment and confidence of a translation",
                {"q": text, **languages, "api_key": _KEY},
                explanation,
                pairs,
            ),
            "/suggest": _post("Correct a translation", suggestion, _object({"success": {"const": True}}), pairs),
            "/languages": _get("Languages that are served", served),
            "/frontend/settings": _get("What clients show of the server", _SETTINGS),
            "/health": _get("Whether the server answers", _object({"status": {"const": "ok"}})),
            "/spec": _get("This document", {"type": "object"}),
        },
    }


def _answer(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _get(summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"get": {"summary": summary, "responses": {"200": _answer(summary, schema)}}}


def _post(
    summary: str, fields: dict[str, Any], schema: dict[str, Any], pairs: Sequence[tuple[str, str]] = ()
) -> dict[str, Any]:
    """An endpoint for some pairs of languages, if it is about languages."""
    required = [name for name in fields if name in ("q", "s", "source", "target")]
    properties = ({**fields, "source": {"const": source}, "target": {"const": target}} for source, target in pairs)
    choices = [_object(each, required) for each in properties] or [_object(fields, required)]
    plain = {name: kind for name, kind in _IN_FORMS.items() if name in fields}
    forms = [{**each, "properties": each["properties"] | plain} for each in choices]
    bodies = {"application/json": {"anyOf": choices}, **{kind: {"anyOf": forms} for kind in FORMS}}
    error = _object({"error": _TEXT})
    errors = {status: _answer(reason, error) for status, reason in _ERRORS.items()}
    responses = {"200": _answer(summary, schema), **errors}
    content = {kind: {"schema": body} for kind, body in bodies.items()}
    return {"post": {"summary": summary, "requestBody": {"required": True, "content": content}, "responses": responses}}
