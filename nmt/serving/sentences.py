"""Cut texts into sentences and put their translations together again, with the same white space and line breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nmt.words import is_unspaced

LONGEST = 400  # characters of a sentence; longer ones are cut at a space, which bounds the time of each

# White space, or the place after the end of a sentence in scripts without spaces.
_GAP = re.compile(r"\s+|(?<=[。！？])(?![。！？」』”’）\s])|(?<=[。！？][」』”’）])(?![」』”’）\s])")
_BREAK = re.compile("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CLOSING = "\"'”’»›)]」』）"
_ENDS = "!?…؟。！？।॥۔"
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:\w|\w\.\w|mr|mrs|ms|dr|st|prof|jr|sr|vs|etc|mme|mlle|bzw|ca|nr|usw|sra?|dott)\.$", re.IGNORECASE
)


class Cut(NamedTuple):
    """A text as sentences, with what stands before each of them and after the last."""

    gaps: list[str]
    sentences: list[str]

    def joined(self, translations: Sequence[str]) -> str:
        """The translations in the places of the sentences."""
        gaps = self.joined_gaps(translations)
        return gaps[0] + "".join(text + gap for text, gap in zip(translations, gaps[1:], strict=True))

    def joined_gaps(self, translations: Sequence[str]) -> list[str]:
        """What stands around translations: the gaps, and a space where two sentences had none but now need one."""
        inner = [
            gap or (" " if _needs_space(one, other) else "")
            for gap, one, other in zip(self.gaps[1:-1], translations, translations[1:], strict=False)
        ]
        return [self.gaps[0], *inner, *self.gaps[1:][len(inner) :]]


def cut(text: str) -> Cut:
    """Find the sentences of a text; a line break ends one always."""
    gaps, sentences = [""], []
    for sentence, gap in _cut(text):
        if sentence:
            sentences.append(sentence)
            gaps.append(gap)
        else:
            gaps[-1] += gap
    return Cut(gaps, sentences)


def _cut(text: str) -> Iterator[tuple[str, str]]:
    """Pairs of a sentence, which may be empty, and the white space after it."""
    start = 0
    for found in _GAP.finditer(text):
        begin, end = found.span()
        if begin == start or _ends_sentence(text, start, begin, end):
            yield from _shortened(text[start:begin], text[begin:end])
            start = end
    yield from _shortened(text[start:], "")


def _ends_sentence(text: str, start: int, begin: int, end: int) -> bool:
    """Whether a sentence from `start` ends before the gap from `begin` to `end`."""
    if end == len(text) or begin == end or _BREAK.search(text, begin, end):
        return True
    before = text[max(start, begin - 30) : begin].rstrip(_CLOSING)
    if not before or text[end].islower():
        return False
    return before[-1] in _ENDS or (before[-1] == "." and not _ABBREVIATION.search(before))


def _shortened(sentence: str, gap: str) -> Iterator[tuple[str, str]]:
    """A sentence in parts of bounded length."""
    while len(sentence) > LONGEST:
        space = max(sentence.rfind(" ", LONGEST // 2, LONGEST), sentence.rfind("\u3000", LONGEST // 2, LONGEST))
        end = space if space > 0 else LONGEST
        after = end + (space > 0)
        yield sentence[:end], sentence[end:after]
        sentence = sentence[after:]
    yield sentence, gap


def _needs_space(one: str, other: str) -> bool:
    """Whether a space belongs between two sentences that had none between them."""
    return bool(one and other) and not is_unspaced(one[-1]) and not is_unspaced(other[0])
