"""Formats of translators' tools: TMX 1.4, XLIFF 1.2 and 2.0."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from nmt.data.lines import Malformed, read_chunks
from nmt.data.readers.base import Named, Row
from nmt.errors import UserError
from nmt.languages import same_language

_HEAD_UNITS = 1000  # in which languages are looked for
# Elements that hold another program's mark-up; those of TMX and XLIFF have the same names.
_CODES = frozenset({"bpt", "ept", "it", "ph", "ut", "x", "bx", "ex", "sc", "ec", "cp", "sm", "em"})

Unit = dict[str, str] | Malformed  # texts by language


class _Units(Named):
    """XML files of translation units, each of which has texts in some languages."""

    root: ClassVar[str]
    unit_tags: ClassVar[frozenset[str]]
    aside: ClassVar[frozenset[str]] = frozenset()  # elements whose units are none

    @abstractmethod
    def unit(self, element: Element, above: Sequence[Element]) -> Unit:
        """The texts of a unit, given the elements that it is in."""

    @classmethod
    def recognises(cls, path: str, lines: Sequence[str]) -> bool:
        return f"<{cls.root}" in "\n".join(lines[:100])[:10_000]

    def names(self) -> tuple[str, ...]:
        some = islice(self._units(), _HEAD_UNITS)
        return tuple(dict.fromkeys(language for unit in some if isinstance(unit, dict) for language in unit))

    def rows(self) -> Iterator[Row]:
        names = self.wanted()
        for number, unit in enumerate(self._units(), start=1):
            if isinstance(unit, Malformed):
                yield Malformed(unit.problem, f"{self.paths[0]}:{number}")
            else:
                yield [_in_language(unit, name) for name in names]  # empty where a unit lacks a language

    def _units(self) -> Iterator[Unit]:
        """Units in the order of the file, each forgotten as soon as it has been read."""
        above: list[Element] = []  # elements that are open
        for event, element in self._events():
            if event == "start":
                element.tag = element.tag.rpartition("}")[2]
                above.append(element)
                continue
            above.pop()
            if element.tag in self.unit_tags and self.aside.isdisjoint(each.tag for each in above):
                yield self.unit(element, above)
            if above and self.unit_tags.isdisjoint(each.tag for each in above):
                above[-1].remove(element)  # else the whole file would be kept

    def _events(self) -> Iterator[tuple[Any, ...]]:
        """Starts and ends of elements; a UserError if the file is not well-formed."""
        (path,) = self.paths
        parser: XMLPullParser[Any] = XMLPullParser(("start", "end"))
        for chunk in chain(read_chunks(path), [b""]):
            try:
                if chunk:
                    parser.feed(chunk)
                else:
                    parser.close()
                yield from parser.read_events()
            except ParseError as error:
                raise UserError(f"{path}: damaged XML ({error}): export or fetch it again.") from error
            except (LookupError, ValueError) as error:  # an encoding that is unknown, or of several bytes a character
                raise UserError(f"{path}: its encoding is not understood ({error}): save it as UTF-8.") from error


def _text(element: Element) -> str:
    """The text of an element, without mark-up of other programs."""
    for code in [each for each in element.iter() if each.tag in _CODES]:
        after = code.tail
        code.clear()
        code.tail = after
    return "".join(element.itertext())


def _in_language(unit: dict[str, str], language: str) -> str:
    """The text in a language, or in a variant of it (en-GB for en)."""
    if language in unit:
        return unit[language]
    return next((text for tag, text in unit.items() if same_language(tag, language)), "")


class Tmx(_Units):
    """TMX, the translation memories that translators' tools exchange: <tu> with a <tuv xml:lang> for each language."""

    name = "tmx"
    suffixes = (".tmx",)
    root, unit_tags = "tmx", frozenset({"tu"})

    def unit(self, element: Element, above: Sequence[Element]) -> Unit:
        texts: dict[str, str] = {}
        for variant in element.iterfind("tuv"):
            language = variant.get("{http://www.w3.org/XML/1998/namespace}lang") or variant.get("lang")
            if not language:
                return Malformed("a <tuv> without xml:lang; name its language")
            if (segment := variant.find("seg")) is not None:
                texts.setdefault(language, _text(segment))
        return texts


class Xliff(_Units):
    """XLIFF 1.2 and 2.0: what is translated, without targets whose state is new, initial or needs-…."""

    name = "xliff"
    suffixes = (".xlf", ".xliff")
    root, unit_tags = "xliff", frozenset({"trans-unit", "segment"})
    aside = frozenset({"alt-trans", "ignorable", "matches"})

    def unit(self, element: Element, above: Sequence[Element]) -> Unit:
        texts: dict[str, str] = {}
        for side, names in {"source": ("source-language", "srcLang"), "target": ("target-language", "trgLang")}.items():
            language = next((each.get(name, "") for each in above for name in names if each.get(name)), side)
            if (part := element.find(side)) is not None:
                state = part.get("state", element.get("state", ""))
                untranslated = side == "target" and (state in ("new", "initial") or state.startswith("needs-"))
                texts[language] = "" if untranslated else _text(part)
        return texts
