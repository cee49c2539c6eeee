"""Clauses: a subject, a predicate, a tense and a polarity, in both languages."""

from dataclasses import dataclass
from enum import Enum

from grammar import conjugation, english, french
from grammar.lexicon import WELL
from grammar.phrases import NounPhrase
from grammar.predicates import Predicate
from grammar.pronouns import Agreement, Nominal, Pronoun, Reading, personal
from grammar.tokens import Token, meaning, under
from grammar.words import Aspect, Fixed


class Tense(Enum):
    """The English tenses; each maps to one French tense."""

    SIMPLE = "works"
    CONTINUOUS = "is working"
    PAST = "worked"
    PAST_CONTINUOUS = "was working"
    PERFECT = "has worked"
    FUTURE = "will work"


_SIMPLE_TENSES = {  # in French; the others are the passé composé
    Tense.SIMPLE: conjugation.Tense.PRESENT,
    Tense.CONTINUOUS: conjugation.Tense.PRESENT,
    Tense.PAST_CONTINUOUS: conjugation.Tense.IMPERFECT,
    Tense.FUTURE: conjugation.Tense.FUTURE,
}


class Polarity(Enum):
    """Affirmative or one of three negations; the value is the second word of the French negation."""

    YES = ""
    NOT = "pas"
    NEVER = "jamais"
    ANYMORE = "plus"


