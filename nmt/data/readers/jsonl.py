"""JSON Lines."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from nmt.data.lines import Malformed, read_lines
from nmt.data.readers.base import Named, Row
from nmt.data.readers.dialect import first_lines


class Jsonl(Named):
    """JSON Lines: an object a line, {"en": "Hello.", "fr": "Bonjour."}, or {"translation": {"en": …, "fr": …}}."""

    name = "jsonl"
    suffixes = (".jsonl", ".ndjson", ".json")

    @classmethod
    def recognises(cls, path: str, lines: Sequence[str]) -> bool:
        first = next((line for line in lines if line.strip()), "")
        return first.lstrip().startswith("{") and isinstance(_object(first), dict)

    def names(self) -> tuple[str, ...]:
        objects = map(_object, first_lines(self.paths[0]))
        found = [key for each in objects if isinstance(each, dict) for key, value in each.items() if type(value) is str]
        return tuple(dict.fromkeys(found))

    def rows(self) -> Iterator[Row]:
        (path,), names = self.paths, self.wanted()
        for number, line in enumerate(read_lines(path), start=1):
            value = _object(line) if isinstance(line, str) and line.strip() else line
            if isinstance(value, Malformed):
                yield Malformed(value.problem, f"{path}:{number}")
            elif isinstance(value, str):  # a blank line
                yield [""] * len(names)
            else:
                yield _cells(value, names, f"{path}:{number}")


def _object(line: str) -> dict[str, Any] | Malformed:
    """The object on a line, without the shell that datasets put around the two texts."""
    try:
        value = json.loads(line)
    except RecursionError:
        return Malformed("nested too deeply; write one flat object a line")
    except ValueError as error:
        return Malformed(f"not JSON ({error}); write one object a line")
    if isinstance(value, dict) and isinstance(value.get("translation"), dict):
        value = value["translation"]
    return value if isinstance(value, dict) else Malformed('no JSON object; write {"en": "…", "fr": "…"} on each line')


def _cells(value: dict[str, Any], names: Sequence[str], where: str) -> Row:
    cells = []
    for name in names:
        cell = value.get(name) or ""
        if not isinstance(cell, str):
            return Malformed(f"{name!a} is no text; put it in quotes", where)
        if not cell.isascii() and any("\ud800" <= character <= "\udfff" for character in cell):
            return Malformed(f"{name!a} holds half of a surrogate pair; write the whole character", where)
        cells.append(cell)
    return cells
