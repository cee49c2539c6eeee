"""Random plausible phrases."""

import random
from collections.abc import Sequence
from functools import cache
from typing import TypeVar

from grammar import lexicon
from grammar.clauses import Clause, Polarity, Tense
from grammar.phrases import NUMBERS, Determiner, NounPhrase
from grammar.predicates import Predicate
from grammar.pronouns import HE, IT, PEOPLE, SHE, THEY, YOU, I, Nominal, Pronoun, Word
from grammar.words import Adjective, Aspect, Fixed, Noun, Verb

T = TypeVar("T")

PERSONS = tuple(Word(english, french, gender) for english, french, gender in lexicon.NAMES)

# Things that belong to someone; the others are only the, a or this.
_OWNED = "kin animal food drink text object clothing vehicle house room garden thought money"
COUNTED = "animal food text small dish clothing flower"


class Dice:
    """Random choices and phrases, the same for a seed on every machine and Python version."""

    def __init__(self, seed: int) -> None:
        # random() is the only method whose sequence Python promises to keep.
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random() < probability

    def pick(self, items: Sequence[T]) -> T:
        """One item, all being equally likely."""
        return items[int(self._random() * len(items))]

    def maybe(self, probability: float, items: Sequence[T]) -> T | None:
        """One item with this probability, else (or if there is none) None."""
        return self.pick(items) if items and self.chance(probability) else None

    def person(self) -> Nominal:
        """A person as subject: a pronoun in half of the cases, else a name or a noun."""
        if self.chance(0.5):
            return self.pick(PEOPLE)
        return self.couple() if self.chance(0.07) else self.somebody()

    def somebody(self) -> Nominal:
        """A person who is not a pronoun, nor a couple (which would need its preposition twice: à Tom et à Marie)."""
        if self.chance(0.45):
            return self.pick(PERSONS)
        return self.person_phrase(self.pick(nouns_among("kin person")))

    def couple(self) -> Word:
        """Two names joined by and; feminine only if both are."""
        first = self.pick(PERSONS)
        second = self.pick([name for name in PERSONS if name != first])
        gender = "f" if first.gender == second.gender == "f" else "m"
        return Word(
            f"{first.english_word} and {second.english_word}",
            f"{first.french_word} et {second.french_word}",
            gender,
            plural=True,
            person="they",
        )

    def person_phrase(self, noun: Noun) -> NounPhrase:
        """A definite person: my brother, the doctor, this woman, Tom's friends."""
        plural = self.chance(0.2) and not noun.is_among("father mother grandfather grandmother king queen boss")
        if noun.is_among("kin"):
            owner = self.pick(PEOPLE) if self.chance(0.8) else self.pick(PERSONS)
            return NounPhrase(Determiner.THE, noun, plural, owner=owner)
        determiner = Determiner.THIS if self.chance(0.2) and not noun.is_among("king queen") else Determiner.THE
        adjective = self.maybe(0.2, distinctive(noun))
        return NounPhrase(determiner, noun, plural, adjective)

    def thing(self, noun: Noun) -> NounPhrase:
        """A definite thing: the car, this red car, my car, Tom's car."""
        plural = not noun.mass and not noun.is_among("place") and self.chance(0.2)
        adjective = None if noun.mass else self.maybe(0.3, distinctive(noun))
        roll = self.pick(range(10))
        if roll < 4 and noun.is_among(_OWNED):
            return NounPhrase(Determiner.THE, noun, plural, adjective, self.pick(PEOPLE))
        if roll == 4 and noun.is_among(_OWNED):
            relative = NounPhrase(Determiner.THE, self.pick(nouns_among("kin")), owner=self.pick(PEOPLE))
            owner = self.pick(PERSONS) if self.chance(0.6) else relative
            return NounPhrase(Determiner.THE, noun, plural, owner=owner)
        return NounPhrase(Determiner.THIS if roll == 5 else Determiner.THE, noun, plural, adjective)

    def some_thing(self, noun: Noun, *, several: bool = False) -> NounPhrase:
        """An indefinite thing: a red car, two apples, bread; only plurals and masses if several."""
        if noun.mass:
            return NounPhrase(Determiner.LOTS if self.chance(0.15) else Determiner.A, noun)
        adjective = self.maybe(0.35, _attributive(noun))
        if several or self.chance(0.15):
            return NounPhrase(Determiner.A, noun, plural=True, adjective=adjective)
        if noun.is_among(COUNTED) and self.chance(0.2):
            determiner = self.pick(NUMBERS) if self.chance(0.7) else Determiner.LOTS
            return NounPhrase(determiner, noun, plural=True)
        return NounPhrase(Determiner.A, noun, adjective=adjective)

    def other_person(self, subject: Nominal, noun: Noun | None = None) -> Nominal:
        """A person other than the subject, not a pronoun."""
        other = self.person_phrase(noun) if noun else self.somebody()
        while overlap(subject, other):
            other = self.somebody()
        return other

    def pronoun_object(self, verb: Verb, subject: Nominal) -> Pronoun:
        """An object pronoun that this verb can take."""
        if verb.objects.split()[0] == "kin":
            return self.pick(others(subject))
        countable = any(not noun.mass for noun in nouns_among(verb.objects))
        plural = countable and subject is not THEY and self.chance(0.35)
        return THEY if plural else IT

    def weave(self, subject: Nominal, predicate: Predicate) -> Clause:
        """Give a predicate a tense, a polarity and adverbs that suit its verb."""
        verb = predicate.verb
        aspect = verb.aspect
        tense = self.pick(_TENSES[aspect])
        if tense is Tense.SIMPLE and "once" in verb.traits:
            tense = Tense.PAST
        polarity = _natural(verb, tense, self.pick(_POLARITIES[tense]))
        frequency = time = None
        if tense is Tense.PERFECT and polarity is Polarity.YES:
            frequency = lexicon.ALREADY
        elif tense is Tense.SIMPLE and aspect is Aspect.ACTIVITY and polarity is Polarity.YES:
            # A bare present of a single act sounds like a stage direction; a habit does not.
            moving = "être" in verb.traits or verb.reflexive
            regular = verb.objects or verb.places or (moving and "unwilled" not in verb.traits)
            if regular and self.chance(0.4):
                time = self.pick(lexicon.HABITS[:2] if verb.objects else lexicon.HABITS)
            else:
                frequency = self.pick(lexicon.FREQUENCIES)
        elif aspect is not Aspect.STATE and polarity in (Polarity.YES, Polarity.NOT) and tense in TIMES:
            # Great deeds are told by the year, and getting up by the day.
            reach = 5 if verb.traits & {"once", "être"} else 3 if verb.reflexive else 4
            time = self.maybe(0.35, TIMES[tense][:reach])
            if time is lexicon.SOON and polarity is Polarity.NOT:
                time = None
        return Clause(subject, predicate, tense, polarity, self.chance(0.5), frequency, time)


