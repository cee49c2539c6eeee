"""The word classes of the lexicon."""

from dataclasses import dataclass
from enum import Enum

from grammar import french
from grammar.tables import rows
from grammar.tokens import Token, numbered


@dataclass(frozen=True)
class Noun:
    """A noun; `kinds` decide which verbs and adjectives it goes with."""

    english: str
    english_plural: str
    french: str
    french_plural: str
    gender: str  # "m" or "f"; "mf" when English hides it, and then `feminine` is the other form
    kinds: frozenset[str]
    feminine: str = ""

    @property
    def mass(self) -> bool:
        """Mass nouns have no plural and take the partitive: du pain, de l'eau."""
        return "mass" in self.kinds

    def in_english(self, plural: bool) -> str:
        """The English form."""
        return self.english_plural if plural else self.english

    def in_french(self, gender: str, plural: bool) -> str:
        """The French form."""
        if gender == "f" and self.feminine:
            return french.plural(self.feminine) if plural else self.feminine
        return self.french_plural if plural else self.french

    def is_among(self, wanted: str) -> bool:
        """Whether a list of kinds and English nouns contains this noun."""
        names = wanted.split()
        return self.english in names or not self.kinds.isdisjoint(names)


@dataclass(frozen=True)
class Adjective:
    """An adjective with its place in French and the kinds of nouns it can describe."""

    english: str
    masculine: str
    feminine: str
    place: str  # "before" or "after" the French noun; "be" when only used after be
    kinds: str  # of nouns it can describe; single English nouns too, and -child for an exception
    comparative: str  # English; "" when it is not compared
    duration: str  # passing (tired: goes with tomorrow), lasting (rich) or permanent (tall: no past)
    opinion: bool  # tells the listener something new: a good book, this good book, but not the good book

    def describes(self, noun: Noun) -> bool:
        """Whether it can describe this noun."""
        exceptions = " ".join(kind[1:] for kind in self.kinds.split() if kind.startswith("-"))
        if noun.is_among(exceptions):
            return False
        return noun.is_among(self.kinds) or (noun.is_among("kin") and "person" in self.kinds.split())

    def in_french(self, gender: str, plural: bool) -> str:
        """The agreed form."""
        return french.agree(self.masculine, gender, plural, self.feminine)


class Aspect(Enum):
    """The aspect of a verb, which decides the tenses it may take."""

    ACTIVITY = "is doing, does, did"
    STATE = "has, wants: no continuous, and French describes its past in the imparfait"
    EVENT = "met, chose: over at once, so no present"
    ACCIDENT = "lost, broke: nor does one plan it"
    WHOLE = "sees, thanks: not seen from within, so no continuous"
    MODAL = "can, must: present only"


TRAITS = frozenset(row["trait"] for row in rows("traits"))


@dataclass(frozen=True)
class Verb:
    """A verb sense. The first word of each language inflects; the others follow it."""

    english: str
    french: str
    aspect: Aspect = Aspect.ACTIVITY
    objects: str = ""  # kinds of nouns, or single English nouns, that it takes as object
    preposition: str = ""  # French à or de before the object; à turns pronouns into lui and leur
    places: str = ""  # kinds of places where people do it
    manners: str = ""  # English adverbs of manner it goes with
    traits: frozenset[str] = frozenset()  # explained in traits.tsv

    def __post_init__(self) -> None:
        if unknown := self.traits - TRAITS:
            raise ValueError(f"{self.english} has traits that are not in traits.tsv: {', '.join(sorted(unknown))}")

    @property
    def reflexive(self) -> bool:
        """Whether it takes se."""
        return self.french.startswith("se ")


@dataclass(frozen=True)
class Fixed:
    """A phrase that never changes: at home, tomorrow, faim. French tokens are not yet contracted.

    Words translate each other in their order, unless the French ones bear the numbers of the English words they
    translate: "last week" is "la2 semaine2 dernière1", and "in front of" is "devant123".
    """

    english_words: str
    french_words: str

    def __post_init__(self) -> None:
        in_step = len(self.english_words.split()) == len(self.french_words.split())
        if not in_step and not all(word[-1].isdigit() for word in self.french_words.split()):
            raise ValueError(f"{self.french_words!r} does not tell which words of {self.english_words!r} it translates")

    @property
    def english_tokens(self) -> list[Token]:
        """Words of the English side."""
        return numbered(self.english_words)

    @property
    def french_tokens(self) -> list[Token]:
        """Words of the French side."""
        tokens = []
        for place, word in enumerate(self.french_words.split(), 1):
            bare = word.rstrip("123456789")
            numbers = word[len(bare) :] or str(place)
            tokens.append(Token(bare, *numbers))
        return tokens
