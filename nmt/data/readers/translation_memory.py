"""Formats of translators' tools: TMX 1.4, XLIFF 1.2 and 2.0."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import ClassVar

from nmt.data.lines import Malformed
from nmt.data.readers.base import Named, Row
from nmt.data.readers.xml_stream import Handler, Unit, parse
from nmt.languages import same_language

_HEAD_UNITS = 1000  # in which languages are looked for
_TOO_LONG = "a text longer than 1 MiB; put one sentence into a unit"
# Elements that hold another program's mark-up; those of TMX and XLIFF have the same names.
_CODES = frozenset({"bpt", "ept", "it", "ph", "ut", "x", "bx", "ex", "sc", "ec", "cp", "sm", "em"})
# States of XLIFF in which the target is no translation yet.
_UNTRANSLATED = {"new", "initial"}


class _Units(Named):
    """XML files of translation units, each of which has texts in some languages."""

    root: ClassVar[str]
    handler: ClassVar[type[Handler]]

    @classmethod
    def recognises(cls, path: str, lines: Sequence[str]) -> bool:
        return f"<{cls.root}" in "\n".join(lines[:100])[:10_000]

    def names(self) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for _, unit in islice(parse(self.paths[0], self.max_megabytes, self.handler()), _HEAD_UNITS):
            if isinstance(unit, dict):
                found |= dict.fromkeys(unit)
        return tuple(found)

    def rows(self) -> Iterator[Row]:
        (path,), names = self.paths, self.wanted()
        for line, unit in parse(path, self.max_megabytes, self.handler()):
            if isinstance(unit, Malformed):
                yield Malformed(unit.problem, f"{path}:{line}")
            else:
                yield [_text(unit, name) for name in names]  # empty where a unit lacks a language


def _text(unit: dict[str, str], language: str) -> str:
    """The text in a language, or in a variant of it (en-GB for en)."""
    if language in unit:
        return unit[language]
    return next((text for tag, text in unit.items() if same_language(tag, language)), "")


class _TmxHandler(Handler):
    """<tu> with a <tuv xml:lang> for each language, and in it a <seg>."""

    codes = _CODES

    def __init__(self) -> None:
        super().__init__()
        self._line, self._language = 0, ""
        self._unit: Unit = {}

    def start(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        if tag == "tu":
            self._line, self._unit = line, {}
        elif tag == "tuv":
            self._language = attributes.get("lang", "")
        elif tag == "seg":
            self.begin_text()

    def end(self, tag: str) -> None:
        if tag == "tu":
            self.units.append((self._line, self._unit))
        elif tag == "seg":
            text = self.take_text()
            if isinstance(self._unit, Malformed):
                return
            if text is None or not self._language:
                self._unit = Malformed("a <tuv> without xml:lang; name its language" if text is not None else _TOO_LONG)
            else:
                self._unit.setdefault(self._language, text)


class _XliffHandler(Handler):
    """<trans-unit> (1.2) or <segment> (2.0) with a <source> and a <target>, languages named further up."""

    codes = _CODES

    def __init__(self) -> None:
        super().__init__()
        self._line = 0
        self._unit: Unit | None = None
        self._languages = {"source": "source", "target": "target"}
        self._state, self._aside = "", 0  # state of the segment; depth inside of <alt-trans> and the like

    def start(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        if tag in ("xliff", "file"):
            for side, names in {
                "source": ("source-language", "srcLang"),
                "target": ("target-language", "trgLang"),
            }.items():
                self._languages[side] = next((attributes[x] for x in names if x in attributes), self._languages[side])
        elif tag in ("alt-trans", "ignorable", "matches"):
            self._aside += 1
        elif tag in ("trans-unit", "segment") and not self._aside:
            self._line, self._unit, self._state = line, {}, attributes.get("state", "")
        elif tag in self._languages and self._unit is not None and not self._aside:
            if tag == "target":
                self._state = attributes.get("state", self._state)
            self.begin_text()

    def end(self, tag: str) -> None:
        if tag in ("alt-trans", "ignorable", "matches"):
            self._aside -= 1
        elif tag in ("trans-unit", "segment") and self._unit is not None and not self._aside:
            if isinstance(self._unit, dict) and (self._state in _UNTRANSLATED or self._state.startswith("needs-")):
                self._unit[self._languages["target"]] = ""
            self.units.append((self._line, self._unit))
            self._unit = None
        elif tag in self._languages and isinstance(self._unit, dict) and not self._aside:
            text = self.take_text()
            if text is None:
                self._unit = Malformed(_TOO_LONG)
            else:
                self._unit[self._languages[tag]] = text


class Tmx(_Units):
    """TMX, the translation memories that translators' tools exchange."""

    name = "tmx"
    suffixes = (".tmx",)
    root, handler = "tmx", _TmxHandler


class Xliff(_Units):
    """XLIFF 1.2 and 2.0: what is translated, without targets whose state is new, initial or needs-…."""

    name = "xliff"
    suffixes = (".xlf", ".xliff")
    root, handler = "xliff", _XliffHandler