@dataclass(frozen=True)
class Clause:
    """A clause that can be a statement, a question or a relative clause with a fronted object."""

    subject: Nominal
    predicate: Predicate
    tense: Tense = Tense.SIMPLE
    polarity: Polarity = Polarity.YES
    contracted: bool = False  # I'm, don't
    frequency: Fixed | None = None  # often, always, already
    time: Fixed | None = None
    fronted: NounPhrase | None = None  # the object that a relative clause has taken away

    @property
    def questions(self) -> frozenset[str]:
        """The fields of `Reading` that its French depends on."""
        return self.subject.questions | self.predicate.questions

    def english(self, *, inverted: bool = False) -> list[Token]:
        """English tokens, with the auxiliary before the subject if inverted."""
        negated = self.polarity in (Polarity.NOT, Polarity.ANYMORE)
        auxiliary, main = self._english_verb(do_support=inverted or negated)
        middle = [Token("never", "ne", "not")] if self.polarity is Polarity.NEVER else []
        middle += under("frequency", self.frequency.english_tokens) if self.frequency else []
        opening = self._english_opening(auxiliary, negated, inverted)
        tail = self.predicate.english_tail(self._some(asked=inverted))
        end = [Token("anymore", "not")] if self.polarity is Polarity.ANYMORE else []
        end += under("time", self.time.english_tokens) if self.time else []
        return [*opening, *middle, *main, *tail, *end]

    def _english_opening(self, auxiliary: Token, negated: bool, inverted: bool) -> list[Token]:
        """Subject, auxiliary and not, with their contractions: I'm not, don't they."""
        subject = under("subject", self.subject.english())
        fusing = {"am": "'m", "is": "'s", "are": "'re", "will": "'ll", "have": "'ve", "has": "'s"}
        attaches_not = negated and self.contracted and auxiliary != "am"
        # Not is ne and pas; not ... anymore is ne and plus.
        keys = ("ne",) if self.polarity is Polarity.ANYMORE else ("ne", "not")
        negation = [Token("n't" if attaches_not else "not", *keys)] if negated else []
        verb = [auxiliary] if auxiliary else []
        if inverted:
            after = [*negation, *subject] if attaches_not else [*subject, *negation]
            return [*verb, *after]
        if verb and self.contracted and not attaches_not and subject[-1] in english.LEANING:
            verb = [auxiliary.spelled(fusing.get(auxiliary, auxiliary))]
        return [*subject, *verb, *negation]

    def _english_verb(self, do_support: bool) -> tuple[Token, list[Token]]:
        """The auxiliary (key: tense) and the main verb (key: verb); if one is missing, the other has both keys."""
        auxiliary, main = self._english_verb_words(do_support)
        if not main:
            return Token(auxiliary, "tense", "verb"), []
        return Token(auxiliary, "tense"), [Token(main, "verb") if auxiliary else Token(main, "tense", "verb")]

    def _english_verb_words(self, do_support: bool) -> tuple[str, str]:
        """The auxiliary (may be empty) and the main verb (may be empty, when be is its own auxiliary)."""
        base = self.predicate.verb.english.split()[0]
        person = self.subject.person
        be = {"I": "am", "he": "is", "they": "are"}[person]
        was = "were" if person == "they" else "was"
        match self.tense:
            case Tense.CONTINUOUS:
                return be, english.ing(base)
            case Tense.PAST_CONTINUOUS:
                return was, english.ing(base)
            case Tense.PERFECT:
                return "has" if person == "he" else "have", english.participle(base)
            case Tense.FUTURE:
                return "will", base
        present = self.tense is Tense.SIMPLE
        if base == "be":
            return be if present else was, ""
        if base in ("can", "must"):
            return base, ""
        if do_support:
            return ("does" if person == "he" else "do") if present else "did", base
        if present:
            return "", english.third_person(base) if person == "he" else base
        return "", english.past(base)

    def _some(self, asked: bool) -> str:
        """The article of mass nouns and plurals: none for habits (he drinks tea), else some or any."""
        stative = self.predicate.verb.aspect is Aspect.STATE
        habitual = self.tense is Tense.SIMPLE and not self.predicate.infinitive
        if self.predicate.verb.french == "être" or (habitual and not stative):
            return ""
        return "some" if self.polarity is Polarity.YES and not asked else "any"

    def french(self, reading: Reading, *, inverted: bool = False) -> list[Token]:
        """French tokens; inverted puts the pronoun after the verb: Tom chante-t-il."""
        verb = self.predicate
        agreement = self.subject.agreement(reading)
        negated = self.polarity is not Polarity.YES
        finite, participle = self._french_verb(agreement, reading)
        subject = under("subject", self.subject.french(reading))
        echo = [self._echo(finite, agreement, reading)] if inverted else []
        if inverted and isinstance(self.subject, Pronoun):
            subject = []
        middle = under("frequency", self.frequency.french_tokens) if self.frequency else []
        middle += under("manner", WELL.french_tokens) if verb.manner is WELL else []
        return [
            *subject,
            *([Token("ne", "ne")] if negated else []),
            *verb.clitics(agreement, reading),
            finite,
            *echo,
            *([Token(self.polarity.value, "not")] if negated else []),
            *middle,
            *participle,
            *meaning("verb", *verb.infinitive_words[1:]),
            *verb.french_tail(agreement, reading, negated),
            *(under("time", self.time.french_tokens) if self.time else []),
        ]

    def _french_verb(self, agreement: Agreement, reading: Reading) -> tuple[Token, list[Token]]:
        """The finite verb, and the participle of the passé composé."""
        verb = self.predicate.verb
        infinitive = self.predicate.infinitive_words[0]
        simple = self._french_tense()
        if simple:
            return Token(conjugation.conjugate(infinitive, simple, agreement.slot), "tense", "verb"), []
        participle = conjugation.participle(infinitive)
        with_etre = "être" in verb.traits or verb.reflexive
        auxiliary = conjugation.conjugate("être" if with_etre else "avoir", conjugation.Tense.PRESENT, agreement.slot)
        preceding = agreement if with_etre else self._preceding_object(reading)
        if preceding:
            participle = french.agree(participle, preceding.gender, preceding.plural)
        return Token(auxiliary, "tense"), [Token(participle, "verb")]

    def _french_tense(self) -> conjugation.Tense | None:
        """The simple tense, or None for the passé composé."""
        if self.tense is Tense.PAST and self.predicate.verb.aspect is Aspect.STATE:
            return conjugation.Tense.IMPERFECT
        return _SIMPLE_TENSES.get(self.tense)

    def _preceding_object(self, reading: Reading) -> Agreement | None:
        """The direct object before the verb, with which a participle after avoir agrees."""
        direct = self.fronted or self.predicate.direct
        precedes = self.fronted or isinstance(direct, Pronoun)
        if direct is None or not precedes or self.predicate.verb.preposition:
            return None
        return direct.agreement(reading)

    def _echo(self, finite: str, agreement: Agreement, reading: Reading) -> Token:
        """The pronoun after an inverted verb: -tu, -il, -t-elle; without a key if it repeats a noun subject."""
        if isinstance(self.subject, Pronoun):
            [pronoun] = under("subject", self.subject.french(reading))
        else:
            pronoun = Token(personal("subject", agreement))
        needs_t = agreement.slot == 2 and finite[-1] in "ae"
        return pronoun.spelled(f"-t-{pronoun}" if needs_t else f"-{pronoun}")
