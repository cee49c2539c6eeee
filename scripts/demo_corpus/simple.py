"""Constructions of one clause that say what people do."""

from dataclasses import replace

from demo_corpus import verbs
from demo_corpus.adverbials import MANNERS, PLACES
from demo_corpus.clauses import Clause, Polarity, Tense
from demo_corpus.drawing import (
    Dice,
    nouns_among,
    other_person,
    others,
    person,
    person_phrase,
    pronoun_object,
    some_thing,
    thing,
    weave,
)
from demo_corpus.phrases import Determiner, NounPhrase
from demo_corpus.predicates import Predicate
from demo_corpus.pronouns import I, IT, Nominal, Pronoun, YOU
from demo_corpus.sentences import Sentence, statement, yes_no
from demo_corpus.words import Aspect, Verb


def told_or_asked(dice: Dice, clause: Clause) -> Sentence:
    """A statement, or in one case of five a question."""
    askable = clause.subject is not I and clause.polarity is Polarity.YES and clause.frequency is None
    if askable and dice.chance(0.3):
        return yes_no(clause)
    return statement(clause)


def intransitive(dice: Dice) -> Sentence:
    """They are watching. She sings well. We often work at home with them."""
    verb = dice.pick(verbs.INTRANSITIVE)
    subject = person(dice)
    clause = weave(dice, subject, intransitive_predicate(dice, verb, subject))
    return told_or_asked(dice, clause)


def intransitive_predicate(dice: Dice, verb: Verb, subject: Nominal) -> Predicate:
    """A verb, perhaps with how, with whom or where; rarely two of them."""
    manners = [manner for manner in MANNERS if manner.english_words in verb.manners.split()]
    roll = dice.pick(range(10))
    if manners and roll < 4:
        return Predicate(verb, manner=dice.pick(manners))
    if verb.place and roll < 8:
        company = dice.pick(others(subject)) if dice.chance(0.5) else other_person(dice, subject)
        place = dice.pick(PLACES).at
        return Predicate(verb, company=company if roll in (6, 7) else None, adjunct=place if roll != 6 else None)
    return Predicate(verb)


def motion(dice: Dice) -> Sentence:
    """He is going to the station."""
    subject = person(dice)
    company = other_person(dice, subject) if dice.chance(0.15) else None
    predicate = Predicate(verbs.GO, company=company, adjunct=dice.pick(PLACES).to)
    clause = weave(dice, subject, predicate)
    # English says has been to Paris; has gone would mean that he is still away.
    if clause.tense is Tense.PERFECT:
        clause = replace(clause, tense=Tense.PAST, polarity=Polarity.YES, frequency=None)
    return told_or_asked(dice, clause)


def transitive(dice: Dice) -> Sentence:
    """Tom is eating an apple. I didn't find the key."""
    verb = dice.pick((*verbs.TRANSITIVE, *verbs.OBLIQUE))
    clause = weave(dice, person(dice), Predicate(verb))
    direct = object_for(dice, clause)
    return told_or_asked(dice, replace(clause, predicate=replace(clause.predicate, direct=direct)))


def object_for(dice: Dice, clause: Clause) -> Nominal:
    """A noun phrase that the verb can act on, as definite as its tense asks for."""
    verb, subject = clause.predicate.verb, clause.subject
    noun = dice.pick(nouns_among(verb.objects))
    if noun.is_among("kin person") and verb.english != "need":
        if dice.chance(0.3):
            return other_person(dice, subject)
        return other_person(dice, subject, noun)
    if verb.english in ("like", "hate") and dice.chance(0.6) and not noun.is_among("place thought"):
        return NounPhrase(Determiner.GENERIC, noun, plural=not noun.mass)
    if verb.english == "wear":
        owner = subject if isinstance(subject, Pronoun) else None
        own = NounPhrase(Determiner.THE, noun, plural=noun.english == "shoe", owner=owner)
        return own if owner and dice.chance(0.5) else _indefinite(dice, clause, noun.english)
    if verb.english == "have" or (verb.preposition != "de" and not noun.is_among(_DEFINITE) and dice.chance(0.5)):
        return _indefinite(dice, clause, noun.english)
    return thing(dice, noun)


# Known to both speakers, or there is only one of them around: take the train, open the window.
_DEFINITE = "opening transport thought place"


