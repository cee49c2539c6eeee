"""The figures of a report in a few sentences: what the model is good and bad at."""

from collections.abc import Mapping

from nmt.evaluation.report.figures import Cell, Figure

_FEWEST = 20  # words or sentences that a sentence here may rest on
_NOTABLE = 5  # points of chrF


def findings(figures: Mapping[str, Figure]) -> list[dict[str, str]]:
    """Sentences with the figure that each is taken from; figures that are not there are passed over."""
    makers = {
        "by-length": _lengths,
        "by-frequency": _frequencies,
        "missed": _missed,
        "never": _never,
        "copying": _copying,
        "trouble": _trouble,
        "calibration": _calibration,
    }
    return [
        {"text": text, "figure": name}
        for name, maker in makers.items()
        if name in figures and (text := maker(figures[name]))
    ]


def _number(cell: Cell) -> float:
    assert isinstance(cell, (int, float))
    return float(cell)


def _lengths(figure: Figure) -> str | None:
    rows = [row for row in figure.rows if _number(row[1]) >= _FEWEST]
    if len(rows) < 2:
        return None
    best, worst = (chosen(rows, key=lambda row: _number(row[2])) for chosen in (max, min))
    unit = figure.columns[0].name
    rare = f" Lengths of fewer than {_FEWEST} sentences do not count." if len(rows) < len(figure.rows) else ""
    return f"Lengths: best at {best[0]} {unit} (BLEU {best[2]:.1f}), worst at {worst[0]} (BLEU {worst[2]:.1f}).{rare}"


def _frequencies(figure: Figure) -> str | None:
    rows = [row for row in figure.rows if _number(row[4]) >= _FEWEST and row[3] is not None]
    if len(rows) < 2:
        return None
    rare, common = rows[0], rows[-1]
    return (
        f"Rare words: of words {_times(str(rare[0]))} in training it finds {_number(rare[3]):.0%}, of those "
        f"{_times(str(common[0]))} {_number(common[3]):.0%}."
    )


def _times(group: str) -> str:
    return {"never": "never seen", "once": "seen once"}.get(group, f"seen {group} times")


def _missed(figure: Figure) -> str | None:
    words = [f"{_quoted(row[0])} ({row[1]} of {row[2]})" for row in figure.rows[:6] if _number(row[1]) > 1]
    return f"Words it misses most: {', '.join(words)}." if words else None


def _never(figure: Figure) -> str | None:
    training = len(figure.columns) > 4
    words = [_quoted(row[0]) + (f" ({row[4]} in training)" if training else "") for row in figure.rows[:5]]
    return f"Words it never gets right: {', '.join(words)}." if words else None


def _quoted(word: Cell) -> str:
    """A word in quotes, isolated so that a script from right to left does not reorder its neighbours."""
    return f"“\u2068{word}\u2069”"


def _copying(figure: Figure) -> str | None:
    rows = [row for row in figure.rows if _number(row[3]) > 0]
    parts = [f"{row[2]:,} of {row[3]:,} {row[0]} arrive ({_number(row[1]):.0%})" for row in rows]
    return f"Copying: {', '.join(parts)}." if parts else None


def _trouble(figure: Figure) -> str | None:
    """The sign that costs the most chrF in all."""
    rows = [row for row in figure.rows if _number(row[2]) >= 5 and row[4] is not None and row[5] is not None]
    costs = [(_number(row[2]) * (_number(row[5]) - _number(row[4])), row) for row in rows]
    _, row = max(costs, key=lambda each: each[0], default=(0.0, None))
    if row is None or _number(row[5]) - _number(row[4]) < _NOTABLE:
        return None
    better = f"their chrF is {row[4]:.0f}, that of the others {row[5]:.0f}"
    return f"Warning sign: {row[2]:,} translations have {row[1]}; {better}."


def _calibration(figure: Figure) -> str | None:
    """How often words are right of which the model is least and most sure."""
    rows = [row for row in figure.rows if _number(row[1]) >= _FEWEST]
    if len(rows) < 2:
        return None
    low, high = ([f"{_number(cell):.0%}" for cell in row[2:4]] for row in (rows[0], rows[-1]))
    return f"Confidence: of words it is {high[0]} sure of, {high[1]} are right; of those {low[0]} sure, {low[1]}."
