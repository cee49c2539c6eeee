"""Parts of tables in plain text: bars, and the width of text on a terminal."""

import unicodedata

_EIGHTHS = " ▏▎▍▌▋▊▉"


def text_bar(share: float, cells: int) -> str:
    """Draw a share between 0 and 1 as a bar of at most `cells` characters, in steps of an eighth of a character."""
    full, eighths = divmod(round(share * cells * 8), 8)
    return "█" * full + _EIGHTHS[eighths].strip()


def cell_width(text: str) -> int:
    """How many cells of a terminal a text takes: two for a Chinese character, none for a combining mark."""
    shown = (character for character in text if unicodedata.category(character) not in ("Mn", "Me", "Cf"))
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in shown)
