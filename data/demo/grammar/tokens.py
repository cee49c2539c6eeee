"""Tokens with keys for their meaning, and the word alignment derived from the keys."""

import re
from collections.abc import Iterable, Sequence


class Token(str):
    """A token with the keys of what it expresses: tokens of two languages that share a key translate each other.

    A key names a place in the sentence (`subject.noun`) and not a word, for the same word may come twice. What
    only one language has a word for is a key of the word that implies it in the other: *worked* has the keys
    `tense` and `verb`, and so links to both words of *a travaillé*. A token is equal to its bare text.
    """

    __slots__ = ("keys",)
    keys: tuple[str, ...]

    def __new__(cls, text: str, *keys: str) -> "Token":
        token = super().__new__(cls, text)
        token.keys = keys
        return token

    def also(self, *keys: str) -> "Token":
        """The same text with further keys."""
        return Token(self, *self.keys, *keys)

    def spelled(self, text: str) -> "Token":
        """The same keys with another spelling."""
        return Token(text, *self.keys)


class Line(str):
    """A written sentence that keeps its tokens; it is equal to its bare text."""

    __slots__ = ("_tokens",)
    _tokens: Sequence[Token]

    def __new__(cls, tokens: Sequence[Token]) -> "Line":
        """Concatenate tokens, which contain their own spaces, and capitalise."""
        text = "".join(tokens)
        line = super().__new__(cls, text[0].upper() + text[1:])
        line._tokens = tokens
        return line

    def meanings(self) -> list[frozenset[str]]:
        """The keys of each whitespace-separated word."""
        # By character, since a word can hold several tokens (n'est) and a token several words (pomme de terre).
        keys = [token.keys for token in self._tokens for _ in token]
        words = re.finditer(r"\S+", self)
        return [frozenset().union(*keys[word.start() : word.end()]) for word in words]


def alignment(source: Line, target: Line) -> str:
    """The pairs of words that share a key, in Pharaoh format: 0-0 1-2 2-1."""
    meanings = target.meanings()
    return " ".join(
        f"{i}-{j}"
        for i, wanted in enumerate(source.meanings())
        for j, offered in enumerate(meanings)
        if not wanted.isdisjoint(offered)
    )


def meaning(key: str, *words: str) -> list[Token]:
    """Words that share one key."""
    return [Token(word, key) for word in words]


def numbered(text: str) -> list[Token]:
    """The words of a text, each with its number from 1 on for its key."""
    return [Token(word, str(number)) for number, word in enumerate(text.split(), 1)]


def under(place: str, tokens: Iterable[Token]) -> list[Token]:
    """Prefix the keys of these tokens: noun becomes subject.noun."""
    return [Token(token, *(f"{place}.{key}" for key in token.keys)) for token in tokens]
