"""The translator as one HTML page, or as a folder for a web host."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from nmt.portable.file import unpack
from nmt.web.assemble import assembled, language, web_text

PRIVACY = "Works offline. What you type stays on this device."


class Served(NamedTuple):
    """What is particular to a page that a host serves."""

    manifest: str = ""  # address of the manifest that makes it an app
    suggest: str = ""  # relative address that takes corrections; empty if none does
    others: Sequence[tuple[str, str]] = ()  # names and addresses of the pages of other directions


def app(model: bytes) -> dict[str, str]:
    """The files of a folder which, served by a host, browsers offer to install as an app."""
    index = page(model, Served(manifest="app.webmanifest"))
    _, record = unpack(model)
    name = " → ".join(language(label)[0] for label in record["languages"])
    icon = {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any maskable"}
    manifest = {"name": name, "short_name": name, "start_url": "./", "scope": "./", "display": "standalone"}
    colours = {"theme_color": "#0b6e6e", "background_color": "#0b6e6e"}
    version = hashlib.sha256(index.encode()).hexdigest()[:16]
    return {
        "index.html": index,
        "app.webmanifest": json.dumps({**manifest, **colours, "icons": [icon]}, ensure_ascii=False, indent=1),
        "icon.svg": web_text("icon.svg"),
        "service-worker.js": web_text("service-worker.js").replace("{version}", version),
    }


def page(model: bytes, served: Served | None = None) -> str:
    """A page that translates with the model of a file (`nmt.portable.file.pack`), offline and on its own."""
    served = served or Served()
    _, record = unpack(model)
    (source, source_lang), (target, target_lang) = map(language, record["languages"])
    slots = {
        "manifest": f'<link rel="manifest" href="{escape(served.manifest)}">' if served.manifest else "",
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
        "model": base64.b64encode(model).decode(),
    }
    allowed = {"worker-src": "blob: 'self'", "manifest-src": "'self'"} if served.manifest else {}
    allowed |= {"connect-src": "'self'"} if served.suggest else {}
    styles = ["page.css", "mend.css"]
    return assembled("page.html", styles, "page", slots, worker="worker", allowed=allowed)


def _links(others: Sequence[tuple[str, str]]) -> str:
    """Links to other pages; nothing if there are none."""
    items = "".join(f'<li><a href="{escape(address)}">{escape(name)}</a></li>' for name, address in others)
    return f'<nav aria-label="Other directions"><ul>{items}</ul></nav>' if items else ""
