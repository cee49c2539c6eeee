"""Suspects as a table for a spreadsheet, and as a page for a browser."""

import csv
import io
import re
from collections.abc import Sequence
from html import escape

from nmt.checking.suspects import Suspect
from nmt.web.assemble import assembled, language

_COLUMNS = ("rank", "row", "source", "target", "reasons", "score")
_FORMULA = ("=", "+", "-", "@")  # a spreadsheet would take a cell that begins so for a formula
_QUOTED = re.compile("“([^”]*)”")


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
    slots = {
        "title": escape(title),
        "facts": "\n".join(f'<p class="soft">{escape(line)}</p>' for line in summary),
        "items": "\n".join(_item(rank, suspect, languages) for rank, suspect in enumerate(suspects, start=1)),
    }
    return assembled("suspects.html", ["suspects.css"], None, slots)


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
    content = f'<div class="head">{head}</div><div class="pair">{texts}</div><ul class="reasons">{reasons}</ul>'
    return f'<li class="card">{content}</li>'


def _lang(label: str) -> str:
    """The attribute that names a language, if we know it."""
    code = language(label)[1]
    return f' lang="{code}"' if code else ""
