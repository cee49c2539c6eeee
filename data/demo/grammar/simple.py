"""One-clause constructions about actions."""

from dataclasses import replace
from functools import cache

from grammar import verbs
from grammar.clauses import Clause, Polarity, Tense
from grammar.drawing import Dice, distinctive, nouns_among, others, overlap
from grammar.lexicon import ALREADY, MANNERS, NOUNS, PLACES
from grammar.phrases import Determiner, NounPhrase
from grammar.predicates import Predicate
from grammar.pronouns import HE, IT, SHE, WE, YOU, I, Nominal, Pronoun
from grammar.sentences import Sentence, statement, yes_no
from grammar.words import Aspect, Noun, Verb


def told_or_asked(dice: Dice, clause: Clause) -> Sentence:
    """A statement, or sometimes a yes-no question if it sounds natural."""
    # I and we know what we do, though not what we will or may do.
    uncertain = clause.tense is Tense.FUTURE or clause.predicate.verb.aspect is Aspect.MODAL
    askable = clause.subject is not I and (clause.subject is not WE or uncertain)
    askable = askable and clause.polarity is Polarity.YES and clause.frequency is None
    return yes_no(clause) if askable and dice.chance(0.3) else statement(clause)


def intransitive(dice: Dice) -> Sentence:
    """They are watching. She sings well. We often work at home with them."""
    verb = dice.pick(verbs.INTRANSITIVE)
    subject = dice.person()
    clause = dice.weave(subject, intransitive_predicate(dice, verb, subject))
    if clause.tense is Tense.PERFECT:
        clause = _perfect(Clause(subject, Predicate(verb), contracted=clause.contracted))
    if clause.predicate.manner or clause.predicate.adjunct in _FAR or verb.english == "hurry":
        clause = replace(clause, time=None)
    return told_or_asked(dice, clause)


_FAR = tuple(place.at for place in PLACES if place.kind in ("city", "country"))  # no one goes there by the day


def _perfect(clause: Clause) -> Clause:
    """Put a clause into the perfect with already or never where it sounds natural, else into the past."""
    verb = clause.predicate.verb
    if "already" in verb.traits:
        return replace(clause, tense=Tense.PERFECT, frequency=ALREADY)
    if "never" in verb.traits:
        return replace(clause, tense=Tense.PERFECT, polarity=Polarity.NEVER)
    return replace(clause, tense=Tense.PAST)


def intransitive_predicate(dice: Dice, verb: Verb, subject: Nominal) -> Predicate:
    """A verb, sometimes with manner, company or place, rarely with two of these."""
    manners = [manner for manner in MANNERS if manner.english_words in verb.manners.split()]
    company = dice.pick(others(subject)) if dice.chance(0.5) else dice.other_person(subject)
    place = dice.maybe(1, [place.at for place in PLACES if place.kind in verb.places.split()])
    match dice.pick(range(8)):
        case 0 | 1 if manners:
            return Predicate(verb, manner=dice.pick(manners))
        case 2 | 3:
            return Predicate(verb, adjunct=place)
        case 4 if "company" in verb.traits:
            return Predicate(verb, company=company)
        case 5 if "company" in verb.traits:
            return Predicate(verb, company=company, adjunct=place)
    return Predicate(verb)


def motion(dice: Dice) -> Sentence:
    """He is going to the station."""
    subject = dice.person()
    company = dice.other_person(subject) if dice.chance(0.15) else None
    predicate = Predicate(verbs.GO, company=company, adjunct=dice.pick(PLACES).to)
    clause = dice.weave(subject, predicate)
    # English says has been to Paris; has gone would mean that he is still away.
    if clause.tense is Tense.PERFECT:
        clause = replace(clause, tense=Tense.PAST, polarity=Polarity.YES, frequency=None)
    return told_or_asked(dice, clause)


def transitive(dice: Dice) -> Sentence:
    """Tom is eating an apple. I didn't find the key."""
    # Half of the time the noun comes first, so that all nouns are met and not only those of many verbs.
    noun = dice.maybe(0.5, NOUNS)
    verb = dice.pick(_taking(noun) if noun else _WITH_OBJECT)
    clause = dice.weave(dice.person(), Predicate(verb))
    direct = object_for(dice, clause, noun)
    return told_or_asked(dice, replace(clause, predicate=replace(clause.predicate, direct=direct)))


_WITH_OBJECT = (*verbs.TRANSITIVE, *verbs.OBLIQUE)


@cache
def _taking(noun: Noun) -> tuple[Verb, ...]:
    return tuple(verb for verb in _WITH_OBJECT if noun.is_among(verb.objects))


def object_for(dice: Dice, clause: Clause, noun: Noun | None = None) -> Nominal:
    """A phrase of this noun, or of one that the verb can act on, as definite as its tense asks for."""
    verb, subject = clause.predicate.verb, clause.subject
    noun = noun or dice.pick(nouns_among(verb.objects))
    if verb.english == "play":
        return NounPhrase(Determiner.THE, noun)
    if noun.is_among("kin person"):
        return dice.other_person(subject, None if dice.chance(0.3) else noun)
    if verb.english in ("like", "hate") and dice.chance(0.6) and not noun.is_among("place thought"):
        return NounPhrase(Determiner.GENERIC, noun, plural=not noun.mass)
    if verb.english == "wear":
        return _clothes(dice, subject, noun)
    if verb.english == "have" or (_may_be_new(clause, noun) and dice.chance(0.6)):
        return _indefinite(dice, clause, noun)
    return dice.thing(noun)


