"""Codes and names of languages, and the scripts that they are written in."""

import re
import unicodedata
from typing import NamedTuple


class Language(NamedTuple):
    """A language that headers, file names and xml:lang may name."""

    code: str  # ISO 639-3, as Anki files have it
    short: str  # ISO 639-1, or "-" if it has none
    names: tuple[str, ...]  # in English and in the language itself, as `_plain` writes them
    script: str  # as Unicode names its letters


# Script, then code, two-letter code and names of each language.
_TABLE = """
LATIN: eng en english|anglais|englisch|inglés, fra fr french|français, deu de german|deutsch
LATIN: spa es spanish|español|castellano, ita it italian|italiano, por pt portuguese|português
LATIN: nld nl dutch|nederlands, cat ca catalan|català, glg gl galician|galego, ron ro romanian|română
LATIN: swe sv swedish|svenska, dan da danish|dansk, nob nb bokmål, nor no norwegian|norsk, nno nn nynorsk
LATIN: isl is icelandic|íslenska, fao fo faroese, fin fi finnish|suomi, est et estonian|eesti
LATIN: lav lv latvian|latviešu, lit lt lithuanian|lietuvių, pol pl polish|polski, ces cs czech|čeština
LATIN: slk sk slovak|slovenčina, slv sl slovenian|slovene, hrv hr croatian|hrvatski, bos bs bosnian|bosanski
LATIN: sqi sq albanian|shqip, hun hu hungarian|magyar, tur tr turkish|türkçe, aze az azerbaijani
LATIN: uzb uz uzbek, tuk tk turkmen, gle ga irish|gaeilge, gla gd gaelic, cym cy welsh|cymraeg
LATIN: bre br breton, eus eu basque|euskara, lat la latin, epo eo esperanto, mlt mt maltese|malti
LATIN: afr af afrikaans, ltz lb luxembourgish, oci oc occitan, ast - asturian, fry fy frisian
LATIN: vie vi vietnamese, ind id indonesian, msa ms malay|melayu, zsm - malaysian, jav jv javanese
LATIN: sun su sundanese, tgl tl tagalog, fil - filipino, ceb - cebuano, mlg mg malagasy
LATIN: swa sw swahili|kiswahili, hau ha hausa, yor yo yoruba, ibo ig igbo, zul zu zulu, xho xh xhosa
LATIN: sot st sotho, tsn tn tswana, som so somali, kin rw kinyarwanda, lin ln lingala, wol wo wolof
LATIN: orm om oromo, sna sn shona, nya ny chichewa, hat ht haitian, que qu quechua, grn gn guarani
LATIN: nah - nahuatl, mri mi maori, haw - hawaiian, smo sm samoan, ton to tongan, kur ku kurdish
LATIN: hil - hiligaynon
CYRILLIC: rus ru russian|русский, ukr uk ukrainian|українська, bel be belarusian|беларуская
CYRILLIC: bul bg bulgarian|български, mkd mk macedonian, kaz kk kazakh, kir ky kyrgyz, tat tt tatar
CYRILLIC: bak ba bashkir, chv cv chuvash, tgk tg tajik
GREEK: ell el greek|ελληνικά
ARABIC: ara ar arabic|العربية, fas fa persian|farsi|فارسی, urd ur urdu|اردو, pus ps pashto, uig ug uyghur
ARABIC: snd sd sindhi
HEBREW: heb he hebrew|עברית, yid yi yiddish
DEVANAGARI: hin hi hindi|हिन्दी|हिंदी, mar mr marathi|मराठी, nep ne nepali|नेपाली, san sa sanskrit
DEVANAGARI: bho - bhojpuri, mai - maithili
BENGALI: ben bn bengali|bangla|বাংলা, asm as assamese
GURMUKHI: pan pa punjabi|panjabi
GUJARATI: guj gu gujarati|ગુજરાતી
ORIYA: ori or odia|oriya
TAMIL: tam ta tamil|தமிழ்
TELUGU: tel te telugu|తెలుగు
KANNADA: kan kn kannada|ಕನ್ನಡ
MALAYALAM: mal ml malayalam|മലയാളം
SINHALA: sin si sinhala|sinhalese
THAI: tha th thai|ไทย
LAO: lao lo lao
MYANMAR: mya my burmese|myanmar
KHMER: khm km khmer
TIBETAN: bod bo tibetan
GEORGIAN: kat ka georgian|ქართული
ARMENIAN: hye hy armenian|հայերեն
ETHIOPIC: amh am amharic|አማርኛ, tir ti tigrinya
HANGUL: kor ko korean|한국어
HIRAGANA: jpn ja japanese|日本語
CJK: zho zh chinese|中文|汉语|漢語, cmn - mandarin, yue - cantonese, wuu - wu
"""
_OLD_CODES = {"fre": "fra", "ger": "deu", "dut": "nld", "gre": "ell", "cze": "ces", "slo": "slk", "rum": "ron",
              "chi": "zho", "per": "fas", "alb": "sqi", "arm": "hye", "geo": "kat", "baq": "eus", "wel": "cym",
              "ice": "isl", "mac": "mkd", "bur": "mya", "tib": "bod", "may": "msa", "iw": "heb", "in": "ind",
              "pes": "fas", "arb": "ara", "ekk": "est", "lvs": "lav", "npi": "nep", "swh": "swa"}  # fmt: skip
