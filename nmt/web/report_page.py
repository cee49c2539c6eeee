"""A report on one run or on several as one HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from nmt.web.assemble import assembled, embedded


def report_page(data: Mapping[str, Any]) -> str:
    """The page of the numbers that `nmt.evaluation.report` has gathered."""
    slots = {"title": escape(data["title"]), "data": embedded(data)}
    styles = [f"report/{name}.css" for name in ("figures", "sentences", "report")]
    return assembled("report/report.html", styles, "report/report", slots)
