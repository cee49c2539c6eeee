"""Sentences: tokens of both languages, ready to be written down."""

from collections.abc import Callable
from dataclasses import dataclass

from demo_corpus import english, french
from demo_corpus.clauses import Clause
from demo_corpus.pronouns import Reading, readings


@dataclass(frozen=True)
class Sentence:
    """An English sentence and its French, which depends on the reading."""

    english: list[str]
    french: Callable[[Reading], list[str]]
    questions: frozenset[str]

    @property
    def source(self) -> str:
        """The English text."""
        return english.join(self.english)

    @property
    def targets(self) -> list[str]:
        """The distinct French texts, the most common reading first."""
        return list(dict.fromkeys(french.join(self.french(r)) for r in readings(self.questions)))


def statement(clause: Clause) -> Sentence:
    """He is singing."""
    return Sentence([*clause.english(), "."], lambda r: [*clause.french(r), "."], clause.questions)


def yes_no(clause: Clause) -> Sentence:
    """Is he singing? -> Est-ce qu'il chante ?."""
    return Sentence(
        [*clause.english(inverted=True), "?"],
        lambda r: ["est-ce", "que", *clause.french(r), "?"],
        clause.questions,
    )


def who(clause: Clause) -> Sentence:
    """Who is singing? The clause has who for its subject."""
    return Sentence([*clause.english(), "?"], lambda r: [*clause.french(r), "?"], clause.questions)


def wh_question(word: str, french_word: str, clause: Clause) -> Sentence:
    """Where is he singing? -> Où chante-t-il ?."""
    return Sentence(
        [*word.split(), *clause.english(inverted=True), "?"],
        lambda r: [*french_word.split(), *clause.french(r, inverted=True), "?"],
        clause.questions,
    )


def what(clause: Clause) -> Sentence:
    """What is he eating? -> Qu'est-ce qu'il mange ?."""
    return Sentence(
        ["what", *clause.english(inverted=True), "?"],
        lambda r: ["que", "est-ce", "que", *clause.french(r), "?"],
        clause.questions,
    )
