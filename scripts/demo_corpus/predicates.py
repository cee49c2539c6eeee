"""Predicates: a verb and what it takes, in both languages."""

from dataclasses import dataclass
from typing import Protocol

from demo_corpus.adverbials import WELL
from demo_corpus.pronouns import Agreement, Nominal, Pronoun, Reading
from demo_corpus.words import Adjective, Fixed, Noun, Verb


class Attribute(Protocol):
    """What is said of the subject after be."""

    @property
    def questions(self) -> frozenset[str]:
        """The fields of `Reading` that its French depends on."""

    def english(self) -> list[str]:
        """English tokens."""

    def french(self, subject: Agreement, reading: Reading) -> list[str]:
        """French tokens, which agree with the subject."""


@dataclass(frozen=True)
class State:
    """A state that is the same for all: hungry -> faim."""

    words: Fixed
    questions: frozenset[str] = frozenset()

    def english(self) -> list[str]:
        """English tokens."""
        return self.words.english_tokens

    def french(self, subject: Agreement, reading: Reading) -> list[str]:
        """French tokens."""
        return self.words.french_tokens


@dataclass(frozen=True)
class Quality:
    """An adjective, alone or compared: taller than Mary, as tall as her."""

    adjective: Adjective
    than: Nominal | None = None
    equal: bool = False  # as tall as

    @property
    def questions(self) -> frozenset[str]:
        """Those of the standard of comparison."""
        return self.than.questions if self.than else frozenset()

    def english(self) -> list[str]:
        """English tokens."""
        if not self.than:
            return [self.adjective.english]
        standard = self.than.english(as_object=True)
        if self.equal:
            return ["as", self.adjective.english, "as", *standard]
        return [*self.adjective.comparative.split(), "than", *standard]

    def french(self, subject: Agreement, reading: Reading) -> list[str]:
        """French tokens, which agree with the subject."""
        word = self.adjective.in_french(subject.gender, subject.plural)
        if not self.than:
            return [word]
        standard = strong(self.than, reading)
        return ["aussi" if self.equal else "plus", word, "que", *standard]


@dataclass(frozen=True)
class Job:
    """A profession, which takes no article in French: he is a doctor -> il est médecin."""

    noun: Noun
    questions: frozenset[str] = frozenset()

    def english(self) -> list[str]:
        """English tokens."""
        return ["a", self.noun.english]

    def french(self, subject: Agreement, reading: Reading) -> list[str]:
        """French tokens, in the gender of the subject."""
        return [self.noun.in_french(subject.gender, plural=False)]


def strong(nominal: Nominal, reading: Reading) -> list[str]:
    """French tokens after a preposition or que, where pronouns are strong: avec lui."""
    return [nominal.strong(reading)] if isinstance(nominal, Pronoun) else nominal.french(reading)


@dataclass(frozen=True)
class Predicate:
    """A verb and what it takes."""

    verb: Verb
    direct: Nominal | None = None
    dative: Nominal | None = None  # gave it to her
    attribute: Attribute | None = None
    infinitive: "Predicate | None" = None
    manner: Fixed | None = None
    company: Nominal | None = None  # with her
    adjunct: Fixed | None = None  # place or direction

    @property
    def questions(self) -> frozenset[str]:
        """The fields of `Reading` that its French depends on."""
        parts = (self.direct, self.dative, self.attribute, self.infinitive, self.company)
        return frozenset().union(*(part.questions for part in parts if part))

    def english_tail(self, some: str) -> list[str]:
        """All that follows the inflected word."""
        tokens = self.verb.english.split()[1:]
        if self.direct:
            tokens += self.direct.english(as_object=True, some=some)
        if self.dative:
            tokens += ["to", *self.dative.english(as_object=True)]
        tokens += self.attribute.english() if self.attribute else []
        if self.infinitive:
            tokens += [self.infinitive.verb.english.split()[0], *self.infinitive.english_tail(some)]
        tokens += self.manner.english_tokens if self.manner else []
        tokens += self.adjunct.english_tokens if self.adjunct else []
        return tokens + (["with", *self.company.english(as_object=True)] if self.company else [])

    def clitics(self, agreement: Agreement, reading: Reading) -> list[str]:
        """The pronouns before the French verb, in their order: me le, le lui."""
        found = []
        if self.verb.reflexive:
            found.append({0: "me", 1: "te", 3: "nous", 4: "vous"}.get(agreement.slot, "se"))
        if self.verb.existential:
            found.append("y")
        if isinstance(self.direct, Pronoun):
            found.append(self.direct.clitic(reading, dative=self.verb.preposition == "à"))
        if isinstance(self.dative, Pronoun):
            found.append(self.dative.clitic(reading, dative=True))
        order = ["me", "te", "se", "nous", "vous", "le", "la", "les", "lui", "leur", "y"]
        return sorted(found, key=order.index)

    def french_tail(self, agreement: Agreement, reading: Reading, negated: bool) -> list[str]:
        """All that follows the French verb and its negation."""
        tokens = []
        if self.direct and not isinstance(self.direct, Pronoun):
            # Être keeps its article: ce n'est pas un chien. So does a noun after à or de.
            drops_article = negated and self.verb.french != "être" and not self.verb.preposition
            tokens += [self.verb.preposition] if self.verb.preposition else []
            tokens += self.direct.french(reading, negated=drops_article)
        if self.dative and not isinstance(self.dative, Pronoun):
            tokens += ["à", *self.dative.french(reading)]
        tokens += self.attribute.french(agreement, reading) if self.attribute else []
        if self.infinitive:
            tokens += self.infinitive.french_infinitive(agreement, reading, negated)
        tokens += self.manner.french_tokens if self.manner and self.manner is not WELL else []
        tokens += self.adjunct.french_tokens if self.adjunct else []
        return tokens + (["avec", *strong(self.company, reading)] if self.company else [])

    def french_infinitive(self, agreement: Agreement, reading: Reading, negated: bool) -> list[str]:
        """The predicate after another verb: je veux la voir."""
        verb, *particle = self.infinitive_words
        tail = self.french_tail(agreement, reading, negated)
        return [*self.clitics(agreement, reading), verb, *particle, *tail]

    @property
    def infinitive_words(self) -> list[str]:
        """The French verb without its reflexive pronoun; only the first word inflects."""
        words = self.verb.french.split()
        return words[1:] if self.verb.reflexive else words
