"""Words and the scripts they are written in.

A model sees subword pieces; people read words. Here pieces become words again, and attention over pieces
becomes attention over words.
"""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from nmt.special import EOS_PIECE

WORD_START = "▁"  # SentencePiece writes the space before a word as U+2581

# Scripts that put no spaces between words, by the name Unicode gives their characters.
UNSPACED = frozenset({"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"})

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
# What follows the script in a character's name.
_SCRIPT_END = re.compile(
    r"[- ](?:SMALL|CAPITAL|LETTER|LIGATURE|SYLLAB|VOWEL|CONSONANT|SIGN|UNIFIED|COMPATIBILITY|HIRAGANA)"
)
_SCRIPTLESS = frozenset({"COMBINING", "MODIFIER", "VARIATION", "ZERO", "FEMININE", "MASCULINE", "MICRO"})


def script_of(character: str) -> str | None:
    """Name the script of a letter or mark (``"LATIN"``, ``"CJK"``), or None for what all scripts share.

    Python ships no script table, but every Unicode name begins with its script: DEVANAGARI LETTER KA.
    """
    if unicodedata.category(character)[0] not in "LM":
        return None
    name = unicodedata.name(character, "").removeprefix("FULLWIDTH ").removeprefix("HALFWIDTH ")
    if not name or name.split(" ", 1)[0] in _SCRIPTLESS:
        return None
    if name.startswith("IDEOGRAPHIC "):  # the iteration mark 々 and its kin
        return "CJK"
    end = _SCRIPT_END.search(name)
    return name[: end.start()] if end else name.split(" ", 1)[0]


def count_scripts(texts: Iterable[str]) -> Counter[str]:
    """Count letters and marks by script."""
    characters: Counter[str] = Counter()
    for text in texts:
        characters.update(text)
    scripts: Counter[str] = Counter()
    for character, count in characters.items():
        if script := script_of(character):
            scripts[script] += count
    return scripts


def merge_words(pieces: Sequence[str], weights: np.ndarray, axis: int) -> tuple[list[str], np.ndarray]:
    """Merge subword pieces to words, and attention with them.

    Args:
        pieces: SentencePiece pieces; byte pieces such as ``<0xE0>`` are decoded.
        weights: Attention ``(target, source)``.
        axis: The axis that belongs to ``pieces``. Columns (1, source) are summed: a word receives what its
            pieces received. Rows (0, target) are averaged: a word looks where its pieces looked on average.
            Either way a row that summed to one still does.

    Returns:
        The words, and the weights with one entry per word along ``axis``.
    """
    assert axis in (0, 1), axis
    assert weights.shape[axis] == len(pieces), (weights.shape, axis, len(pieces))
    if not pieces:
        return [], weights
    words: list[str] = []
    starts: list[int] = []
    for text, start in _characters(pieces):
        if not words or _begins_word(words[-1], text):
            words.append(text)
            starts.append(start)
        else:
            words[-1] += text
    merged = np.add.reduceat(weights, starts, axis=axis)
    if axis == 0:
        merged = merged / np.diff([*starts, len(pieces)])[:, None]
    return [word.replace(WORD_START, " ").strip() or WORD_START for word in words], merged


def _characters(pieces: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield each piece with its index; byte pieces are gathered until they make a character."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    first = 0  # where the character being gathered began
    for index, piece in enumerate(pieces):
        byte = _BYTE_PIECE.fullmatch(piece)
        decoded = decoder.decode(bytes.fromhex(byte[1]) if byte else b"", final=not byte)
        if decoded:
            yield decoded, first
        if not byte:
            yield piece, index
        if decoded or not byte:
            first = index + 1
    if rest := decoder.decode(b"", final=True):
        yield rest, first


def _begins_word(word: str, text: str) -> bool:
    """Whether ``text`` begins a new word after ``word``."""
    if EOS_PIECE in (word, text) or text.startswith(WORD_START):
        return True
    if word in ("", WORD_START) or not text or unicodedata.category(text[0]).startswith("M"):
        return False  # a space belongs to what follows it, a combining mark to what it sits on
    # Without spaces a piece is the nearest thing to a word, so it stays by itself.
    return _is_unspaced(word[-1]) or _is_unspaced(text[0])


def _is_unspaced(character: str) -> bool:
    """Whether a character belongs to writing without spaces, its punctuation (。，！) included."""
    return "\u3000" <= character <= "\u303f" or "\uff00" <= character <= "\uffef" or script_of(character) in UNSPACED
