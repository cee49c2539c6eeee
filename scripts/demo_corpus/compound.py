"""Commands, and sentences of two clauses."""

from dataclasses import dataclass, replace

from demo_corpus import conjugation, verbs
from demo_corpus.adjectives import ADJECTIVES, SENSATIONS
from demo_corpus.adverbials import PLACES
from demo_corpus.clauses import Clause, Polarity, Tense
from demo_corpus.drawing import Dice, nouns_among, person, somebody, weave
from demo_corpus.phrases import Determiner, NounPhrase
from demo_corpus.predicates import Predicate, Quality, State
from demo_corpus.pronouns import HE, PEOPLE, SHE, THEY, WE, YOU, I, Nominal, Pronoun, Reading
from demo_corpus.sentences import Sentence
from demo_corpus.simple import imperative_object, intransitive_predicate, object_for
from demo_corpus.states import weather_clause
from demo_corpus.words import Aspect

_ORDERS = tuple(verb for verb in verbs.INTRANSITIVE if verb.willed)
_ORDERS_WITH_OBJECT = tuple(v for v in verbs.TRANSITIVE if v.aspect in (Aspect.ACTIVITY, Aspect.EVENT))
_TEMPORARY = tuple(a for a in ADJECTIVES if a.passing and "person" in a.kinds.split())


def command(dice: Dice) -> Sentence:
    """Listen! Help me! Don't open the door! Let's dance!."""
    together, negated = dice.chance(0.2), dice.chance(0.3)
    if dice.chance(0.35):
        predicate = Predicate(dice.pick(_ORDERS))
    else:
        verb = dice.pick(_ORDERS_WITH_OBJECT)
        predicate = Predicate(verb, imperative_object(dice, verb))
    opening = (["let", "'s", "not"] if negated else ["let", "'s"]) if together else ["do", "n't"] if negated else []
    verb_word = predicate.verb.english.split()[0]
    subject = WE if together else YOU
    return Sentence(
        [*opening, verb_word, *predicate.english_tail(""), "!"],
        lambda reading: [*_french_command(predicate, subject, negated, reading), "!"],
        frozenset({"polite"}) | predicate.questions,
    )


def _french_command(predicate: Predicate, subject: Pronoun, negated: bool, reading: Reading) -> list[str]:
    """Regarde-moi ! Ne me regarde pas !: pronouns follow the verb unless it is denied."""
    agreement = subject.agreement(reading)
    verb = conjugation.imperative(predicate.infinitive_words[0], agreement.slot)
    clitics = predicate.clitics(agreement, reading)
    tail = predicate.french_tail(agreement, reading, negated)
    if negated:
        return ["ne", *clitics, verb, "pas", *tail]
    strong = {"me": "moi", "te": "toi"}
    return [verb, *(f"-{strong.get(clitic, clitic)}" for clitic in clitics), *tail]


def relative(dice: Dice) -> Sentence:
    """Where is the car that you bought? -> Où est la voiture que tu as achetée ?."""
    subject = somebody(dice) if dice.chance(0.3) else dice.pick((I, YOU, HE, SHE, WE, THEY))
    past = (Aspect.ACTIVITY, Aspect.EVENT, Aspect.ACCIDENT)
    verb = dice.pick([v for v in verbs.TRANSITIVE if v.aspect in past])
    noun = dice.pick([noun for noun in nouns_among(verb.objects) if not noun.is_among("kin place")] or NO_NOUN)
    return Sentence([], lambda r: [], frozenset())
