"""Encodings of text files: UTF-16 is recognised, and any other but UTF-8 is named, as far as its bytes tell."""

import codecs
import re
from contextlib import suppress

from nmt.writing_systems import count_scripts

_HEAD = 4096  # bytes in which UTF-16 must hold a NUL: it has one in every ASCII character, line ends included
_SAMPLE = 2000  # words that a guess looks at
# Encodings of several bytes a character, with the scripts that decoding by the right one gives.
_MULTIBYTE = {
    "shift_jis": ("Shift-JIS", {"HIRAGANA", "KATAKANA", "CJK"}),
    "euc_jp": ("EUC-JP", {"HIRAGANA", "KATAKANA", "CJK"}),
    "euc_kr": ("EUC-KR", {"HANGUL"}),
    "gb2312": ("GB 18030", {"CJK"}),
    "big5": ("Big5", {"CJK"}),
    "gb18030": ("GB 18030", {"CJK"}),
}
_MOSTLY = 0.9  # share of the letters that are of these scripts


def is_utf16(head: bytes) -> bool:
    """Whether a file that begins with these bytes is UTF-16 with a byte order mark."""
    return head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and b"\0" in head[:_HEAD]


def likely_encoding(content: bytes) -> str:
    """The encoding that a text which is not UTF-8 probably has."""
    if content.count(0) > len(content) / 5:
        return "UTF-16 without a byte order mark"
    words = [word for word in re.split(rb"[\t\n\r ]+", content) if not _is_utf8(word)]
    if not words:
        return "damaged UTF-8"
    sample = b" ".join(words[:_SAMPLE])
    runs, letters = re.findall(rb"[\x80-\xff]+", sample), re.findall(rb"[A-Za-z]", sample)
    alone = sum(len(run) == 1 for run in runs)  # as most accented letters are
    if sum(map(len, runs)) < len(letters) / 2 or alone > len(runs) / 2:
        return "Windows-1252 or another encoding of Latin letters"
    for codec, (name, scripts) in _MULTIBYTE.items():
        with suppress(UnicodeDecodeError):
            counts = count_scripts([sample.decode(codec)])
            foreign = counts.total() - counts["LATIN"]
            # Korean and Chinese, read as Japanese, have no hiragana.
            enough = "HIRAGANA" not in scripts or counts["HIRAGANA"] > foreign / 10
            if foreign and enough and sum(counts[script] for script in scripts) >= _MOSTLY * foreign:
                return name
    koi8 = sum(character.islower() for character in sample.decode("koi8-r"))
    lower = sum(character.islower() for character in sample.decode("cp1251", "ignore"))
    return "KOI8-R" if koi8 > 2 * lower else "Windows-1251 or another 8-bit encoding"


def _is_utf8(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True