CODE = re.compile(r"([A-Za-z]{2,3})([-_]([A-Za-z]{2}|\d{3}|[A-Z][a-z]{3}))*")  # with region or script: pt-BR, zh_Hans
# Scripts that are written together: they count as one.
FAMILIES = {"KATAKANA": "HIRAGANA", "KATAKANA-HIRAGANA": "HIRAGANA"}
# Scripts that may take the place of a language's own, such as Japanese in Chinese characters only.
_ALSO = {"HIRAGANA": {"CJK"}, "HANGUL": {"CJK"}}


# What headers call the columns with sentences, and those that stand beside them.
PAIR_WORDS = {"source", "target", "src", "tgt", "trg", "front", "back", "sentence", "translation", "original", "text",
              "translated", "sentences", "lang", "language", "segment", "phrase", "phrases", "word"}  # fmt: skip
OTHER_WORDS = {"id", "no", "nr", "number", "index", "key", "url", "link", "license", "licence", "attribution", "author",
               "user", "date", "note", "notes", "comment", "comments", "tag", "tags", "context", "domain", "score",
               "origin", "remark", "remarks", "status", "category"}  # fmt: skip
COLUMN_WORDS = PAIR_WORDS | OTHER_WORDS


def _plain(text: str) -> str:
    """Fold case, and remove the accents of Latin letters (français → francais)."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    latin = decomposed.encode("ascii", "ignore").decode()
    return latin if latin.strip() else unicodedata.normalize("NFC", text.casefold())


def _languages() -> list[Language]:
    found = []
    for line in _TABLE.strip().splitlines():
        script, _, entries = line.partition(": ")
        for entry in entries.split(", "):
            code, short, names = entry.split(" ")
            found.append(Language(code, short, tuple(map(_plain, names.split("|"))), script))
    return found


LANGUAGES = {language.code: language for language in _languages()}
_BY_CODE = {code: x for x in LANGUAGES.values() for code in (x.code, x.short) if code != "-"}
_BY_CODE |= {old: LANGUAGES[new] for old, new in _OLD_CODES.items()}
_BY_NAME = {name: x for x in LANGUAGES.values() for name in x.names}


def known_language(text: str) -> Language | None:
    """The language of a code (en, eng, en-US, zh_Hans) or of a name (English, français)."""
    code = CODE.fullmatch(text.strip())
    return (_BY_CODE.get(code[1].lower()) if code else None) or _BY_NAME.get(_plain(text.strip()))


def language_named_in(text: str) -> Language | None:
    """The one language that a few words name, such as `English sentence`, `mar_text` or `source (de)`."""
    if known := known_language(text):
        return known
    words = [word for word in re.split(r"[\W\d_]+", _plain(text)) if word]
    if len(words) > 4:
        return None
    names = {_BY_NAME[word] for word in words if word in _BY_NAME}
    if not names and len(words) > 1 and sum(word in _BY_CODE for word in words) == 1:  # `is` and `No.` are words too
        names = {_BY_CODE[word] for word in words if word in _BY_CODE and {*words} - {word} <= COLUMN_WORDS}
    return names.pop() if len(names) == 1 else None


def same_language(one: str, other: str) -> bool:
    """Whether two labels mean one language: eng, en-GB and English do."""
    known = known_language(one), known_language(other)
    return one.casefold() == other.casefold() or (known[0] is not None and known[0] == known[1])


def is_written_in(label: str, script: str) -> bool | None:
    """Whether a language is written in a script; None if we do not know the language, or it has several scripts."""
    language = known_language(label)
    if language is None or language.code in ("kur", "uzb", "kaz", "aze", "tuk", "msa", "hau", "snd", "pan", "bos"):
        return None
    script = FAMILIES.get(script, script)
    return script == language.script or script in _ALSO.get(language.script, ())


def only_language_of(script: str) -> str | None:
    """The code of the language that is alone (in our table) in using a script, as Greek or Thai."""
    users = [x.code for x in LANGUAGES.values() if x.script == FAMILIES.get(script, script)]
    return users[0] if len(users) == 1 or script == "CJK" else None
