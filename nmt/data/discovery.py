"""What the settings of a corpus leave open is found out from its files: format, header, columns and languages.

It happens once, when a run begins, and is recorded with the run's settings, so that resuming depends on no guess.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from nmt.data import columns
from nmt.data.bitext import reader_of
from nmt.data.lines import Malformed
from nmt.data.readers import AUTO, Named, Parallel, Reader, choose_reader, recognised
from nmt.data.settings import DataSettings, anki_language, as_list
from nmt.errors import UserError
from nmt.languages import CODE, known_language, same_language

_ROWS = 2000  # of a corpus that are looked at


class NotClear(UserError):
    """Two columns of which each could be in either language."""


def complete(settings: DataSettings) -> DataSettings:
    """Find out what the settings leave open; a UserError asks for what cannot be found out."""
    named = settings.columns and isinstance(settings.source, str) and isinstance(settings.target, str)
    if settings.path is None or (named and settings.format != AUTO and settings.header is not None):
        return settings
    paths = tuple(as_list(settings.path))
    auto = settings.format == AUTO
    kind = recognised(paths) if auto else choose_reader(settings.format, paths)
    if len(paths) > 1:
        settings = replace(settings, format=Parallel.name, header=False, columns=settings.languages())
    else:
        table = Table.read(kind(paths), settings)
        settings = replace(settings, format=kind.name, header=table.header, **table.chosen(settings))
    source, target, *_ = settings.direction()
    return replace(settings, source=source, target=target)


def description(settings: DataSettings) -> list[str]:
    """What was found out about a corpus, for the user."""
    assert settings.path is not None, "require_files() comes first"
    direction, reader = settings.direction(), reader_of(settings, settings.path)
    facts = [reader.name, reader.details(), "names of the columns in its first row" if settings.header else ""]
    where = reader.wanted() if isinstance(reader, Named) else [f"column {column + 1}" for column in direction[2:]]
    if len(reader.paths) > 1:
        where = [reader.paths[column] for column in reader.columns]
    places = [
        language if language == column else f"{language} ({column})"
        for language, column in zip(direction[:2], where, strict=True)
    ]
    return [
        f"{'file':<12}{' and '.join(reader.paths)}: {', '.join(filter(None, facts))}",
        f"{'languages':<12}{' → '.join(places)}",
    ]


@dataclass(frozen=True)
class Table:
    """The beginning of a corpus: the names of its columns, if it has any, and its first rows."""

    path: str
    names: tuple[str, ...]
    rows: list[list[str]]
    header: bool

    @classmethod
    def read(cls, reader: Reader, settings: DataSettings) -> "Table":
        """Read the first rows with all their columns."""
        some = islice(reader.rows(), _ROWS)
        rows = [row for row in some if not isinstance(row, Malformed) and any(cell.strip() for cell in row)]
        asked = (settings.source, settings.target)
        header = settings.header
        if header is None:
            header = reader.is_table and bool(rows) and columns.is_header(rows[0], asked)
        names = tuple(rows[0]) if header and rows else reader.names()
        return cls(reader.paths[0], names, rows[1:] if header else rows, header)

    def chosen(self, settings: DataSettings) -> dict[str, Any]:
        """The languages of the columns, and those of source and target."""
        if settings.columns or not self.rows:
            return {"columns": settings.languages()}
        if self.names:
            return self._by_names(settings)
        return self._without_names(settings)

    def _cells(self, column: int) -> list[str]:
        return [row[column] for row in self.rows if len(row) > column]

    def _by_names(self, settings: DataSettings) -> dict[str, Any]:
        labels = columns.distinct([columns.label(name, number) for number, name in enumerate(self.names, start=1)])
        texts = columns.text_columns(self.rows, len(labels))
        sentences = [place for place in texts if columns.is_language_column(self.names[place])]
        languages = [place for place, each in enumerate(labels) if known_language(each)]
        clear = [place for place in languages if columns.is_language_column(self.names[place])]  # `id` and `no` are not
        candidates = (clear, [place for place in languages if place in texts], sentences)
        usual = next((places for places in candidates if len(places) >= 2), range(len(labels)))
        asked = {field: self._place(field, getattr(settings, field), labels) for field in ("source", "target")}
        for field, other in (("source", "target"), ("target", "source")):
            if asked[field] is None:
                asked[field] = next((place for place in usual if place != asked[other]), None)
        if None in asked.values() or asked["source"] == asked["target"]:
            raise UserError(
                f"{self.path}: of its columns ({', '.join(labels)}), which to translate from and to is not clear: "
                "name two of them as data.source and data.target."
            )
        for field, place in asked.items():
            wanted = getattr(settings, field)
            if place is not None and isinstance(wanted, str) and known_language(wanted) and CODE.fullmatch(wanted):
                labels[place] = wanted
        source, target = (labels[place] for place in asked.values() if place is not None)
        return {"columns": labels[: 1 + max(map(labels.index, (source, target)))], "source": source, "target": target}

    def _place(self, field: str, asked: str | int | None, labels: Sequence[str]) -> int | None:
        """The column that data.source or data.target means: by number, name, label or language."""
        if asked is None:
            return None
        if isinstance(asked, int) and 1 <= asked <= len(labels):
            return asked - 1
        if isinstance(asked, str):
            folded = asked.strip().casefold()
            named = [place for place, name in enumerate(self.names) if name.strip().casefold() == folded]
            alike = [place for place, each in enumerate(labels) if same_language(each, asked)]
            if named or alike:
                return (named + alike)[0]
        raise UserError(f"data.{field}={asked} must be one of the columns of {self.path} ({', '.join(self.names)}).")

    def _without_names(self, settings: DataSettings) -> dict[str, Any]:
        width = max(map(len, self.rows))
        texts = [*columns.text_columns(self.rows, width), *range(width)]  # else the first columns
        asked = [settings.source, settings.target]
        numbers = [number - 1 if isinstance(number, int) else None for number in asked]
        if width < 2 or any(number is not None and not 0 <= number < width for number in numbers):
            return {"columns": settings.languages()}  # too few columns: reading them gives the error
        if numbers == [None, None]:
            return self._two_columns(sorted([*dict.fromkeys(texts)][:2]), settings)
        source = numbers[0] if numbers[0] is not None else next(place for place in texts if place != numbers[1])
        target = numbers[1] if numbers[1] is not None else next(place for place in texts if place != source)
        labels = dict(zip(sorted((source, target)), self._labels(sorted((source, target))), strict=True))
        if [*labels.values()] == ["source", "target"]:
            labels = {source: "source", target: "target"}
        labels |= {place: each for place, each in zip((source, target), asked, strict=True) if isinstance(each, str)}
        return _directed(labels, labels[source], labels[target])

    def _two_columns(self, places: list[int], settings: DataSettings) -> dict[str, Any]:
        """Languages of two columns, by file name or script; NotClear asks for them if both orders fit."""
        asked = [None if x is None else str(x) for x in (settings.source, settings.target)]
        labels = self._labels(places)
        if self._pair_in_name():
            found = [next((x for x in labels if each and same_language(x, each)), each) for each in asked]
            return _directed(dict(zip(places, labels, strict=True)), *found)
        if asked == [None, None]:
            return _directed(dict(zip(places, labels, strict=True)))
        order = columns.by_script(asked, [columns.script_of_column(self._cells(place)) for place in places])
        languages = [each or default for each, default in zip(asked, ("source", "target"), strict=True)]
        if order is None:
            first, second = (columns.excerpt(self._cells(place)) for place in places)
            there, back = (f"'data.columns=[{','.join(pair)}]'" for pair in (languages, languages[::-1]))
            which = f"which column is {languages[0]} and which {languages[1]} is not clear"
            raise NotClear(f"{self.path}: {which} (they begin with {first} and {second}): add {there} or {back}.")
        return _directed({places[place]: each for place, each in zip(order, languages, strict=True)}, *languages)

    def _pair_in_name(self) -> tuple[str, str] | None:
        """The languages that the file's name tells, in the order of the columns unless their scripts say otherwise."""
        anki = anki_language(self.path)
        return ("eng", anki) if anki else columns.languages_in_name(self.path)

    def _labels(self, places: Sequence[int]) -> list[str]:
        """Languages of two columns: by the file's name, else by scripts that one language has, else source, target."""
        scripts = [columns.script_of_column(self._cells(place)) for place in places]
        if pair := self._pair_in_name():
            return list(pair if columns.by_script(pair, scripts) != (1, 0) else pair[::-1])
        return columns.unnamed_labels(scripts)


def _directed(labels: Mapping[int, str], source: str | None = None, target: str | None = None) -> dict[str, Any]:
    """Settings for columns of these languages, by place; columns beyond the last of them are ignored."""
    names = [labels.get(place, f"column{place + 1}") for place in range(max(labels) + 1)]
    if source is None and target is None:
        source, target = (labels[place] for place in sorted(labels))
    return {"columns": names, "source": source, "target": target}
