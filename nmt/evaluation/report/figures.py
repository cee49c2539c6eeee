"""Tables with charts, as the page draws them: Python computes every number, the page formats and draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Cell = str | int | float | None


@dataclass(frozen=True)
class Column:
    """A column of a table; `digits` after the point of its numbers, None for text and whole numbers."""

    name: str
    digits: int | None = None
    lang: str = ""  # of its words, if they are of a language


@dataclass(frozen=True)
class Figure:
    """A table, how to draw it, and for each row a filter of the sentence table that shows its sentences."""

    id: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    chart: Mapping[str, Any] | None = None  # see nmt/web/report/chart.js
    queries: Sequence[str | None] = ()

    def plain(self) -> dict[str, Any]:
        """Values for JSON."""
        columns = [
            {name: value for name, value in vars(column).items() if value not in (None, "")} for column in self.columns
        ]
        rows = [[_finite(cell) for cell in row] for row in self.rows]
        found = {"id": self.id, "title": self.title, "note": self.note, "columns": columns, "rows": rows}
        return found | {"chart": self.chart, "queries": list(self.queries)}


@dataclass(frozen=True)
class Section:
    """A part of a page."""

    id: str
    title: str
    figures: Sequence[Figure]
    text: str = ""

    def plain(self) -> dict[str, Any]:
        """Values for JSON."""
        return {
            "id": self.id,
            "title": self.title,
            "text": self.text,
            "figures": [figure.plain() for figure in self.figures],
        }


def _finite(cell: Any) -> Any:
    """A number that JSON has: none for infinity and NaN, and seven digits at most."""
    if isinstance(cell, float):
        return float(f"{cell:.7g}") if math.isfinite(cell) else None
    return cell