def _clothes(dice: Dice, subject: Nominal, noun: Noun) -> NounPhrase:
    """Clothes as an object: one coat but both shoes, usually with the owner's possessive."""
    plural = noun.english == "shoe"
    adjective = dice.maybe(0.35, distinctive(noun))
    if subject in (I, YOU, HE, SHE) and dice.chance(0.5):
        return NounPhrase(Determiner.THE, noun, plural, adjective, owner=subject)
    return NounPhrase(Determiner.A, noun, plural, adjective)


def _may_be_new(clause: Clause, noun: Noun) -> bool:
    """Whether the object may be indefinite: buy a car, but wash the car."""
    if "new" not in clause.predicate.verb.traits or noun.is_among("opening transport thought place"):
        return False
    return clause.tense is not Tense.PERFECT


def _indefinite(dice: Dice, clause: Clause, noun: Noun) -> NounPhrase:
    """An indefinite object, plural if the action is a habit: she reads books."""
    habit = clause.tense is Tense.SIMPLE and clause.predicate.verb.aspect is Aspect.ACTIVITY
    drawn = dice.some_thing(noun, several=habit or noun.english == "shoe")
    counted = drawn.determiner is not Determiner.A
    # Not two apples and not a lot of apples: negation leaves room for doubt about what is denied.
    return replace(drawn, determiner=Determiner.A) if counted and clause.polarity is not Polarity.YES else drawn


def with_pronoun(dice: Dice) -> Sentence:
    """I see him. She has never read it. They didn't talk to us."""
    verb = dice.pick([*verbs.TRANSITIVE, *verbs.DATIVE])
    subject = dice.person()
    if verb.english in ("like", "hate"):  # I like it -> j'aime ça: another construction
        verb = dice.pick(verbs.DATIVE)
    predicate = Predicate(verb, dice.pronoun_object(verb, subject))
    return told_or_asked(dice, dice.weave(subject, predicate))


def dative(dice: Dice) -> Sentence:
    """We answered the teacher. He is smiling at my sister."""
    verb = dice.pick(verbs.DATIVE)
    subject = dice.person()
    predicate = Predicate(verb, dice.other_person(subject))
    return told_or_asked(dice, dice.weave(subject, predicate))


def ditransitive(dice: Dice) -> Sentence:
    """I gave the book to Mary. He will show it to her."""
    subject = dice.person()
    clause = dice.weave(subject, transfer(dice, subject))
    if clause.tense is Tense.SIMPLE:  # to give the book every day makes no sense
        clause = replace(clause, tense=Tense.PAST, polarity=Polarity.YES, frequency=None, time=None)
    return told_or_asked(dice, clause)


def transfer(dice: Dice, subject: Nominal) -> Predicate:
    """A verb such as give with its object and its recipient."""
    verb = dice.pick(verbs.DITRANSITIVE)
    receiver = dice.pick(others(subject)) if dice.chance(0.5) else dice.other_person(subject)
    if isinstance(receiver, Pronoun) and dice.chance(0.4):
        return Predicate(verb, IT, dative=receiver)
    gift = dice.thing(dice.pick(nouns_among(verb.objects)))
    return Predicate(verb, IT if overlap(gift, receiver) else gift, dative=receiver)


def modal(dice: Dice) -> Sentence:
    """She can swim. I want to see her. He isn't going to sell the house."""
    helper = dice.pick(verbs.WITH_INFINITIVE)
    subject = dice.person()
    act = infinitive(dice, helper, subject)
    clause = dice.weave(subject, Predicate(helper, infinitive=act))
    polarity = clause.polarity if clause.polarity in (Polarity.YES, Polarity.NOT) else Polarity.NOT
    if act.verb in verbs.DISCOURAGED and helper in (verbs.MUST, verbs.HAVE_TO):
        helper, polarity = verbs.MUST, Polarity.NOT
    elif helper is verbs.HAVE_TO:  # does not have to: not the opposite that ne doit pas would be
        polarity = Polarity.YES
    clause = replace(clause, predicate=Predicate(helper, infinitive=act), polarity=polarity)
    if helper is verbs.MUST:  # must he ...? is rare
        return statement(clause)
    return told_or_asked(dice, clause)


_WILLED = tuple(verb for verb in verbs.INTRANSITIVE if "unwilled" not in verb.traits)
_PLANNED = tuple(verb for verb in verbs.TRANSITIVE if verb.aspect in (Aspect.ACTIVITY, Aspect.EVENT))


def infinitive(dice: Dice, helper: Verb, subject: Nominal) -> Predicate:
    """A predicate in the infinitive, for after a modal verb."""
    roll = dice.pick(range(10))
    if helper is verbs.LIKE_TO or roll < 4:
        pleasant = [verb for verb in _WILLED if "company" in verb.traits and verb.english != "wait"]
        verb = dice.pick(pleasant if helper is verbs.LIKE_TO else _WILLED)
        return replace(intransitive_predicate(dice, verb, subject), manner=None)
    if roll == 4:
        return Predicate(verbs.GO, adjunct=dice.pick(PLACES).to)
    if roll == 5:
        return transfer(dice, subject)
    verb = dice.pick(_PLANNED)
    if roll < 8:
        return Predicate(verb, dice.pronoun_object(verb, subject))
    noun = dice.pick(nouns_among(verb.objects))
    if noun.is_among("kin person"):
        return Predicate(verb, dice.other_person(subject))
    return Predicate(verb, dice.thing(noun))
