"""Questions with a question word."""

from dataclasses import replace

from grammar import verbs
from grammar.clauses import Clause, Polarity, Tense
from grammar.drawing import COUNTED, Dice, nouns_among
from grammar.phrases import Determiner, NounPhrase
from grammar.predicates import Predicate
from grammar.pronouns import HE, SHE, THEY, WHO, YOU, Nominal
from grammar.sentences import Sentence, put, sentence, statement, wh_question, what, words
from grammar.simple import intransitive_predicate, object_for
from grammar.tokens import Token, meaning, numbered
from grammar.words import Aspect

_SCHEDULED = verbs.having(verbs.INTRANSITIVE, "scheduled")
_COUNTING = verbs.having(verbs.TRANSITIVE, "counted")
_ANSWERABLE = tuple(verb for verb in verbs.TRANSITIVE if verb.english not in ("like", "hate"))
_ABOUT_THINGS = tuple(verb for verb in _ANSWERABLE if not verb.objects.startswith("kin"))


def _asked_about(dice: Dice) -> Nominal:
    """The subject of a question: not I, because je is rarely inverted, and not we."""
    return dice.somebody() if dice.chance(0.3) else dice.pick((YOU, HE, SHE, THEY))


def _plain(clause: Clause) -> Clause:
    """A clause without negation and adverbs."""
    tense = Tense.PAST if clause.tense is Tense.PERFECT else clause.tense
    return replace(clause, tense=tense, polarity=Polarity.YES, frequency=None, time=None)


def _at_once(clause: Clause) -> Clause:
    """The clause in a tense that is about now, not about a habit."""
    if clause.tense is Tense.SIMPLE and clause.predicate.verb.aspect is Aspect.ACTIVITY:
        tense = Tense.PAST if "once" in clause.predicate.verb.traits else Tense.CONTINUOUS
        return replace(clause, tense=tense)
    return clause


def who_question(dice: Dice) -> Sentence:
    """Who is singing? Who broke the window? Who helped you?."""
    roll = dice.pick(range(3))
    if roll == 0:
        predicate = intransitive_predicate(dice, dice.pick(verbs.INTRANSITIVE), WHO)
        return statement(_plain(dice.weave(WHO, predicate)), end="?")
    verb = dice.pick(_ANSWERABLE)
    clause = _plain(dice.weave(WHO, Predicate(verb)))
    direct = dice.pronoun_object(verb, WHO) if roll == 1 else object_for(dice, clause)
    return statement(replace(_at_once(clause), predicate=Predicate(verb, direct)), end="?")


def where_question(dice: Dice) -> Sentence:
    """Where does Tom work? Where are you going?."""
    subject = _asked_about(dice)
    placed = [verb for verb in verbs.INTRANSITIVE if verb.places]
    predicate = Predicate(verbs.GO if dice.chance(0.2) else dice.pick(placed))
    return wh_question(numbered("where"), numbered("où"), _plain(dice.weave(subject, predicate)))


def when_question(dice: Dice) -> Sentence:
    """When will she arrive? When are you leaving?."""
    subject = _asked_about(dice)
    tense = dice.pick((Tense.FUTURE, Tense.PAST, Tense.SIMPLE))
    return wh_question(numbered("when"), numbered("quand"), Clause(subject, Predicate(dice.pick(_SCHEDULED)), tense))


def why_question(dice: Dice) -> Sentence:
    """Why are you crying? Why isn't Tom sleeping? Why did she sell it?."""
    subject = _asked_about(dice)
    if dice.chance(0.5):
        predicate = Predicate(dice.pick(verbs.INTRANSITIVE))
    else:
        verb = dice.pick(_ANSWERABLE)
        predicate = Predicate(verb, dice.pronoun_object(verb, subject))
    clause = _at_once(_plain(dice.weave(subject, predicate)))
    if dice.chance(0.3):
        clause = replace(clause, polarity=Polarity.NOT, contracted=True)
    return wh_question(numbered("why"), numbered("pourquoi"), clause)


def what_question(dice: Dice) -> Sentence:
    """What are you reading? What did Tom lose?."""
    subject = _asked_about(dice)
    return what(_plain(dice.weave(subject, Predicate(dice.pick(_ABOUT_THINGS)))))


def where_is(dice: Dice) -> Sentence:
    """Where is my key? -> Où est ma clé ?."""
    phrase = dice.thing(dice.pick(nouns_among("animal text small clothing vehicle public dish")))
    if phrase.noun.is_among("public"):
        phrase = replace(phrase, plural=False)
    opening, french_opening = ("where are", "où sont") if phrase.plural else ("where is", "où est")
    return sentence(words(numbered(opening), numbered(french_opening)), put("subject", phrase), end="?")


def how_many(dice: Dice) -> Sentence:
    """How many apples did she eat? -> Combien de pommes a-t-elle mangées ?."""
    subject = _asked_about(dice)
    verb = dice.pick(_COUNTING)
    noun = dice.pick([n for n in nouns_among(verb.objects) if n.is_among(COUNTED) and not n.mass])
    clause = _plain(dice.weave(subject, Predicate(verb)))
    if verb.aspect is not Aspect.STATE and clause.tense is not Tense.FUTURE:
        clause = replace(clause, tense=Tense.PAST)
    clause = replace(clause, fronted=NounPhrase(Determiner.A, noun, plural=True))
    opening = [*meaning("number", "how", "many"), Token(noun.english_plural, "noun")]
    return wh_question(opening, [*meaning("number", "combien", "de"), Token(noun.french_plural, "noun")], clause)
