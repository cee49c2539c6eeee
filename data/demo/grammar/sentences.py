"""Sentences as tokens of both languages."""

from collections.abc import Callable
from dataclasses import dataclass

from grammar import english, french
from grammar.clauses import Clause
from grammar.pronouns import Reading, readings
from grammar.tokens import Line, Token, meaning, under


@dataclass(frozen=True)
class Sentence:
    """An English sentence and its French, which depends on the reading."""

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


def statement(clause: Clause) -> Sentence:
    """He is singing."""
    return Sentence([*clause.english(), mark(".")], lambda r: [*clause.french(r), mark(".")], clause.questions)


def yes_no(clause: Clause) -> Sentence:
    """Is he singing? -> Est-ce qu'il chante ?."""
    return Sentence(
        [*clause.english(inverted=True), mark("?")],
        # What asks in English is the auxiliary before the subject.
        lambda r: [*meaning("tense", "est-ce", "que"), *clause.french(r), mark("?")],
        clause.questions,
    )


def who(clause: Clause) -> Sentence:
    """Who is singing? The clause has who for its subject."""
    return Sentence([*clause.english(), mark("?")], lambda r: [*clause.french(r), mark("?")], clause.questions)


def wh_question(opening: list[Token], french_opening: list[Token], clause: Clause) -> Sentence:
    """Where is he singing? -> Où chante-t-il ?."""
    return Sentence(
        [*under("opening", opening), *clause.english(inverted=True), mark("?")],
        lambda r: [*under("opening", french_opening), *clause.french(r, inverted=True), mark("?")],
        clause.questions,
    )


def what(clause: Clause) -> Sentence:
    """What is he eating? -> Qu'est-ce qu'il mange ?."""
    return Sentence(
        [Token("what", "what"), *clause.english(inverted=True), mark("?")],
        lambda r: [*meaning("what", "que", "est-ce", "que"), *clause.french(r), mark("?")],
        clause.questions,
    )
