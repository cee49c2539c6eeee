"""One-clause constructions about states."""

from dataclasses import replace

from grammar import verbs
from grammar.clauses import Clause, Polarity, Tense
from grammar.drawing import SINGULAR, TIMES, Dice, distinctive, nouns_among, others
from grammar.lexicon import ADJECTIVES, JUDGEMENTS, NOUNS, PLACES, SENSATIONS, SPOTS, WEATHER
from grammar.phrases import Determiner, NounPhrase
from grammar.predicates import Job, Predicate, Quality, State
from grammar.pronouns import PEOPLE, SOMETHING, THERE_ARE, THERE_IS, THESE, THIS, WEATHER_IT, Nominal
from grammar.sentences import Sentence
from grammar.simple import told_or_asked
from grammar.words import Adjective

_SAID_AFTER_BE = tuple(a for a in ADJECTIVES if a.english != "new")  # there nouveau would have to be neuf
_DESCRIBED = {a: tuple(noun for noun in NOUNS if a.describes(noun)) for a in ADJECTIVES}


def _settle(dice: Dice, subject: Nominal, predicate: Predicate, *, passing: bool) -> Clause:
    """Give a state a tense and a time; only passing states get the future or yesterday."""
    later = Tense.FUTURE if passing else Tense.PAST
    tense = dice.pick((Tense.SIMPLE, Tense.SIMPLE, Tense.SIMPLE, Tense.PAST, later))
    polarity = Polarity.NOT if dice.chance(0.2) else Polarity.YES
    if passing and tense is Tense.SIMPLE and dice.chance(0.12):
        polarity = Polarity.ANYMORE
    time = dice.maybe(0.35, TIMES[tense][:2]) if passing and tense in TIMES else None
    return Clause(subject, predicate, tense, polarity, dice.chance(0.5), time=time)


def quality(dice: Dice) -> Sentence:
    """She is tired. The door was open. My shoes aren't red."""
    adjective = dice.pick(_SAID_AFTER_BE)
    subject = bearer(dice, adjective)
    predicate = Predicate(verbs.BE, attribute=Quality(adjective))
    clause = _settle(dice, subject, predicate, passing=adjective.duration == "passing")
    if adjective.duration == "permanent":
        clause = replace(clause, tense=Tense.SIMPLE)
    return told_or_asked(dice, clause)


def bearer(dice: Dice, adjective: Adjective) -> Nominal:
    """A subject that this adjective can describe."""
    if "person" in adjective.kinds.split() and dice.chance(0.85):
        return _such_person(dice, adjective)
    noun = dice.pick(_DESCRIBED[adjective])
    phrase = dice.person_phrase(noun) if noun.is_among("kin person") else dice.thing(noun)
    return replace(phrase, adjective=None)


def _such_person(dice: Dice, adjective: Adjective) -> Nominal:
    """A person that this adjective can describe: no young grandfather, no old child."""
    subject = dice.person()
    if isinstance(subject, NounPhrase) and not adjective.describes(subject.noun):
        return dice.pick(PEOPLE)
    return subject


def comparison(dice: Dice) -> Sentence:
    """Tom is taller than Mary. You are as rich as him. The truck was dirtier than the car."""
    adjective = dice.pick([a for a in ADJECTIVES if a.comparative])
    if "person" in adjective.kinds.split():
        subject = _such_person(dice, adjective)
        rivals = [pronoun for pronoun in others(subject) if pronoun is not subject]
        standard: Nominal = dice.pick(rivals) if dice.chance(0.5) else dice.other_person(subject)
    else:
        noun = dice.pick(_DESCRIBED[adjective])
        alike = [other for other in _DESCRIBED[adjective] if other.kinds & noun.kinds and other != noun]
        if not alike:
            return quality(dice)
        subject, standard = (NounPhrase(Determiner.THE, each) for each in (noun, dice.pick(alike)))
    attribute = Quality(adjective, standard, equal=dice.chance(0.3))
    clause = _settle(dice, subject, Predicate(verbs.BE, attribute=attribute), passing=False)
    return told_or_asked(dice, clause)


def profession(dice: Dice) -> Sentence:
    """He is a doctor. I'm a student."""
    subject = dice.pick(SINGULAR)
    attribute = Job(dice.pick(nouns_among("job")))
    clause = _settle(dice, subject, Predicate(verbs.BE, attribute=attribute), passing=False)
    return told_or_asked(dice, clause)


def sensation(dice: Dice) -> Sentence:
    """I'm hungry -> J'ai faim."""
    predicate = Predicate(verbs.BE_HAVING, attribute=State(dice.pick(SENSATIONS)))
    clause = _settle(dice, dice.person(), predicate, passing=True)
    return told_or_asked(dice, replace(clause, time=None))


def location(dice: Dice) -> Sentence:
    """My brother is at the station."""
    predicate = Predicate(verbs.BE, adjunct=dice.pick(PLACES).at)
    return told_or_asked(dice, _settle(dice, dice.person(), predicate, passing=True))


def judgement(dice: Dice) -> Sentence:
    """It's true -> C'est vrai."""
    predicate = Predicate(verbs.BE, attribute=State(dice.pick(JUDGEMENTS)))
    clause = _settle(dice, SOMETHING, predicate, passing=False)
    return told_or_asked(dice, clause)


def presentation(dice: Dice) -> Sentence:
    """This is my house. These are beautiful flowers."""
    noun = dice.pick([noun for noun in NOUNS if not noun.mass and not noun.is_among("job king queen")])
    plural = dice.chance(0.25)
    phrase = dice.person_phrase(noun) if noun.is_among("kin") else dice.thing(noun)
    if not noun.is_among("kin") and dice.chance(0.5):
        phrase = dice.some_thing(noun, several=plural)
    if phrase.determiner is Determiner.THIS:
        phrase = replace(phrase, determiner=Determiner.A)
    if phrase.determiner is Determiner.THE and not phrase.owner:
        phrase = replace(phrase, adjective=None)
    subject = THESE if phrase.plural else THIS
    polarity = Polarity.NOT if dice.chance(0.25) else Polarity.YES
    clause = Clause(subject, Predicate(verbs.BE, phrase), Tense.SIMPLE, polarity, dice.chance(0.5))
    return told_or_asked(dice, clause)


def existence(dice: Dice) -> Sentence:
    """There is a cat under the table. There wasn't any milk in the kitchen."""
    kinds, spot = dice.pick(SPOTS)
    noun = dice.pick(nouns_among(kinds))
    polarity = Polarity.NOT if dice.chance(0.25) else Polarity.YES
    phrase = dice.some_thing(noun)
    if polarity is Polarity.NOT:
        phrase = replace(phrase, determiner=Determiner.A, adjective=None)
    elif phrase.adjective not in distinctive(noun):
        phrase = replace(phrase, adjective=None)
    subject = THERE_ARE if phrase.plural else THERE_IS
    tense = Tense.PAST if dice.chance(0.3) else Tense.SIMPLE
    predicate = Predicate(verbs.THERE_BE, phrase, adjunct=spot)
    return told_or_asked(dice, Clause(subject, predicate, tense, polarity, dice.chance(0.6)))


def weather(dice: Dice) -> Sentence:
    """It's raining. It was cold yesterday."""
    if dice.chance(0.5):
        return told_or_asked(dice, dice.weave(WEATHER_IT, Predicate(dice.pick((verbs.RAIN, verbs.SNOW)))))
    predicate = Predicate(verbs.BE_WEATHER, attribute=State(dice.pick(WEATHER)))
    return told_or_asked(dice, _settle(dice, WEATHER_IT, predicate, passing=True))
