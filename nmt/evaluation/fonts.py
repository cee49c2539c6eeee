"""Choice of installed fonts by the characters that they cover, so that no script is drawn as empty boxes."""

import logging
import unicodedata
from functools import cache, lru_cache

import numpy as np
from matplotlib import font_manager

from nmt.writing_systems import script_of

log = logging.getLogger(__name__)

DEFAULT = "DejaVu Sans"  # comes with matplotlib, so it is always there

_PLACEHOLDERS = {"Last Resort High-Efficiency", "Adobe Blank"}  # claim every character, draw none
_PACKAGES = dict.fromkeys(["CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"], "fonts-noto-cjk") | {
    "SYMBOLS": "fonts-symbola"
}
_warned: set[str] = set()  # scripts the user has been told of


def families(text: str) -> tuple[str, ...]:
    """Font families that together cover ``text``, the most useful first; a warning names scripts without a font."""
    return _families(frozenset(filter(_needs_glyph, text)))


def is_plain(text: str) -> bool:
    """Whether the default font has every character of a text."""
    return _of_default().issuperset(character for character in text if _needs_glyph(character))


@lru_cache(maxsize=1024)
def _families(characters: frozenset[str]) -> tuple[str, ...]:
    chosen, missing = _cover(characters)
    if missing and _add_new_fonts():
        chosen, missing = _cover(characters)
    _warn_about(missing)
    return tuple(chosen)


def _needs_glyph(character: str) -> bool:
    """Whether a character is drawn by itself: not a space, joiner, or variation selector."""
    return unicodedata.category(character)[0] not in "ZC" and not "\ufe00" <= character <= "\ufe0f"


def _cover(characters: frozenset[str]) -> tuple[list[str], set[str]]:
    """Choose families greedily, the one that covers most first; also return what none of them covers."""
    if characters <= _of_default():
        return [DEFAULT], set()  # most text ends here, before a second font is opened
    missing = {ord(character) for character in characters}
    region = _cjk_region(characters)
    candidates = sorted(_installed(), key=lambda family: _oddity(family, region))
    chosen: list[str] = []
    while missing:
        wanted = np.array(sorted(missing))
        # max() keeps the first of equals: among fonts that cover as much, the least odd one wins
        best = max(candidates, key=lambda family: int(np.isin(wanted, _codepoints(family)).sum()))
        covered = missing.intersection(_codepoints(best).tolist())
        if not covered:
            break
        chosen.append(best)
        missing -= covered
    return chosen if DEFAULT in chosen else [*chosen, DEFAULT], {chr(code) for code in missing}


def _oddity(family: str, region: str) -> tuple[bool, bool, bool, bool, int, str]:
    """Sort key: plain sans-serif fonts first, and CJK fonts of the text's region."""
    return (
        family != DEFAULT,
        "CJK" in family and not family.endswith(region),
        not family.startswith("Noto Sans"),
        "Mono" in family or "Serif" in family,
        len(family),  # variants have longer names: Tifinagh, Tifinagh Adrar
        family,
    )


def _cjk_region(characters: frozenset[str]) -> str:
    """Guess the regional font: one code point is drawn differently in Japan, Korea and China."""
    scripts = {script_of(character) for character in characters}
    if scripts & {"HIRAGANA", "KATAKANA"}:
        return "JP"
    return "KR" if "HANGUL" in scripts else "SC"


@cache
def _installed() -> tuple[str, ...]:
    """Return the families that have an upright face of ordinary weight."""
    fonts = font_manager.fontManager.ttflist
    upright = {font.name for font in fonts if font.style == "normal" and font.weight in (400, "normal")}
    return tuple(sorted(upright - _PLACEHOLDERS))


@cache
def _of_default() -> frozenset[str]:
    return frozenset(map(chr, _codepoints(DEFAULT).tolist()))


@cache
def _codepoints(family: str) -> np.ndarray:
    """Return the code points that a family covers; arrays, because sets of them take ten times the memory."""
    face = font_manager.get_font(font_manager.findfont(font_manager.FontProperties(family=[family])))
    return np.fromiter(face.get_charmap(), dtype=np.int32)


@cache
def _add_new_fonts() -> bool:
    """Add fonts installed since matplotlib made its list, which it keeps on disk and never renews."""
    known = {font.fname for font in font_manager.fontManager.ttflist}
    added = False
    for path in sorted(set(font_manager.findSystemFonts()) - known):
        try:
            font_manager.fontManager.addfont(path)
        except (OSError, RuntimeError, NotImplementedError):
            continue  # damaged, or made of bitmaps: matplotlib skips these as well
        added = True
    _installed.cache_clear()
    return added


def _warn_about(missing: set[str]) -> None:
    """Say, once for each script, what cannot be drawn and what to install."""
    by_script: dict[str, list[str]] = {}
    for character in sorted(missing):
        by_script.setdefault(script_of(character) or "SYMBOLS", []).append(character)
    for script, characters in by_script.items():
        if script not in _warned:
            _warned.add(script)
            name = "Chinese characters" if script == "CJK" else script.title()
            problem = f"No installed font has {name} ({' '.join(characters[:5])}), so attention pictures show boxes"
            package = _PACKAGES.get(script, "fonts-noto-core")
            advice = f"on Debian and Ubuntu with: apt install {package} (elsewhere: fonts.google.com/noto)"
            log.warning("%s for it; install one, %s", problem, advice)
