"""Puts the JavaScript modules, the style sheet and a model together in one HTML page."""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from urllib.parse import quote

from nmt.languages import known_language
from nmt.portable.file import unpack

_HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.\.?/[\w/]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (?:(\w+)|\[([\w, ]+)\]))", re.MULTILINE)
_SLOT = re.compile(r"\{(\w+)\}")


def page(model: bytes) -> str:
    """A page that translates with the model of a file (`nmt.portable.file.pack`), offline and on its own."""
    _, record = unpack(model)
    (source, source_lang), (target, target_lang) = map(language, record["languages"])
    code = {
        "style": web_text("tokens.css") + web_text("page.css"),
        "script": bundle("page"),
        "worker": bundle("worker"),
    }
    slots = {
        "title": escape(f"{source} → {target}"),
        "source_name": escape(source),
        "target_name": escape(target),
        "source_lang": escape(source_lang),
        "target_lang": escape(target_lang),
        "model": base64.b64encode(model).decode(),
    }
    return fill("page.html", code, slots)


def fill(template: str, code: Mapping[str, str], slots: Mapping[str, str]) -> str:
    """A page: its template with code (`style`, `script`, `worker`), a policy that allows no other, and the rest."""
    assert not re.search("</(script|style)|<!--", "".join(code.values()))
    policy = (
        "default-src 'none'",
        f"script-src '{_hash(code['script'])}' 'wasm-unsafe-eval'",
        f"style-src '{_hash(code['style'])}'",
        "worker-src blob:",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    icon = f"data:image/svg+xml,{quote(web_text('icon.svg'))}"
    every = {"policy": "; ".join(policy), "icon": icon, **code, **slots}
    return _SLOT.sub(lambda slot: every[slot[1]], web_text(template))


def language(label: str) -> tuple[str, str]:
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
            for _, imported in _IMPORT.findall(web_text(f"{name}.js")):
                visit(_module(name, imported))
            order.append(name)

    visit(entry)
    return '"use strict";\n' + "\n".join(map(_scoped, order))


def _module(importer: str, address: str) -> str:
    """The name of a module that another imports, as a path in this folder without suffix."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), address)).removesuffix(".js")


def _scoped(name: str) -> str:
    """A module as a function with a scope of its own, which returns what the module exports."""
    text = web_text(f"{name}.js")
    exported = ", ".join(one or several for one, several in _EXPORT.findall(text))
    imported = _IMPORT.sub(lambda found: f"const {found[1]} = {_variable(_module(name, found[2]))};", text)
    return f"const {_variable(name)} = (() => {{\n{_EXPORT.sub('', imported)}\nreturn {{ {exported} }};\n}})();\n"


def _variable(module: str) -> str:
    return "module_" + module.replace("/", "_")


def web_text(name: str) -> str:
    """A file of this folder."""
    return (_HERE / name).read_text(encoding="utf-8")
