"""Puts the JavaScript modules, the style sheet and a model together in one HTML page."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from nmt.languages import known_language
from nmt.portable.file import unpack

_HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (?:(\w+)|\[([\w, ]+)\]))", re.MULTILINE)
PRIVACY = "Works offline. What you type stays on this device."
_SLOT = re.compile(r"\{(\w+)\}")


class Served(NamedTuple):
    """What is particular to a page that serve.py serves."""

    suggest: str  # relative address that takes corrections; empty if none does
    others: Sequence[tuple[str, str]] = ()  # names and addresses of the pages of other directions


def page(model: bytes, served: Served | None = None) -> str:
    """A page that translates with the model of a file (`nmt.portable.file.pack`), offline and on its own."""
    served = served or Served("")
    _, record = unpack(model)
    (source, source_lang), (target, target_lang) = map(_language, record["languages"])
    style, script, worker = _text("page.css") + _text("mend.css"), bundle("page"), bundle("worker")
    assert not re.search("</(script|style)|<!--", style + script + worker)
    slots = {
        "policy": "; ".join(
            (
                "default-src 'none'",
                f"script-src '{_hash(script)}' 'wasm-unsafe-eval'",
                f"style-src '{_hash(style)}'",
                "worker-src blob:",
                "img-src data:",
                *(["connect-src 'self'"] if served.suggest else []),
                "base-uri 'none'",
                "form-action 'none'",
            )
        ),
        "icon": f"data:image/svg+xml,{quote(_text('icon.svg'))}",
        "privacy": PRIVACY + (" Corrections that you send go to the server." if served.suggest else ""),
        "others": _links(served.others),
        "suggest": escape(served.suggest),
        "source": escape(str(record["languages"][0])),
        "target": escape(str(record["languages"][1])),
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


def _links(others: Sequence[tuple[str, str]]) -> str:
    """Links to other pages; nothing if there are none."""
    items = "".join(f'<li><a href="{escape(address)}">{escape(name)}</a></li>' for name, address in others)
    return f'<nav aria-label="Other directions"><ul>{items}</ul></nav>' if items else ""


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
