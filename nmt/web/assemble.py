"""Puts JavaScript modules, style sheets and data together in one HTML page, which needs no server."""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nmt.languages import known_language

_HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.{1,2}/[\w/]+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (?:(\w+)|\[([\w, ]+)\]))", re.MULTILINE)
_SLOT = re.compile(r"\{(\w+)\}")
_ENDS = re.compile("</(script|style)|<!--", re.IGNORECASE)  # what would end an element early


def assembled(
    template: str,
    styles: Sequence[str],
    entry: str | None,
    slots: Mapping[str, str],
    *,
    worker: str | None = None,
    allowed: Mapping[str, str] | None = None,
) -> str:
    """A page: the common head, and a template for its body, filled with slots.

    It has the shared and these style sheets, and the modules that `entry` needs, if any. Its policy allows its own
    script and style and nothing else; with a `worker`, the entry of a thread that computes, also that and
    WebAssembly; and the sources that are `allowed` for a directive such as connect-src.
    """
    style, script = "".join(map(web_text, ["tokens.css", *styles])), bundle(entry) if entry else ""
    thread = bundle(worker) if worker else ""
    assert not _ENDS.search(style + script + thread)
    policy = {"default-src": "'none'", "style-src": f"'{_hash(style)}'", "img-src": "data:"}
    policy |= {"base-uri": "'none'", "form-action": "'none'"}
    if entry:
        policy["script-src"] = f"'{_hash(script)}'" + (" 'wasm-unsafe-eval'" if worker else "")
    if worker:
        policy["worker-src"] = "blob:"
    policy |= allowed or {}
    shared = {
        "policy": "; ".join(f"{directive} {sources}" for directive, sources in policy.items()),
        "manifest": "",
        "icon": f"data:image/svg+xml,{quote(web_text('icon.svg'))}",
        "style": style,
        "script": script,
        "worker": thread,
    }
    filled = {**shared, **slots}
    return _SLOT.sub(lambda slot: filled[slot[1]], web_text("head.html") + web_text(template))


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
            for _, imported in _IMPORT.findall(web_text(f"{name}.js")):
                visit(_module(name, imported))
            order.append(name)

    visit(entry)
    return '"use strict";\n' + "\n".join(map(_scoped, order))


def _module(importer: str, address: str) -> str:
    """The name of a module that another imports."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), address))


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
