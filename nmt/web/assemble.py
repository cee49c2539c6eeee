"""Puts the JavaScript modules, the style sheet and a model together in one HTML page."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

_HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (?:(\w+)|\[([\w, ]+)\]))", re.MULTILINE)


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
