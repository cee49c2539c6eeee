"""The word classes of the lexicon."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from grammar import english, french
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


@dataclass(frozen=True)
class Verb:
    """A verb sense. The first word of each language inflects; the others follow it."""

    english: str
    french: str
    aspect: Aspect = Aspect.ACTIVITY
    objects: str = ""  # kinds of nouns, or single English nouns, that it takes as object
    preposition: str = ""  # French à or de before the object; à turns pronouns into lui and leur
    etre: bool = False  # compound past with être
    reflexive: bool = False
    existential: bool = False  # takes y: il y a
    willed: bool = True  # one can want to do it, or be told to
    once: bool = False  # done once to the same thing, so never a habit: sell the car
    places: str = ""  # kinds of places where people do it
    company: bool = False  # goes with "with her"
    manners: str = ""  # English adverbs of manner it goes with


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


def rows(table: str, columns: int) -> Iterator[list[str]]:
    """Cells of a lexicon table, which are set apart by two or more spaces."""
    for line in table.strip().splitlines():
        cells = re.split(r"\s{2,}", line.strip())
        if len(cells) != columns:
            raise ValueError(f"lexicon line {line!r} has {len(cells)} cells where {columns} belong")
        yield cells


def forms(cell: str) -> tuple[str, str]:
    """Split `knife/knives` into two forms; the second is empty when it is regular."""
    first, _, second = cell.partition("/")
    return first, second


def noun(kinds: str, english_forms: str, french_forms: str, gender: str) -> Noun:
    """A noun from its lexicon cells."""
    singular, irregular = forms(english_forms)
    french_singular, other = forms(french_forms)
    return Noun(
        english=singular,
        english_plural=irregular or english.plural(singular),
        french=french_singular,
        french_plural=(other if gender != "mf" else "") or french.plural(french_singular),
        gender=gender,
        kinds=frozenset(kinds.split()),
        feminine=other if gender == "mf" else "",
    )
