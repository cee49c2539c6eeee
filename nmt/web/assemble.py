"""Puts JavaScript modules, style sheets and data together in one HTML page, which needs no server."""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nmt.languages import known_language
from nmt.portable.file import unpack

_HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.{1,2}/[\w/]+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (?:(\w+)|\[([\w, ]+)\]))", re.MULTILINE)
_SLOT = re.compile(r"\{(\w+)\}")
_ENDS = re.compile("</(script|style)|<!--", re.IGNORECASE)  # what would end an element early


def page(model: bytes) -> str:
    """A page that translates with the model of a file (`nmt.portable.file.pack`), offline and on its own."""
    _, record = unpack(model)
    (source, source_lang), (target, target_lang) = map(language, record["languages"])
    worker = bundle("worker")
    assert not _ENDS.search(worker)
    slots = {
        "title": escape(f"{source} → {target}"),
        "source_name": escape(source),
        "target_name": escape(target),
        "source_lang": escape(source_lang),
        "target_lang": escape(target_lang),
        "worker": worker,
        "model": base64.b64encode(model).decode(),
    }
    return assembled("page.html", ["page.css"], "page", slots, computes=True)


def report(data: Mapping[str, Any]) -> str:
    """The page of a report (`nmt.evaluation.report`), on one run or on several."""
    slots = {"title": escape(data["title"]), "data": embedded(data)}
    return assembled("report/report.html", ["report/parts.css", "report/report.css"], "report/report", slots)


def assembled(
    template: str, styles: Sequence[str], entry: str | None, slots: Mapping[str, str], *, computes: bool = False
) -> str:
    """Fill a template with slots, the shared and these style sheets, and the modules that `entry` needs, if any.

    The page's policy allows its own script and style and nothing else; with `computes` also WebAssembly and workers.
    """
    style, script = "".join(map(_text, ["tokens.css", *styles])), bundle(entry) if entry else ""
    assert not _ENDS.search(style + script)
    policy = (
        "default-src 'none'",
        *([f"script-src '{_hash(script)}'" + (" 'wasm-unsafe-eval'" if computes else "")] if entry else []),
        f"style-src '{_hash(style)}'",
        *(["worker-src blob:"] if computes else []),
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    shared = {
        "policy": "; ".join(policy),
        "icon": f"data:image/svg+xml,{quote(_text('icon.svg'))}",
        "style": style,
        "script": script,
    }
    filled = {**shared, **slots}
    return _SLOT.sub(lambda slot: filled[slot[1]], _text(template))


def embedded(value: Any) -> str:
    """JSON that can stand in a script element: no text of it ends the element."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def language(label: str) -> tuple[str, str]:
    """The name of a language, and its code for `lang` attributes: empty if it is unknown."""
    found = known_language(str(label))
    if found is None:
        return str(label), ""
    return found.names[0].capitalize(), found.short if found.short != "-" else found.code


def _hash(text: str) -> str:
    """The source expression of an inline script or style in a Content-Security-Policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def bundle(entry: str) -> str:
    """A module and all that it imports as one classic script: module scripts do not load from local files.

    Modules are named by their paths below nmt/web without suffix, such as `report/chart`.
    """
    order: list[str] = []

    def visit(name: str) -> None:
        if name not in order:
            for _, imported in _IMPORT.findall(_text(f"{name}.js")):
                visit(_resolved(name, imported))
            order.append(name)

    visit(entry)
    return '"use strict";\n' + "\n".join(map(_scoped, order))


def _scoped(name: str) -> str:
    """A module as a function with a scope of its own, which returns what the module exports."""
    text = _text(f"{name}.js")
    exported = ", ".join(one or several for one, several in _EXPORT.findall(text))
    linked = _IMPORT.sub(lambda match: f"const {match[1]} = {_variable(_resolved(name, match[2]))};", text)
    body = _EXPORT.sub("", linked)
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n"


def _resolved(importer: str, imported: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), imported))


def _variable(name: str) -> str:
    return f"module_{name.replace('/', '_')}"


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
