"""Commands, and sentences of two clauses."""

from dataclasses import replace

from grammar import conjugation, verbs
from grammar.clauses import Clause, Polarity, Tense
from grammar.drawing import EVERYONE, SINGULAR, Dice, nouns_among, others, overlap
from grammar.lexicon import ADJECTIVES, HOME, PLACES, SENSATIONS
from grammar.phrases import Determiner, NounPhrase
from grammar.predicates import Predicate, Quality, State
from grammar.pronouns import HE, PEOPLE, SHE, WE, WEATHER_IT, YOU, Nominal, Pronoun, Reading
from grammar.sentences import Sentence, joined, mark, put, sentence, words
from grammar.simple import intransitive_predicate, object_for
from grammar.tables import rows
from grammar.tokens import Token, meaning, under
from grammar.words import Aspect, Fixed, Verb

_ORDERS = tuple(verb for verb in verbs.INTRANSITIVE if "unwilled" not in verb.traits and verb.english != "win")
_HE_OR_SHE = {"m": HE, "f": SHE}
_ORDERS_WITH_OBJECT = tuple(verb for verb in verbs.TRANSITIVE if verb.aspect is Aspect.ACTIVITY)
_COMPLETED = tuple(
    verb
    for verb in verbs.TRANSITIVE
    if verb.aspect in (Aspect.ACTIVITY, Aspect.EVENT, Aspect.ACCIDENT)
    and any(not noun.is_among("kin person") for noun in nouns_among(verb.objects))
)
_AT_HOME = tuple(v for v in verbs.INTRANSITIVE if "home" in v.places.split() and v not in verbs.DISCOURAGED)
_GOING_ON = tuple(verb for verb in verbs.INTRANSITIVE if verb.places)
_TURNS = verbs.having(verbs.INTRANSITIVE, "turn")
_TEMPORARY = tuple(a for a in ADJECTIVES if a.duration == "passing" and "person" in a.kinds.split())


def command(dice: Dice) -> Sentence:
    """Listen! Help me! Don't open the door! Let's dance!."""
    negated = dice.chance(0.3)
    subject = WE if dice.chance(0.2) else YOU
    if dice.chance(0.35):
        predicate = Predicate(dice.pick(_ORDERS))
        negated = negated or predicate.verb in verbs.DISCOURAGED
    else:
        verb = dice.pick(_ORDERS_WITH_OBJECT)
        predicate = Predicate(verb, _order_object(dice, verb, subject))
    if subject is WE:
        opening = [*meaning("tense", "let", "'s"), *([Token("not", "not")] if negated else [])]
    else:
        opening = [Token("do", "tense"), Token("n't", "not")] if negated else []
    verb_word = Token(predicate.verb.english.split()[0], "verb")
    return Sentence(
        [*opening, verb_word, *predicate.english_tail(""), mark("!")],
        lambda reading: [*_french_command(predicate, subject, negated, reading), mark("!")],
        predicate.questions | (YOU.questions & {"address"} if subject is YOU else frozenset()),
    )


def _order_object(dice: Dice, verb: Verb, subject: Pronoun) -> Nominal:
    """The object of a command."""
    pronoun = dice.pronoun_object(verb, subject)
    if dice.chance(0.4) and pronoun is not YOU:
        return pronoun
    noun = dice.pick(nouns_among(verb.objects))
    return dice.person_phrase(noun) if noun.is_among("kin person") else dice.thing(noun)


def _french_command(predicate: Predicate, subject: Pronoun, negated: bool, reading: Reading) -> list[Token]:
    """Regarde-moi ! Ne me regarde pas !: pronouns follow the verb unless it is negated."""
    agreement = subject.agreement(reading)
    verb = Token(conjugation.imperative(predicate.infinitive_words[0], agreement.slot), "tense", "verb")
    clitics = predicate.clitics(agreement, reading)
    tail = predicate.french_tail(agreement, reading, negated)
    if negated:
        return [Token("ne", "not"), *clitics, verb, Token("pas", "not"), *tail]
    strong = {"me": "moi", "te": "toi"}
    return [verb, *(clitic.spelled(f"-{strong.get(clitic, clitic)}") for clitic in clitics), *tail]


def relative(dice: Dice) -> Sentence:
    """Where is the car that you bought? -> Où est la voiture que tu as achetée ?."""
    subject = dice.pick(PEOPLE) if dice.chance(0.7) else dice.somebody()
    verb = dice.pick(_COMPLETED)
    noun = dice.pick([noun for noun in nouns_among(verb.objects) if not noun.is_among("kin person")])
    phrase = NounPhrase(Determiner.THE, noun, plural=not noun.mass and dice.chance(0.25))
    clause = Clause(subject, Predicate(verb), Tense.PAST, fronted=phrase)
    opening, end = dice.pick(_PLURAL_POINTERS if phrase.plural else _POINTERS)
    pointing = words(under("opening", opening.english_tokens), under("opening", opening.french_tokens))
    that = words([Token("that", "that")], [Token("que", "that")])
    return sentence(pointing, put("phrase", phrase), that, put("clause", clause), end=end)


_POINTERS = ((Fixed("where is", "où est"), "?"), (Fixed("here is", "voici12"), "."), (Fixed("this is", "ce est"), "."))
_PLURAL_POINTERS = (
    (Fixed("where are", "où sont"), "?"),
    (Fixed("here are", "voici12"), "."),
    (Fixed("these are", "ce sont"), "."),
)


