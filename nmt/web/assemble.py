"""Puts the JavaScript modules, the style sheet and a model together in one HTML page, or in a folder for a host."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from pathlib import Path
from urllib.parse import quote

from nmt.languages import known_language
from nmt.portable.file import unpack

_HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (?:(\w+)|\[([\w, ]+)\]))", re.MULTILINE)
_SLOT = re.compile(r"\{(\w+)\}")


def app(model: bytes) -> dict[str, str]:
    """The files of a folder which, served by a host, browsers offer to install as an app."""
    index = page(model, '<link rel="manifest" href="app.webmanifest">')
    _, record = unpack(model)
    name = " → ".join(_language(label)[0] for label in record["languages"])
    icon = {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any maskable"}
    manifest = {"name": name, "short_name": name, "start_url": "./", "scope": "./", "display": "standalone"}
    colours = {"theme_color": "#0b6e6e", "background_color": "#0b6e6e"}
    version = hashlib.sha256(index.encode()).hexdigest()[:16]
    return {
        "index.html": index,
        "app.webmanifest": json.dumps({**manifest, **colours, "icons": [icon]}, ensure_ascii=False, indent=1),
        "icon.svg": _text("icon.svg"),
        "service-worker.js": _text("service-worker.js").replace("{version}", version),
    }


def page(model: bytes, manifest: str = "") -> str:
    """A page that translates with the model of a file (`nmt.portable.file.pack`), offline and on its own.

    With a link to the manifest of an app, it also uses the files beside it (`app`).
    """
    _, record = unpack(model)
    (source, source_lang), (target, target_lang) = map(_language, record["languages"])
    style, script, worker = _text("page.css"), bundle("page"), bundle("worker")
    assert not re.search("</(script|style)|<!--", style + script + worker)
    slots = {
        "policy": "; ".join(
            (
                "default-src 'none'",
                f"script-src '{_hash(script)}' 'wasm-unsafe-eval'",
                f"style-src '{_hash(style)}'",
                "worker-src blob: 'self'; manifest-src 'self'" if manifest else "worker-src blob:",
                "img-src data:",
                "base-uri 'none'",
                "form-action 'none'",
            )
        ),
        "icon": f"data:image/svg+xml,{quote(_text('icon.svg'))}",
        "manifest": manifest,
        "title": escape(f"{source} → {target}"),
        "source_name": escape(source),
        "target_name": escape(target),
        "source_lang": escape(source_lang),
        "target_lang": escape(target_lang),
        "style": style,
        "script": script,
        "worker": worker,
        "model": base64.b64encode(model).decode(),
    }
    return _SLOT.sub(lambda slot: slots[slot[1]], _text("page.html"))


def _language(label: str) -> tuple[str, str]:
    """The name of a language, and its code for `lang` attributes: empty if it is unknown."""
    language = known_language(str(label))
    if language is None:
        return str(label), ""
    return language.names[0].capitalize(), language.short if language.short != "-" else language.code


def _hash(text: str) -> str:
    """The source expression of an inline script or style in a Content-Security-Policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def bundle(entry: str) -> str:
    """A module and all that it imports as one classic script: module scripts do not load from local files."""
    order: list[str] = []

    def visit(name: str) -> None:
        if name not in order:
            for _, imported in _IMPORT.findall(_text(f"{name}.js")):
                visit(imported)
            order.append(name)

    visit(entry)
    return '"use strict";\n' + "\n".join(map(_scoped, order))


def _scoped(name: str) -> str:
    """A module as a function with a scope of its own, which returns what the module exports."""
    text = _text(f"{name}.js")
    exported = ", ".join(one or several for one, several in _EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = module_\2;", text))
    return f"const module_{name} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n"


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
