"""English spelling and verb forms."""

from collections.abc import Sequence

from grammar.tables import rows
from grammar.tokens import Line, Token

LEANING = frozenset({"I", "you", "he", "she", "it", "we", "they"})  # before 'm, 's, 'll
_ATTACHED = frozenset({".", ",", "?", "!", "n't", "'m", "'re", "'s", "'ll", "'ve"})
_FUSED = {("will", "n't"): "won't", ("can", "n't"): "can't", ("can", "not"): "cannot"}
_CONSONANT_SOUND = frozenset({"useful"})  # begins with a vowel letter, yet takes "a"
_DOUBLING = frozenset({"run", "swim", "win", "get", "cut", "forget", "stop"})

_IRREGULAR = {row["verb"]: row for row in rows("english_verbs")}


def join(tokens: Sequence[Token]) -> Line:
    """Write tokens as a sentence: a or an, contractions, spacing, capital."""
    written: list[Token] = []
    fused = _fuse(tokens)
    for token, after in zip(fused, [*fused[1:], "."], strict=True):
        if token == "a" and after[0] in "aeiou" and after not in _CONSONANT_SOUND:
            token = token.spelled("an")
        written.append(token if not written or token in _ATTACHED else token.spelled(" " + token))
    return Line(written)


def _fuse(tokens: Sequence[Token]) -> list[Token]:
    """Merge will and can with the negation after them."""
    fused: list[Token] = []
    for token in tokens:
        if fused and (fused[-1], token) in _FUSED:
            fused[-1] = fused[-1].spelled(_FUSED[fused[-1], token]).also(*token.keys)
        else:
            fused.append(token)
    return fused


def plural(noun: str) -> str:
    """The regular plural of a noun."""
    if noun.endswith(("s", "sh", "ch", "x")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def third_person(verb: str) -> str:
    """The third person singular: works, goes, has."""
    irregular = {"have": "has", "go": "goes"}
    return irregular.get(verb) or plural(verb)  # verbs take -s by the rule of nouns: watches, cries, plays


def ing(verb: str) -> str:
    """The -ing form: working, writing, running, lying."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and verb not in ("be", "see"):
        return verb[:-1] + "ing"
    return _stem(verb) + "ing"


def past(verb: str) -> str:
    """The simple past."""
    return _IRREGULAR[verb]["past"] if verb in _IRREGULAR else _regular_past(verb)


def participle(verb: str) -> str:
    """The past participle."""
    return _IRREGULAR[verb]["participle"] if verb in _IRREGULAR else _regular_past(verb)


def _regular_past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return _stem(verb) + "ed"


def _stem(verb: str) -> str:
    return verb + verb[-1] if verb in _DOUBLING else verb
