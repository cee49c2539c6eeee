"""Pronouns and names, and the French readings of what English leaves open."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Protocol

from grammar.conjugation import Slot
from grammar.tables import rows
from grammar.tokens import Token, numbered

_CASES = {row["case"]: row for row in rows("pronouns")}


@dataclass(frozen=True)
class Reading:
    """One choice of what French must express and English does not: tu or vous, and each gender."""

    address: str = "tu"
    speaker: str = "m"
    addressee: str = "m"
    they: str = "m"
    it: str = "m"
    named: str = "m"  # the friend, the student: people called by a noun that hides gender


def readings(open_questions: frozenset[str]) -> Iterator[Reading]:
    """All readings of a sentence that leaves these questions open, the most common first."""
    choices = []
    for question in fields(Reading):
        both = ("tu", "vous") if question.name == "address" else ("m", "f")
        choices.append(both if question.name in open_questions else both[:1])
    for answers in itertools.product(*choices):
        yield Reading(*answers)


@dataclass(frozen=True)
class Agreement:
    """What a French verb (`slot`) and its participle or adjective (`gender`, `plural`) agree with.

    They differ for the polite vous: vous êtes fatigué.
    """

    slot: Slot
    gender: str
    plural: bool


def personal(case: str, agreement: Agreement) -> str:
    """The French personal pronoun of a case, a row of pronouns.tsv."""
    feminine = {"il": "elle", "ils": "elles"}
    person = ("je", "tu", "il", "nous", "vous", "ils")[agreement.slot]
    return _CASES[case][feminine.get(person, person) if agreement.gender == "f" else person]


class Nominal(Protocol):
    """Base class of subjects and objects."""

    @property
    def person(self) -> str:
        """English agreement: "I", "he" or "they"."""

    @property
    def questions(self) -> frozenset[str]:
        """The fields of `Reading` that its French depends on."""

    def english(self, *, as_object: bool = False, some: str = "") -> list[Token]:
        """English tokens; `some` is the article of mass nouns and plurals: some, any or nothing."""

    def french(self, reading: Reading, *, negated: bool = False) -> list[Token]:
        """French tokens; after a negation, un and du become de."""

    def agreement(self, reading: Reading) -> Agreement:
        """Person, gender and number for what agrees with it."""


@dataclass(frozen=True)
class Pronoun:
    """A personal pronoun."""

    subject: str
    object: str
    possessive: str
    person: str
    slot: Slot
    gender: str  # m, f or the field of `Reading` that tells it

    @property
    def questions(self) -> frozenset[str]:
        """The fields of `Reading` that its French depends on."""
        address = {"address"} if self.subject == "you" else set()
        return frozenset({self.gender, *address} - {"m", "f"})

    def english(self, *, as_object: bool = False, some: str = "") -> list[Token]:
        """I or me."""
        return [Token(self.object if as_object else self.subject, "pronoun")]

    def french(self, reading: Reading, *, negated: bool = False) -> list[Token]:
        """The subject pronoun: je, tu, il."""
        return [self.form("subject", reading)]

    def form(self, case: str, reading: Reading) -> Token:
        """Another case: direct (me, le) and dative (me, lui) before the verb, strong after a preposition (moi, lui)."""
        return Token(personal(case, self.agreement(reading)), "pronoun")

    def agreement(self, reading: Reading) -> Agreement:
        """Agreement with the gender of the reading; he and she have their own."""
        slot = 4 if self.subject == "you" and reading.address == "vous" else self.slot
        return Agreement(slot, getattr(reading, self.gender, self.gender), self.slot in (3, 5))


I, YOU, HE, SHE, IT, WE, THEY = (  # noqa: E741
    Pronoun(row["subject"], row["object"], row["possessive"], row["person"], int(row["slot"]), row["gender"])
    for row in rows("english_pronouns")
)
PEOPLE = (I, YOU, HE, SHE, WE, THEY)


@dataclass(frozen=True)
class Word:
    """A subject that is one unchanging word in each language: a name, who, the it of the weather.

    When it is more (Tom and Mary), the words translate each other in their order.
    """

    english_word: str
    french_word: str
    gender: str = "m"
    plural: bool = False
    person: str = "he"
    questions: frozenset[str] = frozenset()

    def english(self, *, as_object: bool = False, some: str = "") -> list[Token]:
        """The word."""
        return numbered(self.english_word)

    def french(self, reading: Reading, *, negated: bool = False) -> list[Token]:
        """The word."""
        return numbered(self.french_word)

    def agreement(self, reading: Reading) -> Agreement:
        """Third person."""
        return Agreement(5 if self.plural else 2, self.gender, self.plural)


WHO = Word("who", "qui")
SOMETHING = Word("it", "ce")  # it is true -> c'est vrai
THIS = Word("this", "ce")
THESE = Word("these", "ce", plural=True, person="they")
WEATHER_IT = Word("it", "il")
THERE_IS = Word("there", "il")
THERE_ARE = Word("there", "il", person="they")  # il y a, also of many