def opinion(dice: Dice) -> Sentence:
    """I think that Tom is tired. She says she will leave tomorrow."""
    thinker = dice.pick(SINGULAR)
    opinions = verbs.OPINION if thinker.person == "he" else verbs.OPINION_OF_MINE
    main = Clause(thinker, Predicate(dice.pick(opinions)))
    hopeful = main.predicate.verb.english == "hope"
    subject = dice.person()
    inner = _news(dice, dice.pick(PEOPLE) if overlap(thinker, subject) else subject, hopeful)
    if hopeful and inner.tense not in (Tense.SIMPLE, Tense.CONTINUOUS):
        inner = replace(inner, tense=Tense.FUTURE, frequency=None, time=None)
    that = [Token("that", "that")] if dice.chance(0.6) else []
    que = Token("que", "that" if that else "main.verb")
    return joined(main, words(that, [que]), inner)


def _news(dice: Dice, subject: Nominal, hopeful: bool) -> Clause:
    """The clause after think, say or know; after hope, an action."""
    roll = dice.pick(range(2 if hopeful else 0, 5))
    if roll == 0:
        return Clause(subject, Predicate(verbs.BE, attribute=Quality(dice.pick(_TEMPORARY))))
    if roll == 1:
        return Clause(subject, Predicate(verbs.BE_HAVING, attribute=State(dice.pick(SENSATIONS))))
    if roll == 2:
        return dice.weave(subject, intransitive_predicate(dice, dice.pick(verbs.INTRANSITIVE), subject))
    if roll == 3:
        return Clause(subject, Predicate(verbs.GO, adjunct=dice.pick(PLACES).to), Tense.FUTURE)
    clause = dice.weave(subject, Predicate(dice.pick(verbs.TRANSITIVE)))
    return replace(clause, predicate=replace(clause.predicate, direct=object_for(dice, clause)))


def _reasons(then: str) -> list[tuple[list[str], list[str]]]:
    """What makes people do what, or keeps them from it: verbs, and states, by their English names."""
    return [(row["verbs"].split(", "), row["states"].split(", ")) for row in rows("reasons") if row["then"] == then]


_CAUSES, [_HINDRANCES] = _reasons("does"), _reasons("does not")


def because(dice: Dice) -> Sentence:
    """Tom is crying because he is sad. I didn't dance because I was tired."""
    hindered = dice.chance(0.5)
    acts, states = _HINDRANCES if hindered else dice.pick(_CAUSES)
    subject = dice.pick(EVERYONE)
    # A name is taken up by its pronoun: Marie pleure parce qu'elle est triste.
    again = subject if isinstance(subject, Pronoun) else _HE_OR_SHE[subject.agreement(Reading()).gender]
    tense, state_tense = dice.pick(((Tense.CONTINUOUS, Tense.SIMPLE), (Tense.PAST, Tense.PAST)))
    contracted = dice.chance(0.5)
    polarity = Polarity.NOT if hindered else Polarity.YES
    act = Predicate(dice.pick([verb for verb in verbs.INTRANSITIVE if verb.english in acts]))
    main = Clause(subject, act, tense, polarity, contracted)
    reason = Clause(again, _state(dice.pick(states)), state_tense, contracted=contracted)
    return joined(main, words(meaning("link", "because"), meaning("link", "parce", "que")), reason)


def _state(english: str) -> Predicate:
    for adjective in _TEMPORARY:
        if adjective.english == english:
            return Predicate(verbs.BE, attribute=Quality(adjective))
    sensation = next(s for s in SENSATIONS if s.english_words == english)
    return Predicate(verbs.BE_HAVING, attribute=State(sensation))


def condition(dice: Dice) -> Sentence:
    """If it rains, I will work at home -> S'il pleut, je travaillerai à la maison."""
    doer = dice.person()
    if dice.chance(0.4):
        cause = Clause(WEATHER_IT, Predicate(dice.pick((verbs.RAIN, verbs.SNOW))))
    else:
        cause = Clause(dice.person(), Predicate(dice.pick(_TURNS)))
    effect = Predicate(dice.pick(_AT_HOME), adjunct=dice.maybe(0.5, [HOME.at]))
    polarity = Polarity.NOT if dice.chance(0.25) else Polarity.YES
    result = Clause(doer, effect, Tense.FUTURE, polarity, dice.chance(0.5))
    both = put("main", cause), words([Token(",")], [Token(",")]), put("other", result)
    return sentence(words([Token("if", "if")], [Token("si", "if")]), *both, end=".")


def together(dice: Dice) -> Sentence:
    """Tom is singing and Mary is dancing. I was reading while he was working in the garden."""
    link, french_link = dice.pick(((["and"], ["et"]), (["while"], ["pendant", "que"])))
    tense = dice.pick((Tense.CONTINUOUS, Tense.PAST_CONTINUOUS))
    verb = dice.pick(_GOING_ON)
    first = Clause(dice.person(), Predicate(verb), tense)
    rest = [pronoun for pronoun in others(first.subject) if pronoun is not first.subject]
    other = dice.other_person(first.subject) if dice.chance(0.5) else dice.pick(rest)
    act = intransitive_predicate(dice, dice.pick([v for v in _GOING_ON if v is not verb]), other)
    second = Clause(other, act, tense)
    return joined(first, words(meaning("link", *link), meaning("link", *french_link)), second)
