"""Tables for papers and spreadsheets: LaTeX with booktabs, and CSV with unrounded numbers."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from nmt.evaluation.report.figures import Cell, Column, Figure, Section
from nmt.files import write_text

NOTHING = "–"
_DRAWN_ONLY = "attention"  # a section whose numbers nobody prints; attention.pdf has its pictures
_FORMULA = ("=", "+", "-", "@", "\t")
_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$"}
_TEX |= {"Δ": r"$\Delta$", "−": "$-$", "–": "--"} | {sign: f"\\{sign}" for sign in "{}$&#_%"}


def write_tables(directory: Path, sections: Iterable[Section]) -> None:
    """Write every table of a page as ID.tex and ID.csv."""
    for figure in (figure for section in sections if section.id != _DRAWN_ONLY for figure in section.figures):
        write_text(directory / f"{figure.id}.tex", figure_latex(figure))
        write_text(directory / f"{figure.id}.csv", figure_csv(figure))


def latex(names: Sequence[str], lines: Iterable[Sequence[str]], numeric: Sequence[bool], caption: str) -> str:
    """A table with these headings; numeric columns are aligned to the right."""
    head, *body = (f"{' & '.join(map(_escaped, line))} \\\\" for line in (names, *lines))
    inside = "\n".join([r"\toprule", head, r"\midrule", *body, r"\bottomrule"])
    columns = "".join("r" if right else "l" for right in numeric)
    tabular = f"\\begin{{tabular}}{{{columns}}}\n{inside}\n\\end{{tabular}}"
    return f"\\begin{{table}}\n\\centering\n{tabular}\n\\caption{{{_escaped(caption)}}}\n\\end{{table}}\n"


def figure_latex(figure: Figure) -> str:
    """A figure's table, with numbers as the page shows them."""
    names = [column.name for column in figure.columns]
    numeric = [not any(isinstance(row[place], str) for row in figure.rows) for place in range(len(names))]
    lines = [[_shown(*pair) for pair in zip(row, figure.columns, strict=True)] for row in figure.rows]
    title = figure.title if figure.title.endswith("?") or not figure.note else f"{figure.title}."
    return latex(names, lines, numeric, f"{title} {figure.note}".strip())


def figure_csv(figure: Figure) -> str:
    """A figure's table; a missing number is an empty cell, and no text begins a formula of a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.name for column in figure.columns)
    writer.writerows([_harmless(cell) for cell in row] for row in figure.rows)
    return out.getvalue()


def _shown(cell: Cell, column: Column) -> str:
    if cell is None:
        return NOTHING
    if isinstance(cell, str):
        return cell
    return f"{cell:,}" if column.digits is None else f"{cell:.{column.digits}f}"


def _harmless(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _escaped(text: str) -> str:
    """Escape what LaTeX would read as a command."""
    return "".join(_TEX.get(character, character) for character in text)
