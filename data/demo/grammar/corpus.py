"""The corpus: constructions drawn with the weights of constructions.tsv, and which translations are kept."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from grammar import compound, questions, simple, states
from grammar.clauses import Clause, Polarity, Tense
from grammar.drawing import Dice
from grammar.predicates import Predicate
from grammar.pronouns import PEOPLE, WE, I
from grammar.sentences import Sentence, statement, yes_no
from grammar.tables import rows
from grammar.tokens import alignment
from grammar.verbs import INTRANSITIVE

MOST_VARIANTS = 4
ONLY_FIRST = 0.5  # of the sources come with their most common translation only, so that it prevails

_MODULES = {"compound": compound, "questions": questions, "simple": simple, "states": states}


def _construction(name: str) -> Callable[[Dice], Sentence]:
    module, function = name.split(".")
    found: Callable[[Dice], Sentence] = getattr(_MODULES[module], function)
    return found


_CONSTRUCTIONS = [
    construction
    for row in rows("constructions")
    for construction in [_construction(row["construction"])] * int(row["weight"])
]


class Pair(NamedTuple):
    """A sentence, a translation, and which words of them translate each other."""

    source: str
    target: str
    alignment: str


def pairs(count: int, seed: int) -> list[Pair]:
    """Exactly `count` distinct pairs, sorted by the length of the English and then by its text.

    All kept translations of one source stand together, the most common one first.
    """
    dice = Dice(seed)
    chosen: dict[str, list[Pair]] = {}
    missing = count
    for sentence in stream(dice):
        if missing == 0:
            break
        source, targets = sentence.source, sentence.targets
        if source in chosen or len(targets) > MOST_VARIANTS:
            continue
        kept = targets[: 1 if dice.chance(ONLY_FIRST) else missing]
        # Bare strings, for the tokens of a million pairs would not fit in memory.
        chosen[str(source)] = [Pair(str(source), str(target), alignment(source, target)) for target in kept[:missing]]
        missing -= len(chosen[source])
    in_order = sorted(chosen, key=lambda source: (len(source), source))
    return [pair for source in in_order for pair in chosen[source]]


def stream(dice: Dice) -> Iterator[Sentence]:
    """All sentences of the fixed families, then random sentences without end."""
    yield from _families()
    while True:
        yield by_chance(dice)


def by_chance(dice: Dice) -> Sentence:
    """One sentence of any construction."""
    return dice.pick(_CONSTRUCTIONS)(dice)


def _families() -> Iterator[Sentence]:
    """Every pronoun with every intransitive verb: statement, negation and question."""
    for verb in INTRANSITIVE:
        for subject in PEOPLE:
            for contracted in (False, True):
                for polarity in (Polarity.YES, Polarity.NOT):
                    yield statement(Clause(subject, Predicate(verb), Tense.CONTINUOUS, polarity, contracted))
            if subject not in (I, WE):
                yield yes_no(Clause(subject, Predicate(verb), Tense.CONTINUOUS))