def _indefinite(dice: Dice, clause: Clause, english: str) -> NounPhrase:
    noun = nouns_among(english)[0]
    habit = clause.tense is Tense.SIMPLE and clause.predicate.verb.aspect is Aspect.ACTIVITY
    drawn = some_thing(dice, noun, several=habit or noun.english == "shoe")
    counted = drawn.determiner is not Determiner.A
    # Not two apples and not a lot of apples: negation leaves room for doubt about what is denied.
    return replace(drawn, determiner=Determiner.A) if counted and clause.polarity is not Polarity.YES else drawn


def with_pronoun(dice: Dice) -> Sentence:
    """I see him. She has never read it. They didn't talk to us."""
    verb = dice.pick([*verbs.TRANSITIVE, *verbs.DATIVE])
    subject = person(dice)
    if verb.english in ("like", "hate"):  # I like it -> j'aime ça: another construction
        verb = dice.pick(verbs.DATIVE)
    predicate = Predicate(verb, pronoun_object(dice, verb, subject))
    return told_or_asked(dice, weave(dice, subject, predicate))


def dative(dice: Dice) -> Sentence:
    """We answered the teacher. He is smiling at my sister."""
    verb = dice.pick(verbs.DATIVE)
    subject = person(dice)
    predicate = Predicate(verb, other_person(dice, subject))
    return told_or_asked(dice, weave(dice, subject, predicate))


def ditransitive(dice: Dice) -> Sentence:
    """I gave the book to Mary. He will show it to her."""
    subject = person(dice)
    return told_or_asked(dice, weave(dice, subject, transfer(dice, subject)))


def transfer(dice: Dice, subject: Nominal) -> Predicate:
    """A thing that changes hands, and who gets it."""
    verb = dice.pick(verbs.DITRANSITIVE)
    receiver = dice.pick(others(subject)) if dice.chance(0.5) else other_person(dice, subject)
    direct: Nominal = IT if isinstance(receiver, Pronoun) and dice.chance(0.4) else thing(
        dice, dice.pick(nouns_among(verb.objects))
    )
    return Predicate(verb, direct, dative=receiver)


def modal(dice: Dice) -> Sentence:
    """She can swim. I want to see her. He isn't going to sell the house."""
    helper = dice.pick(verbs.WITH_INFINITIVE)
    subject = person(dice)
    clause = weave(dice, subject, Predicate(helper, infinitive=infinitive(dice, helper, subject)))
    polarity = clause.polarity if clause.polarity in (Polarity.YES, Polarity.NOT) else Polarity.NOT
    if helper is verbs.HAVE_TO:  # does not have to: not the opposite that ne doit pas would be
        polarity = Polarity.YES
    clause = replace(clause, polarity=polarity, time=None)
    if helper is verbs.MUST:  # must he ...? is rare
        return statement(clause)
    return told_or_asked(dice, clause)


def infinitive(dice: Dice, helper: Verb, subject: Nominal) -> Predicate:
    """What one can, must or wants to do."""
    roll = dice.pick(range(10))
    if helper is verbs.LIKE_TO or roll < 4:
        willed = [verb for verb in verbs.INTRANSITIVE if verb.willed and (verb.place or roll > 4)]
        predicate = intransitive_predicate(dice, dice.pick(willed), subject)
        return replace(predicate, manner=None)
    if roll == 4:
        return Predicate(verbs.GO, adjunct=dice.pick(PLACES).to)
    if roll == 5:
        return transfer(dice, subject)
    acts = [v for v in verbs.TRANSITIVE if v.aspect in (Aspect.ACTIVITY, Aspect.EVENT)]
    verb = dice.pick(acts)
    if roll < 8:
        return Predicate(verb, pronoun_object(dice, verb, subject))
    noun = dice.pick(nouns_among(verb.objects))
    if noun.is_among("kin person"):
        return Predicate(verb, other_person(dice, subject))
    return Predicate(verb, thing(dice, noun))


def imperative_object(dice: Dice, verb: Verb) -> Nominal:
    """Whom or what to act on by order of the speaker."""
    if dice.chance(0.4):
        return pronoun_object(dice, verb, YOU)
    noun = dice.pick(nouns_among(verb.objects))
    return person_phrase(dice, noun) if noun.is_among("kin person") else thing(dice, noun)