@cache
def nouns_among(wanted: str) -> tuple[Noun, ...]:
    """Nouns of these kinds."""
    return tuple(noun for noun in lexicon.NOUNS if noun.is_among(wanted))


@cache
def _attributive(noun: Noun) -> tuple[Adjective, ...]:
    return tuple(a for a in lexicon.ADJECTIVES if a.place != "be" and a.describes(noun))


@cache
def distinctive(noun: Noun) -> tuple[Adjective, ...]:
    """Attributive adjectives that are not opinions: the red car."""
    return tuple(adjective for adjective in _attributive(noun) if not adjective.opinion)


EVERYONE: tuple[Nominal, ...] = (*PEOPLE, *PERSONS)
SINGULAR: tuple[Nominal, ...] = (I, YOU, HE, SHE, *PERSONS)


def others(subject: Nominal) -> tuple[Pronoun, ...]:
    """Pronouns that can be the object beside this subject: I see you, but not I see us."""
    by_self = {"I": "I we", "we": "I we", "you": "you", "they": "they"}
    same = by_self.get(subject.subject, "").split() if isinstance(subject, Pronoun) else []
    return tuple(pronoun for pronoun in PEOPLE if pronoun.subject not in same)


def overlap(subject: Nominal, other: Nominal) -> bool:
    """Whether two phrases share a name or a noun, to avoid: Tom sees Tom and Mary."""
    words = {*subject.english()} & {*other.english()}
    return any((word[0].isupper() and word != "I") or word in _NOUN_FORMS for word in words)


_NOUN_FORMS = frozenset(form for noun in lexicon.NOUNS for form in (noun.english, noun.english_plural))


def _natural(verb: Verb, tense: Tense, polarity: Polarity) -> Polarity:
    """Replace a polarity that sounds unnatural with this verb and tense: he doesn't wake up anymore."""
    if verb.aspect is Aspect.STATE and polarity is Polarity.NEVER:
        return Polarity.NOT
    if tense is not Tense.SIMPLE or verb.aspect is not Aspect.ACTIVITY:
        return polarity
    if polarity is Polarity.NOT and verb.objects and verb.english not in ("eat", "drink", "wear", "drive"):
        return Polarity.NEVER
    if polarity is Polarity.NOT and verb.reflexive and not verb.places:
        return Polarity.NEVER
    if polarity is Polarity.ANYMORE and not (verb.objects or verb.places or verb.manners):
        return Polarity.NOT
    return polarity


TIMES: dict[Tense, tuple[Fixed, ...]] = {
    Tense.CONTINUOUS: lexicon.PRESENT_TIMES,
    Tense.PAST: lexicon.PAST_TIMES,
    Tense.FUTURE: lexicon.FUTURE_TIMES,
}
_TENSES = {
    Aspect.ACTIVITY: (
        *(Tense.CONTINUOUS, Tense.CONTINUOUS, Tense.PAST, Tense.PAST, Tense.FUTURE, Tense.FUTURE),
        *(Tense.SIMPLE, Tense.SIMPLE, Tense.PAST_CONTINUOUS, Tense.PERFECT),
    ),
    Aspect.STATE: (Tense.SIMPLE, Tense.SIMPLE, Tense.PAST),
    Aspect.EVENT: (Tense.PAST, Tense.PAST, Tense.FUTURE, Tense.PERFECT),
    Aspect.ACCIDENT: (Tense.PAST, Tense.PAST, Tense.PERFECT),
    Aspect.WHOLE: (Tense.SIMPLE, Tense.SIMPLE, Tense.PAST, Tense.FUTURE, Tense.PERFECT),
    Aspect.MODAL: (Tense.SIMPLE,),
}
_MOSTLY_YES = (Polarity.YES, Polarity.YES, Polarity.YES, Polarity.NOT)
_POLARITIES = {
    Tense.SIMPLE: (*_MOSTLY_YES, Polarity.NEVER, Polarity.ANYMORE),
    Tense.CONTINUOUS: _MOSTLY_YES,
    Tense.PAST: _MOSTLY_YES,
    Tense.PAST_CONTINUOUS: _MOSTLY_YES,
    Tense.PERFECT: (Polarity.YES, Polarity.NEVER),
    Tense.FUTURE: (*_MOSTLY_YES, Polarity.NEVER),
}
