"""PO, the catalogues of gettext."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from nmt.data.lines import Malformed, read_lines
from nmt.data.readers.base import Named, Row

_LINE = re.compile(r'(msgctxt|msgid|msgid_plural|msgstr|msgstr\[\d+\])?\s*"((?:[^"\\]|\\.)*)"\s*')
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "", "b": "", "v": " ", "f": " "}


@dataclass
class _Entry:
    """A message under way."""

    line: int
    fuzzy: bool = False
    texts: dict[str, list[str]] = field(default_factory=dict)  # by keyword
    problem: str = ""

    def add(self, keyword: str, text: str) -> None:
        self.texts.setdefault(keyword, []).append(text)

    def text(self, keyword: str) -> str:
        return "".join(self.texts.get(keyword, []))

    def pairs(self) -> Iterator[list[str]]:
        """The message and its translation, and the same for its plural; a fuzzy translation is empty."""
        plurals = [keyword for keyword in self.texts if keyword.startswith("msgstr[")]
        sides = {"msgid": "msgstr[0]" if plurals else "msgstr"}
        if plurals:
            sides["msgid_plural"] = plurals[-1]
        for source, target in sides.items():
            yield [self.text(source), "" if self.fuzzy else self.text(target)]


class Po(Named):
    """PO catalogues of gettext: messages and their translations, without those that are fuzzy or obsolete."""

    name = "po"
    suffixes = (".po", ".pot")

    @classmethod
    def recognises(cls, path: str, lines: Sequence[str]) -> bool:
        head = "\n".join(lines[:200])
        return bool(re.search(r'^msgid\s*"', head, re.M) and re.search(r'^msgstr(\[0\])?\s*"', head, re.M))

    def names(self) -> tuple[str, ...]:
        head = next((entry for entry in islice(self._entries(), 100) if not entry.text("msgid")), _Entry(0))
        fields = dict(re.findall(r"^([\w-]+): *(\S+)", head.text("msgstr"), re.M))
        return fields.get("X-Source-Language", "source"), fields.get("Language", "target")

    def rows(self) -> Iterator[Row]:
        columns = self.columns or (0, 1)
        for entry in self._entries():
            if entry.problem:
                yield Malformed(entry.problem, f"{self.paths[0]}:{entry.line}")
            elif entry.text("msgid"):  # the entry without one is about the file
                for pair in entry.pairs():
                    yield [pair[column] for column in columns]

    def _entries(self) -> Iterator[_Entry]:
        entry, keyword, fuzzy = _Entry(0), "", False
        for number, line in enumerate(read_lines(self.paths[0]), start=1):
            text = "" if isinstance(line, Malformed) else line.strip()
            if isinstance(line, str) and (not text or text.startswith("#")):
                if not text.startswith("#~"):
                    fuzzy = (fuzzy and bool(text)) or bool(re.match(r"#,.*\bfuzzy\b", text))
                continue
            match = _LINE.fullmatch(text)
            begins = match and match[1] in ("msgctxt", "msgid") and not (keyword == "msgctxt" and match[1] == "msgid")
            if begins or (not entry.line and not match):
                if entry.line:
                    yield entry
                entry, keyword, fuzzy = _Entry(number, fuzzy), "", False
            keyword = (match and match[1]) or keyword
            if match and keyword and entry.line:
                entry.add(keyword, _unescaped(match[2]))
            elif not entry.problem:
                problem = line.problem if isinstance(line, Malformed) else 'no line of a PO file; write msgid "…"'
                entry.problem, entry.line = problem, number
        if entry.line:
            yield entry


def _unescaped(text: str) -> str:
    """Resolve backslash escapes as C does."""

    def character(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] == "x" and len(code) > 1:
            return chr(int(code[1:], 16))
        return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPES.get(code, code)

    return _ESCAPE.sub(character, text) if "\\" in text else text
