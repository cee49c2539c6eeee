"""Sentences as tokens of both languages."""

from collections.abc import Callable
from dataclasses import dataclass

from grammar import english, french
from grammar.clauses import Clause
from grammar.phrases import NounPhrase
from grammar.pronouns import Reading, readings
from grammar.tokens import Line, Token, meaning, under


@dataclass(frozen=True)
class Sentence:
    """An English sentence, or a piece of one, and its French, which depends on the reading."""

    english: list[Token]
    french: Callable[[Reading], list[Token]]
    questions: frozenset[str]

    @property
    def source(self) -> Line:
        """The English text."""
        return english.join(self.english)

    @property
    def targets(self) -> list[Line]:
        """The distinct French texts, the most common reading first."""
        return list(dict.fromkeys(french.join(self.french(r)) for r in readings(self.questions)))


def mark(text: str) -> Token:
    """The punctuation mark at the end of a sentence."""
    return Token(text, "mark")


def words(english_tokens: list[Token], french_tokens: list[Token]) -> Sentence:
    """A piece of a sentence that never changes."""
    return Sentence(english_tokens, lambda _: french_tokens, frozenset())


def put(place: str, part: Clause | NounPhrase) -> Sentence:
    """A piece of a sentence that is a clause or a noun phrase; the place prefixes the keys of its tokens."""
    return Sentence(under(place, part.english()), lambda r: under(place, part.french(r)), part.questions)


def sentence(*pieces: Sentence, end: str) -> Sentence:
    """Pieces one after the other, and a punctuation mark."""
    return Sentence(
        [*(token for piece in pieces for token in piece.english), mark(end)],
        lambda r: [*(token for piece in pieces for token in piece.french(r)), mark(end)],
        frozenset().union(*(piece.questions for piece in pieces)),
    )


def joined(main: Clause, link: Sentence, other: Clause) -> Sentence:
    """Two clauses with a conjunction between them."""
    return sentence(put("main", main), link, put("other", other), end=".")


def statement(clause: Clause, end: str = ".") -> Sentence:
    """He is singing. Who is singing? (where the subject is who)."""
    return sentence(Sentence(clause.english(), clause.french, clause.questions), end=end)


def yes_no(clause: Clause) -> Sentence:
    """Is he singing? -> Est-ce qu'il chante ?."""
    # What asks in English is the auxiliary before the subject.
    return _est_ce_que([], meaning("tense", "est-ce", "que"), clause)


def what(clause: Clause) -> Sentence:
    """What is he eating? -> Qu'est-ce qu'il mange ?."""
    return _est_ce_que([Token("what", "what")], meaning("what", "que", "est-ce", "que"), clause)


def _est_ce_que(opening: list[Token], french_opening: list[Token], clause: Clause) -> Sentence:
    """A question that inverts subject and verb in English only."""
    asked = Sentence(clause.english(inverted=True), clause.french, clause.questions)
    return sentence(words(opening, french_opening), asked, end="?")


def wh_question(opening: list[Token], french_opening: list[Token], clause: Clause) -> Sentence:
    """Where is he singing? -> Où chante-t-il ?."""
    asked = Sentence(clause.english(inverted=True), lambda r: clause.french(r, inverted=True), clause.questions)
    return sentence(words(under("opening", opening), under("opening", french_opening)), asked, end="?")
