"""Word alignment links: predicted from the attention, and written in Pharaoh's format (0-0 1-2).

Words are separated by white space and count from 0. Imported by translate.py, so it needs nothing heavy.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nmt.data.cleaning import clean
from nmt.errors import UserError
from nmt.special import WORD_START
from nmt.translation import Translation

log = logging.getLogger(__name__)

Link = tuple[int, int]  # a word of the source, a word of the target

NO_WORD = -1  # of pieces that are part of no word: the end of the sentence, a space after the last word
NO_ATTENTION = "--alignments: this model has no attention to align words by; use a run with attention (model=bahdanau)."

_TOKEN = re.compile("([0-9]{1,9})([-?p])([0-9]{1,9})")  # 0-0 is sure; 1?3 and 1p3 are possible


@dataclass(frozen=True)
class GoldLinks:
    """Gold links by annotators: the sure ones, and all possible ones, which include the sure."""

    sure: frozenset[Link]
    possible: frozenset[Link]

    def flipped(self) -> GoldLinks:
        """The same links for the other direction of translation."""
        return GoldLinks(*(frozenset((t, s) for s, t in links) for links in (self.sure, self.possible)))

    def outside(self, source_words: int, target_words: int) -> Link | None:
        """The first link beyond the words of sentences of these lengths, if there is one."""
        beyond = (link for link in sorted(self.possible) if link[0] >= source_words or link[1] >= target_words)
        return next(beyond, None)


def parse_links(line: str) -> GoldLinks:
    """Read a line of Pharaoh links, such as `0-0 1-2 1?3`; a UserError names what is no link."""
    sure, possible = set(), set()
    for token in line.split():
        match = _TOKEN.fullmatch(token)
        if match is None:
            shown = token if len(token) <= 20 else token[:20] + "…"
            raise UserError(f"{shown!r} is no link: write 0-2 for a sure one and 0?2 for a possible one.")
        link = int(match[1]), int(match[3])
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return GoldLinks(frozenset(sure), frozenset(possible))


def format_links(sure: Iterable[Link], possible: Iterable[Link] = ()) -> str:
    """Write links in Pharaoh's format, sorted; sure links need not be repeated among the possible ones."""
    certain = set(sure)
    return " ".join(f"{s}{'-' if (s, t) in certain else '?'}{t}" for s, t in sorted(certain | set(possible)))


def words_of_pieces(pieces: Sequence[str], words: Sequence[str], *, cut: bool = False) -> list[int] | None:
    """The number of the word that each piece is part of, or None if the pieces do not spell these words.

    Pieces, as `Tokenizer.pieces` gives them without EOS, are compared with the words letter by letter, in any script.
    A space is part of the word that it precedes. With `cut`, the pieces may end before the words do.
    """
    letters = [(letter, number) for number, word in enumerate(words) for letter in _decomposed(word)]
    numbers: list[int] = []
    place = 0
    for piece in pieces:
        begun = place
        for letter in _decomposed(piece):
            if place < len(letters) and letter == letters[place][0]:
                place += 1
            elif letter != WORD_START and clean(letter):  # clean() leaves nothing of spaces and controls
                return None
        if place > begun and letters[begun][1] != letters[place - 1][1]:
            return None  # a piece across two words belongs to neither
        if place > begun:
            numbers.append(letters[begun][1])
        elif not piece and numbers:  # a further byte of the last character
            numbers.append(numbers[-1])
        else:
            numbers.append(letters[place][1] if place < len(letters) else NO_WORD)
    return numbers if cut or place == len(letters) else None


def _decomposed(text: str) -> str:
    """NFD of each character, as a model may write an accent as a piece of its own.

    NFD of a whole word could reorder the accents of a letter, which would then not match the pieces.
    """
    return "".join(unicodedata.normalize("NFD", character) for character in text)


def link_words(attention: np.ndarray, source: Sequence[int], target: Sequence[int]) -> list[Link]:
    """One link for each target word, to the source word that receives the most attention (as in Luong 2015).

    Attention (T, S) is summed over the pieces of a source word and averaged over those of a target word; `source` and
    `target` are the word of each piece. A word whose attention is all on EOS, as hard attention can be, has no link.
    """
    if not source or not target:
        return []
    weights = attention[: len(target), : len(source)].astype(np.float64)
    by_word = weights @ _members(source)  # (T, source words)
    looks = _members(target).T @ by_word  # (target words, source words); a mean has its maximum where the sum has it
    return [(int(row.argmax()), t) for t, row in enumerate(looks) if row.any()]


def _members(words: Sequence[int]) -> np.ndarray:
    """1 where a piece is part of a word, (pieces, words)."""
    numbers = np.asarray(words)
    return (numbers[:, None] == np.arange(numbers.max() + 1)).astype(np.float64)


def translation_links(source: str, translation: Translation) -> list[Link]:
    """The links of a translation by its attention; none, with a warning, if its pieces do not spell its words."""
    if not translation.source_tokens:
        return []
    if translation.attention is None:
        raise UserError(NO_ATTENTION)
    # Both without EOS; the source may have been cut to the model's longest input.
    given = words_of_pieces(translation.source_tokens[:-1], clean(source).split(), cut=True)
    said = words_of_pieces(translation.target_tokens[:-1], translation.text.split())
    if given is None or said is None:
        log.warning("No links for a translation whose pieces do not spell its words: %s", translation.text)
        return []
    return link_words(translation.attention, given, said)
