"""Translate the text of HTML and keep every tag, in the right place of its sentence by the model's word alignment."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape, unescape
from typing import NamedTuple

# Elements inside sentences; any other tag ends a sentence.
_INLINE = frozenset(
    [
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "data", "del", "dfn", "em", "font", "i", "ins"),
        *("label", "mark", "q", "s", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var"),
    ]
)
_POINTS = frozenset(("img", "wbr", "input"))  # have no content, and are inside sentences
_INLINE_KEPT = frozenset(("code", "kbd", "samp"))  # inside sentences, and not translated
_KEPT = _INLINE_KEPT | frozenset(("script", "style", "svg", "math", "template", "noscript", "pre", "textarea"))
_ATTRIBUTES = r"""(?:"[^"]*"|'[^']*'|[^'">])*"""
_TAG = re.compile(rf"</?([a-zA-Z][^\s/>]*)(?:{_ATTRIBUTES}|[^<>]*)>")
_ASKS_TO_KEEP = re.compile(r"""\s(?:translate\s*=\s*["']?no\b|class\s*=\s*["']?[^"'>]*\bnotranslate\b)""", re.I)
_AFTER_WORD = re.compile(r"[^\w\s]+$")
_DEEPEST = 50  # elements inside each other; tags further in stay where they are, each for itself


class Mark(NamedTuple):
    """Markup inside a text: it stands before the character at `place`."""

    place: int
    raw: str
    name: str = ""  # of a tag that opens or closes an element
    closes: bool = False
    worded: bool = False  # whether it has words in it that are not translated


@dataclass
class Passage:
    """Text without breaks, and the markup in it; `after` follows it unchanged."""

    text: str = ""
    marks: list[Mark] = field(default_factory=list)
    after: str = ""

    def unchanged(self) -> str:
        """The passage as it was."""
        parts: list[str] = []
        done = 0
        for mark in self.marks:
            parts += escape(self.text[done : mark.place], quote=False), mark.raw
            done = mark.place
        return "".join([*parts, escape(self.text[done:], quote=False), self.after])


def passages(html: str) -> Iterator[Passage]:
    """Cut HTML at tags that end sentences; takes time in proportion to its length, whatever it is."""
    passage, place = Passage(), 0
    while place < len(html):
        begin = html.find("<", place)
        begin = len(html) if begin < 0 else begin
        passage.text += unescape(html[place:begin])
        if begin == len(html):
            break
        end, kind, name, closes = _markup(html, begin)
        raw, place = html[begin:end], end
        if kind == "text":
            passage.text += raw
        elif kind == "break":
            passage.after = raw
            yield passage
            passage = Passage()
        else:
            passage.marks.append(Mark(len(passage.text), raw, name, closes, worded=kind == "kept"))
    yield passage


def _markup(html: str, begin: int) -> tuple[int, str, str, bool]:
    """Where the markup at `begin` ends; its kind; the name of an inline element, and whether it closes one."""
    if html.startswith(("<!", "<?"), begin):
        comment = html.startswith("<!--", begin)
        end = html.find("-->" if comment else ">", begin + (4 if comment else 2))
        return (len(html) if end < 0 else end + (3 if comment else 1)), "point", "", False
    if not re.match("/?[a-zA-Z]", html[begin + 1 : begin + 3]):
        return begin + 1, "text", "", False
    tag = _TAG.match(html, begin)
    if tag is None:
        return len(html), "break", "", False  # a tag without an end takes the rest, as in browsers
    name, closes = tag[1].lower(), tag[0].startswith("</")
    if not closes and not tag[0].endswith("/>") and (name in _KEPT or _ASKS_TO_KEEP.search(tag[0])):
        inside = name in _INLINE | _INLINE_KEPT
        return _end_of_element(html, tag.end(), name), "kept" if inside else "break", "", False
    if name in _INLINE:
        return tag.end(), "inline", name, closes
    return tag.end(), "point" if name in _POINTS else "break", "", False


def _end_of_element(html: str, begin: int, name: str) -> int:
    """Where the element ends whose content begins at `begin`."""
    depth = 1
    for tag in re.compile(rf"<(/?){re.escape(name)}(?=[\s/>])[^<>]*>", re.IGNORECASE).finditer(html, begin):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.end()
    return len(html)


class Word(NamedTuple):
    """A word of a translation."""

    text: str
    gap: str  # white space after it
    source: tuple[int, int] | None  # characters of the source word that it belongs to


@dataclass
class Element:
    """Markup with the part of the source that is inside it; empty if it is a point."""

    begin: int
    end: int
    before: str
    after: str = ""
    worded: bool = False
    children: list[Element] = field(default_factory=list)

    def raw(self) -> str:
        """Its markup, without text."""
        return self.before + "".join(child.raw() for child in self.children) + self.after


def elements(marks: Sequence[Mark]) -> list[Element]:
    """The tree of a passage's markup; a tag without its counterpart is a point."""
    levels: list[list[Element]] = [[]]
    names: list[str] = []  # of the open elements

    def give_up() -> None:
        """Make the innermost open element, which is not closed, a point before its content."""
        names.pop()
        content = levels.pop()
        levels[-1][-1].children = []
        levels[-1].extend(content)

    for mark in marks:
        if mark.closes and mark.name in names:
            while names[-1] != mark.name:
                give_up()
            names.pop()
            levels.pop()
            levels[-1][-1].end, levels[-1][-1].after = mark.place, mark.raw
            continue
        element = Element(mark.place, mark.place, mark.raw, worded=mark.worded)
        levels[-1].append(element)
        if mark.name and not mark.closes and len(names) < _DEEPEST:
            names.append(mark.name)
            levels.append(element.children)
    while names:
        give_up()
    return levels[0]


