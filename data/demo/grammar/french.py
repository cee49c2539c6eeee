"""French spelling: contraction, elision and spacing, and the number and gender of nouns and adjectives."""

from collections.abc import Sequence

from grammar.tokens import Line, Token

NARROW_SPACE = "\u202f"  # French typography sets it before ? and !

_ELIDING = frozenset({"je", "me", "te", "se", "le", "la", "ne", "de", "ce", "que"})
_ASPIRATED = frozenset({"héros", "honte"})  # h that blocks elision: le héros, but l'homme
# Adjectives before a masculine singular noun that begins with a vowel sound.
BEFORE_VOWEL = {"beau": "bel", "vieux": "vieil", "nouveau": "nouvel"}
_CONTRACTED = {("à", "le"): "au", ("à", "les"): "aux", ("de", "le"): "du", ("de", "les"): "des"}


def begins_with_vowel(word: str) -> bool:
    """Whether the word before this one must elide (l'homme, n'y, mon amie)."""
    return word.lower() not in _ASPIRATED and (word == "y" or word[0].lower() in "aàâeéèêhiîoôœuû")


def join(tokens: Sequence[Token]) -> Line:
    """Write tokens as a sentence: contract, elide, space and capitalise."""
    written: list[Token] = []
    for token in _elide(_contract(tokens)):
        if token in ("?", "!"):
            written.append(token.spelled(NARROW_SPACE + token))
        elif token in (".", ","):
            written.append(Token(token))  # belongs to its word, so that "donné." does not link to "her."
        elif not written or token[0] == "-" or written[-1].endswith("'"):
            written.append(token)
        else:
            written.append(token.spelled(" " + token))
    return Line(written)


def _contract(tokens: Sequence[Token]) -> list[Token]:
    """Merge à and de with the articles le and les, unless le is about to elide (à l'école)."""
    merged: list[Token] = []
    following = [*tokens[1:], "."]
    for token, after in zip(tokens, following, strict=True):
        preposition = merged[-1] if merged else ""
        elides = token == "le" and begins_with_vowel(after)
        if not elides and (preposition, token) in _CONTRACTED:
            merged[-1] = merged[-1].spelled(_CONTRACTED[preposition, token]).also(*token.keys)
        else:
            merged.append(token)
    return merged


def _elide(tokens: Sequence[Token]) -> list[Token]:
    """Drop the final vowel of je, ne, que, ... before a vowel sound, and of si before il and ils."""
    elided = []
    for token, after in zip(tokens, [*tokens[1:], "."], strict=True):
        if (token in _ELIDING and begins_with_vowel(after)) or (token == "si" and after in ("il", "ils")):
            token = token.spelled(token[:-1] + "'")
        elided.append(token)
    return elided


def plural(word: str) -> str:
    """The regular plural of a noun or a masculine adjective."""
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith(("eau", "jeu")):
        return word + "x"
    if word.endswith("al"):
        return word[:-2] + "aux"
    return word + "s"


def feminine(adjective: str) -> str:
    """The regular feminine of an adjective or a participle."""
    if adjective.endswith("e"):
        return adjective
    if adjective.endswith("x"):
        return adjective[:-1] + "se"
    if adjective.endswith("er"):
        return adjective[:-2] + "ère"
    if adjective.endswith(("on", "en")):
        return adjective + "ne"
    return adjective + "e"


def agree(masculine: str, gender: str, is_plural: bool, feminine_form: str = "") -> str:
    """Make an adjective or a participle agree in gender and number."""
    word = (feminine_form or feminine(masculine)) if gender == "f" else masculine
    return plural(word) if is_plural else word
