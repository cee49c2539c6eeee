"""Cleaning of text, the same for training and for translating.

Imported whenever translate.py starts, so it imports nothing else.
"""

import re
import unicodedata

from nmt.special import WORD_START

# Control characters other than white space, and the byte order mark. Joiners (ZWJ, ZWNJ) shape words and stay.
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]")


def clean(text: str) -> str:
    """Normalise to NFC and single spaces, and remove control characters.

    SentencePiece's sign for a space (▁) becomes a space, as in the tokenizer. Applied to training text and to text to
    translate alike.
    """
    if not text.isprintable():  # faster than the search, which most text does not need
        text = _CONTROLS.sub("", text)
    text = " ".join(text.replace(WORD_START, " ").split())
    return text if text.isascii() else unicodedata.normalize("NFC", text)
