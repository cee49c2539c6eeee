"""The translator as one HTML page, or as a folder for a web host."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape

from nmt.portable.file import unpack
from nmt.web.assemble import assembled, language, web_text


def app(model: bytes) -> dict[str, str]:
    """The files of a folder which, served by a host, browsers offer to install as an app."""
    index = page(model, '<link rel="manifest" href="app.webmanifest">')
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


def page(model: bytes, manifest: str = "") -> str:
    """A page that translates with the model of a file (`nmt.portable.file.pack`), offline and on its own.

    With a link to the manifest of an app, it also uses the files beside it (`app`).
    """
    _, record = unpack(model)
    (source, source_lang), (target, target_lang) = map(language, record["languages"])
    slots = {
        "manifest": manifest,
        "title": escape(f"{source} → {target}"),
        "source_name": escape(source),
        "target_name": escape(target),
        "source_lang": escape(source_lang),
        "target_lang": escape(target_lang),
        "model": base64.b64encode(model).decode(),
    }
    allowed = {"worker-src": "blob: 'self'", "manifest-src": "'self'"} if manifest else {}
    return assembled("page.html", ["page.css"], "page", slots, worker="worker", allowed=allowed)
