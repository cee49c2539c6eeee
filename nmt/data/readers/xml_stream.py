"""XML as a stream of translation units, in flat memory and without entities or external references."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import NoReturn
from xml.parsers import expat

from nmt.data.lines import MAX_LINE_BYTES, Malformed, read_chunks
from nmt.errors import UserError

_DEEPEST = 100  # elements inside of one another
_LARGEST_TOKEN = 2**23  # bytes of one tag or comment, which the parser keeps in memory
_XML = "http://www.w3.org/XML/1998/namespace "

Unit = dict[str, str] | Malformed  # texts by language


class Handler(ABC):
    """Turns elements into translation units; one object for each file."""

    codes: frozenset[str] = frozenset()  # elements inside of a text that hold mark-up of another program, not text

    def __init__(self) -> None:
        self.units: list[tuple[int, Unit]] = []  # finished ones, each with its line
        self._text: list[str] | None = None  # pieces of the text under way
        self._length = 0  # characters of it
        self._inside: list[str] = []  # elements that are open inside of it

    @abstractmethod
    def start(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        """Begin an element outside of texts, named without its namespace."""

    @abstractmethod
    def end(self, tag: str) -> None:
        """End an element, or a text."""

    def opened(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        """Pass an element on, unless it is inside of a text."""
        if self._text is None:
            self.start(tag, attributes, line)
        else:
            self._inside.append(tag)

    def closed(self, tag: str) -> None:
        """Pass the end of an element on, unless it is inside of a text."""
        if self._inside:
            self._inside.pop()
        else:
            self.end(tag)

    def begin_text(self) -> None:
        """Collect text from here on."""
        self._text, self._length = [], 0

    def take_text(self) -> str | None:
        """The text since `begin_text`; None if it was too long."""
        text, self._text = self._text or [], None
        return "".join(text) if self._length <= MAX_LINE_BYTES else None

    def add(self, data: str) -> None:
        """Add characters to the text under way, if there is one."""
        if self._text is None or not self.codes.isdisjoint(self._inside):
            return
        self._length += len(data)
        if self._length <= MAX_LINE_BYTES:
            self._text.append(data)


def parse(path: str, max_megabytes: int, handler: Handler) -> Iterator[tuple[int, Unit]]:
    """The units of a file, each with its line; a UserError if it is not well-formed or declares entities."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def refuse(problem: str) -> NoReturn:
        raise UserError(f"{path}:{parser.CurrentLineNumber}: {problem}.")

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            refuse(f"more than {_DEEPEST} XML elements inside of one another: this is no file of translations")
        plain = {key.removeprefix(_XML).rpartition(" ")[2]: value for key, value in attributes.items()}
        handler.opened(name.rpartition(" ")[2], plain, parser.CurrentLineNumber)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        handler.closed(name.rpartition(" ")[2])

    def entity(*_: object) -> None:
        refuse("XML entities are not read, as they can be made to fill the memory: write the characters themselves")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, handler.add
    parser.EntityDeclHandler = parser.SkippedEntityHandler = entity
    fed, content = 0, read_chunks(path, max_megabytes)
    is_last = False
    while not is_last:
        chunk = next(content, b"")
        is_last = not chunk
        try:
            parser.Parse(chunk, is_last)
        except expat.ExpatError as error:
            problem = expat.ErrorString(error.code)
            raise UserError(f"{path}:{error.lineno}: damaged XML ({problem}): export or fetch it again.") from error
        except UserError:
            raise
        except (LookupError, ValueError) as error:  # an encoding that is unknown, or of several bytes a character
            refuse(f"its encoding is not understood ({error}): save it as UTF-8")
        fed += len(chunk)
        if fed - parser.CurrentByteIndex > _LARGEST_TOKEN and not is_last:
            refuse(f"an XML tag of more than {_LARGEST_TOKEN // 2**20} MiB: this is no file of translations")
        yield from handler.units
        handler.units.clear()
