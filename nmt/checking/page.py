"""Suspects as a table for a spreadsheet, and as a page for a browser."""

import base64
import csv
import hashlib
import io
import re
from collections.abc import Sequence
from html import escape

from nmt.checking.suspects import Suspect
from nmt.languages import known_language

_COLUMNS = ("rank", "row", "source", "target", "reasons", "score")
_FORMULA = ("=", "+", "-", "@")  # a spreadsheet would take a cell that begins so for a formula
_QUOTED = re.compile("“([^”]*)”")
_STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #57606a; --page: #fff; --card: #f6f8fa; --line: #d0d7de; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --quiet: #9da7b1; --page: #0d1117; --card: #161b22; --line: #30363d; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page);
  max-width: 62rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: .5rem 0; }
.quiet { color: var(--quiet); }
ol { list-style: none; padding: 0; }
ol > li { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  margin: .75rem 0; padding: .75rem 1rem; }
.head { display: flex; gap: 1rem; font-size: .875rem; color: var(--quiet); }
.head :last-child { margin-inline-start: auto; }
.pair { display: grid; gap: .25rem 1.5rem; margin: .35rem 0; }
.pair p { margin: 0; font-size: 1.0625rem; }
.reasons { margin: .35rem 0 0; padding-inline-start: 1.2rem; }
@media (min-width: 42rem) { .pair { grid-template-columns: 1fr 1fr; } }
"""


def table(suspects: Sequence[Suspect]) -> str:
    """Tab-separated values as spreadsheets open them: with a byte order mark, and no cell that begins a formula."""
    file = io.StringIO()
    write = csv.writer(file, dialect="excel-tab", lineterminator="\n").writerow
    write(_COLUMNS)
    for rank, suspect in enumerate(suspects, start=1):
        texts = suspect.pair.source, suspect.pair.target, "; ".join(suspect.reasons)
        write([rank, suspect.pair.row, *map(_cell, texts), f"{suspect.score:.1f}"])
    return f"\ufeff{file.getvalue()}"


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def page(title: str, summary: Sequence[str], languages: tuple[str, str], suspects: Sequence[Suspect]) -> str:
    """A page of its own that needs no script and no network."""
    style = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"
    facts = "\n".join(f'<p class="quiet">{escape(line)}</p>' for line in summary)
    items = "\n".join(_item(rank, suspect, languages) for rank, suspect in enumerate(suspects, start=1))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1 dir="auto">{escape(title)}</h1>
{facts}
<ol>
{items}
</ol>
</main>
</body>
</html>
"""


def _item(rank: int, suspect: Suspect, languages: tuple[str, str]) -> str:
    pair = suspect.pair
    texts = "".join(
        f'<p dir="auto"{_lang(language)}>{escape(text)}</p>'
        for text, language in zip((pair.source, pair.target), languages, strict=True)
    )
    # Words of a script from right to left would otherwise change places with one another.
    isolated = (_QUOTED.sub(r"“<bdi>\1</bdi>”", escape(reason)) for reason in suspect.reasons)
    reasons = "".join(f"<li>{reason}</li>" for reason in isolated)
    head = f"<b>{rank}</b><span>row {pair.row}</span><span>score {suspect.score:.1f}</span>"
    return f'<li><div class="head">{head}</div><div class="pair">{texts}</div><ul class="reasons">{reasons}</ul></li>'


def _lang(label: str) -> str:
    """The attribute that names a language, if we know it."""
    language = known_language(label)
    return f' lang="{language.short if language.short != "-" else language.code}"' if language else ""
