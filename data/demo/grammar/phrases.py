"""Noun phrases: a determiner or an owner, maybe an adjective, and a noun."""

from dataclasses import dataclass
from enum import Enum

from grammar.french import BEFORE_VOWEL, begins_with_vowel
from grammar.pronouns import Agreement, Nominal, Pronoun, Reading, personal
from grammar.tokens import Token, meaning, under
from grammar.words import Adjective, Noun


class Determiner(Enum):
    """The determiner of a noun phrase without an owner; numbers carry their French word."""

    THE = "the"
    A = "a"  # in the plural and with mass nouns: some, any or nothing
    THIS = "this"
    GENERIC = "all"  # I like tea -> j'aime le thé
    LOTS = "a lot of"
    TWO = "deux"
    THREE = "trois"
    FOUR = "quatre"
    FIVE = "cinq"
    TEN = "dix"


NUMBERS = (Determiner.TWO, Determiner.THREE, Determiner.FOUR, Determiner.FIVE, Determiner.TEN)


@dataclass(frozen=True)
class NounPhrase:
    """A red car; my friends; two apples; Tom's house."""

    determiner: Determiner  # THE when there is an owner
    noun: Noun
    plural: bool = False
    adjective: Adjective | None = None
    owner: Nominal | None = None

    @property
    def person(self) -> str:
        """English agreement: third person."""
        return "they" if self.plural else "he"

    @property
    def questions(self) -> frozenset[str]:
        """The fields of `Reading` that its French depends on."""
        questions = frozenset({"named"}) if self.noun.gender == "mf" else frozenset()
        if isinstance(self.owner, Pronoun):
            return questions | (self.owner.questions & {"address"})
        return questions | (self.owner.questions if self.owner else frozenset())

    def agreement(self, reading: Reading) -> Agreement:
        """Gender and number for what agrees with it."""
        return Agreement(5 if self.plural else 2, self._gender(reading), self.plural)

    def english(self, *, as_object: bool = False, some: str = "") -> list[Token]:
        """English tokens; `some` opens mass nouns and plurals that have no other determiner."""
        opening = self._english_opening(some)
        adjective = [Token(self.adjective.english, "adjective")] if self.adjective else []
        noun = Token(self.noun.in_english(self.plural), "noun")
        # Without an article of its own (tea, Tom's dog) the noun stands for the French one.
        owned = self.owner and not isinstance(self.owner, Pronoun)
        return [*opening, *adjective, noun.also("determiner") if owned or not opening else noun]

    def _english_opening(self, some: str) -> list[Token]:
        if isinstance(self.owner, Pronoun):
            return [Token(self.owner.possessive, "determiner")]
        if self.owner:
            return [*under("owner", self.owner.english()), Token("'s", "of")]
        if self.determiner is Determiner.A and (self.plural or self.noun.mass):
            return [Token(some, "determiner")] if some else []
        if self.determiner is Determiner.GENERIC:
            return []
        if self.determiner is Determiner.THIS and self.plural:
            return [Token("these", "determiner")]
        if self.determiner is Determiner.LOTS:
            return [*meaning("determiner", "a", "lot"), Token("of", "of")]
        return [Token(self.determiner.name.lower(), "determiner")]

    def french(self, reading: Reading, *, negated: bool = False) -> list[Token]:
        """French tokens; after a negation, un and du become de."""
        gender = self._gender(reading)
        noun = Token(self.noun.in_french(gender, self.plural), "noun")
        words = [noun]
        if self.adjective:
            adjective = Token(self.adjective.in_french(gender, self.plural), "adjective")
            if self.adjective.place == "before":
                meets_vowel = gender == "m" and not self.plural and begins_with_vowel(noun)
                words = [adjective.spelled(BEFORE_VOWEL.get(adjective, adjective)) if meets_vowel else adjective, noun]
            else:
                words = [noun, adjective]
        if self.owner and not isinstance(self.owner, Pronoun):
            words += [Token("de", "of"), *under("owner", self.owner.french(reading))]
        if self.determiner is Determiner.LOTS:
            return [Token("beaucoup", "determiner"), Token("de", "of"), *words]
        opening = self._french_opening(gender, words[0], reading, negated)
        return [*meaning("determiner", *opening.split()), *words]

    def _french_opening(self, gender: str, following: str, reading: Reading, negated: bool) -> str:
        """The determiner, whose form depends on the word after it (cet homme, mon amie, de belles fleurs)."""
        article = "les" if self.plural else {"m": "le", "f": "la"}[gender]
        if isinstance(self.owner, Pronoun):
            euphonic = gender == "m" or begins_with_vowel(following)  # mon amie, son école
            form = "plural" if self.plural else "m" if euphonic else "f"
            return personal(f"possessive {form}", self.owner.agreement(reading))
        match self.determiner:
            case Determiner.THE | Determiner.GENERIC:
                return article
            case Determiner.THIS:
                masculine = "cet" if begins_with_vowel(following) else "ce"
                return "ces" if self.plural else {"m": masculine, "f": "cette"}[gender]
            case Determiner.A if negated:
                return "de"
            case Determiner.A if self.noun.mass:
                return f"de {article}"
            case Determiner.A if self.plural:
                return "de" if self.adjective and self.adjective.place == "before" else "des"
            case Determiner.A:
                return {"m": "un", "f": "une"}[gender]
        return self.determiner.value

    def _gender(self, reading: Reading) -> str:
        return reading.named if self.noun.gender == "mf" else self.noun.gender
