"""Predicates: a verb and what it takes, in both languages."""

from dataclasses import dataclass

from grammar.lexicon import WELL
from grammar.pronouns import Agreement, Nominal, Pronoun, Reading, personal
from grammar.tokens import Token, meaning, under
from grammar.words import Adjective, Fixed, Noun, Verb


@dataclass(frozen=True)
class State:
    """A state that does not agree with its subject: hungry -> faim."""

    words: Fixed
    questions: frozenset[str] = frozenset()

    def english(self) -> list[Token]:
        """English tokens."""
        return self.words.english_tokens

    def french(self, subject: Agreement, reading: Reading) -> list[Token]:
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
        """The fields of `Reading` that the standard of comparison depends on."""
        return self.than.questions if self.than else frozenset()

    def english(self) -> list[Token]:
        """English tokens."""
        if not self.than:
            return [Token(self.adjective.english, "adjective")]
        standard = under("standard", self.than.english(as_object=True))
        if self.equal:
            adjective = Token(self.adjective.english, "adjective")
            return [Token("as", "degree"), adjective, Token("as", "than"), *standard]
        *more, compared = self.adjective.comparative.split()
        adjective = Token(compared, "adjective") if more else Token(compared, "adjective", "degree")
        return [*meaning("degree", *more), adjective, Token("than", "than"), *standard]

    def french(self, subject: Agreement, reading: Reading) -> list[Token]:
        """French tokens, which agree with the subject."""
        adjective = Token(self.adjective.in_french(subject.gender, subject.plural), "adjective")
        if not self.than:
            return [adjective]
        standard = under("standard", strong(self.than, reading))
        return [Token("aussi" if self.equal else "plus", "degree"), adjective, Token("que", "than"), *standard]


@dataclass(frozen=True)
class Job:
    """A profession, which takes no article in French: he is a doctor -> il est médecin."""

    noun: Noun
    questions: frozenset[str] = frozenset()

    def english(self) -> list[Token]:
        """English tokens."""
        return meaning("noun", "a", self.noun.english)

    def french(self, subject: Agreement, reading: Reading) -> list[Token]:
        """French tokens, in the gender of the subject."""
        return [Token(self.noun.in_french(subject.gender, plural=False), "noun")]


def strong(nominal: Nominal, reading: Reading) -> list[Token]:
    """French tokens after a preposition or que, where pronouns are strong: avec lui."""
    return [nominal.form("strong", reading)] if isinstance(nominal, Pronoun) else nominal.french(reading)


@dataclass(frozen=True)
class Predicate:
    """A verb and its complements."""

    verb: Verb
    direct: Nominal | None = None
    dative: Nominal | None = None  # gave it to her
    attribute: State | Quality | Job | None = None  # the complement of be
    infinitive: "Predicate | None" = None
    manner: Fixed | None = None
    company: Nominal | None = None  # with her
    adjunct: Fixed | None = None  # place or direction

    @property
    def questions(self) -> frozenset[str]:
        """The fields of `Reading` that its French depends on."""
        parts = (self.direct, self.dative, self.attribute, self.infinitive, self.company)
        return frozenset().union(*(part.questions for part in parts if part))

    def english_tail(self, some: str) -> list[Token]:
        """All that follows the inflected word."""
        tokens = self._english_particle()
        if self.direct:
            tokens += under("direct", self.direct.english(as_object=True, some=some))
        if self.dative:
            tokens += [Token("to", "to"), *under("dative", self.dative.english(as_object=True))]
        tokens += under("attribute", self.attribute.english()) if self.attribute else []
        if self.infinitive:
            verb = Token(self.infinitive.verb.english.split()[0], "verb")
            tokens += under("infinitive", [verb, *self.infinitive.english_tail(some)])
        tokens += under("manner", self.manner.english_tokens) if self.manner else []
        tokens += under("adjunct", self.adjunct.english_tokens) if self.adjunct else []
        if self.company:
            tokens += [Token("with", "with"), *under("company", self.company.english(as_object=True))]
        return tokens

    def _english_particle(self) -> list[Token]:
        """The words of the verb after its first: talk to, get up, want to."""
        particle = meaning("preposition" if self.verb.preposition else "verb", *self.verb.english.split()[1:])
        if self.infinitive and particle:
            particle[-1] = Token(particle[-1], "infinitive.verb")  # to see: voir
        return particle

    def clitics(self, agreement: Agreement, reading: Reading) -> list[Token]:
        """The pronouns before the French verb, in their order: me le, le lui."""
        found: list[Token] = []
        if self.verb.reflexive:
            found.append(Token(personal("reflexive", agreement), "verb"))
        if "existential" in self.verb.traits:
            found.append(Token("y", "subject.1"))  # there
        if isinstance(self.direct, Pronoun):
            case = "dative" if self.verb.preposition == "à" else "direct"
            [clitic] = under("direct", [self.direct.form(case, reading)])
            found.append(clitic.also("preposition"))  # talk to her: lui parler
        if isinstance(self.dative, Pronoun):
            [clitic] = under("dative", [self.dative.form("dative", reading)])
            found.append(clitic.also("to"))
        order = ["me", "te", "se", "nous", "vous", "le", "la", "les", "lui", "leur", "y"]
        return sorted(found, key=order.index)

    def french_tail(self, agreement: Agreement, reading: Reading, negated: bool) -> list[Token]:
        """All that follows the French verb and its negation."""
        tokens: list[Token] = []
        if self.direct and not isinstance(self.direct, Pronoun):
            # Être keeps its article: ce n'est pas un chien. So does a noun after à or de.
            drops_article = negated and self.verb.french != "être" and not self.verb.preposition
            # Talk to has a word for à; answer implies it.
            tokens += meaning("preposition" if " " in self.verb.english else "verb", *self.verb.preposition.split())
            tokens += under("direct", self.direct.french(reading, negated=drops_article))
        if self.dative and not isinstance(self.dative, Pronoun):
            tokens += [Token("à", "to"), *under("dative", self.dative.french(reading))]
        tokens += under("attribute", self.attribute.french(agreement, reading)) if self.attribute else []
        if self.infinitive:
            tokens += under("infinitive", self.infinitive.french_infinitive(agreement, reading, negated))
        tokens += under("manner", self.manner.french_tokens) if self.manner and self.manner is not WELL else []
        tokens += under("adjunct", self.adjunct.french_tokens) if self.adjunct else []
        if self.company:
            tokens += [Token("avec", "with"), *under("company", strong(self.company, reading))]
        return tokens

    def french_infinitive(self, agreement: Agreement, reading: Reading, negated: bool) -> list[Token]:
        """The predicate after another verb: je veux la voir."""
        verb = meaning("verb", *self.infinitive_words)
        return [*self.clitics(agreement, reading), *verb, *self.french_tail(agreement, reading, negated)]

    @property
    def infinitive_words(self) -> list[str]:
        """The French verb without its reflexive pronoun; only the first word inflects."""
        words = self.verb.french.split()
        return words[1:] if self.verb.reflexive else words