class Placing:
    """Puts markup between the words of a translation: every tag once, and elements inside each other as before."""

    def __init__(self, words: Sequence[Word], source: str) -> None:
        """Use the words of the translation of a text."""
        self.words, self.source = [*words], source
        self.before: list[list[str]] = [[] for _ in words]
        self.after: list[list[str]] = [[] for _ in words]
        linked = sorted((word.source, i) for i, word in enumerate(words) if word.source is not None)
        self._places = [i for _, i in linked]  # of words, in the order of the source
        self._begins = [begin for (begin, _), _ in linked]
        self._ends = [end for (_, end), _ in linked]

    def text(self, tree: Sequence[Element], gap: str) -> str:
        """The translation with the markup; `gap` is the white space before it."""
        if not self.words:
            return gap + "".join(element.raw() for element in tree)
        self._place(tree, 0, len(self.words))
        parts = [escape(gap, quote=False)]
        for word, before, after in zip(self.words, self.before, self.after, strict=True):
            parts += [*before, escape(word.text, quote=False), *after, escape(word.gap, quote=False)]
        return "".join(parts)

    def _place(self, tree: Sequence[Element], low: int, high: int) -> None:
        """Put elements between the words from `low` to `high`."""
        taken: set[int] = set()
        for element in tree:
            first, last = self._range(self._inside(element, low, high), taken)
            if first == last:
                self._point(element, low, high)
                continue
            taken.update(range(first, last))
            self.before[first].append(element.before)
            self._place(element.children, first, last)
            self._close(element, last - 1)

    def _inside(self, element: Element, low: int, high: int) -> list[int]:
        """Which words from `low` to `high` belong to the text inside an element."""
        if element.begin == element.end:
            return []
        begin, end = bisect_right(self._ends, element.begin), bisect_left(self._begins, element.end)
        return sorted(i for i in self._places[begin:end] if low <= i < high)

    @staticmethod
    def _range(inside: list[int], taken: set[int]) -> tuple[int, int]:
        """From the first to the last word inside, or the longest part of that where none is taken."""
        if not inside:
            return 0, 0
        best = begin = end = inside[0]
        length = 0
        for i in range(inside[0], inside[-1] + 2):
            if i in taken or i > inside[-1]:
                if end - begin > length:
                    best, length = begin, end - begin
                begin = end = i + 1
            else:
                end = i + 1
        return best, best + length

    def _close(self, element: Element, word: int) -> None:
        """Close an element after a word, or before its punctuation if that stood outside in the source."""
        following = self.source[element.end : element.end + 1]
        marks = _AFTER_WORD.search(self.words[word].text)
        if marks and marks.start() and following and _AFTER_WORD.match(following) and not self.after[word]:
            self.words[word] = self.words[word]._replace(text=self.words[word].text[: marks.start()])
            self.after[word] += element.after, escape(marks[0], quote=False)
        else:
            self.after[word].append(element.after)

    def _point(self, element: Element, low: int, high: int) -> None:
        """Put markup without words before the word that belongs to the next source word."""
        begin = bisect_right(self._ends, element.begin)
        place = next((i for i in self._places[begin : begin + high - low] if low <= i < high), high)
        if place < high:
            self.before[place].append(element.raw() + " " * element.worded)
        else:
            self.after[high - 1].append(" " * element.worded + element.raw())
