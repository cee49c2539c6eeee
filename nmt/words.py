"""Merge subword pieces to words, and their attention or log probabilities with them."""

import unicodedata
from collections.abc import Sequence

import numpy as np

from nmt.special import EOS_PIECE, WORD_START
from nmt.writing_systems import UNSPACED, script_of


def merge_words(pieces: Sequence[str], weights: np.ndarray, axis: int) -> tuple[list[str], np.ndarray]:
    """Merge subword pieces to words, and the attention (target, source) along the axis that belongs to them.

    Weights are summed over the pieces of a source word (axis 1) and averaged over those of a target word (axis 0), so a
    row that summed to one still does.
    """
    assert axis in (0, 1), axis
    assert weights.shape[axis] == len(pieces), (weights.shape, axis, len(pieces))
    if not pieces:
        return [], weights
    words: list[str] = []
    starts: list[int] = []
    for start, piece in enumerate(pieces):
        if not words or _begins_word(words[-1], piece):
            words.append(piece)
            starts.append(start)
        else:
            words[-1] += piece
    merged = np.add.reduceat(weights, starts, axis=axis)
    if axis == 0:
        merged = merged / np.diff([*starts, len(pieces)])[:, None]
    return [word.replace(WORD_START, " ").strip() or WORD_START for word in words], merged


def _begins_word(word: str, piece: str) -> bool:
    """Whether ``piece`` begins a new word after ``word``."""
    if EOS_PIECE in (word, piece) or piece.startswith(WORD_START):
        return True
    if word in ("", WORD_START) or not piece or unicodedata.category(piece[0]).startswith("M"):
        return False  # a space belongs to what follows it, a combining mark to what it sits on
    # Without spaces a piece is the nearest thing to a word, so it stays by itself.
    return is_unspaced(word[-1]) or is_unspaced(piece[0])


def is_unspaced(character: str) -> bool:
    """Whether a character belongs to writing without spaces, its punctuation (。，！) included."""
    return "\u3000" <= character <= "\u303f" or "\uff00" <= character <= "\uffef" or script_of(character) in UNSPACED
