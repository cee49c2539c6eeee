"""Evidence that pairs are wrong. Each kind is one function; adding one to KINDS is all that a new kind needs."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from nmt.checking.measures import Measures
from nmt.checking.repeats import contradictions, repeats
from nmt.checking.tokens import Floats, spelling_of
from nmt.writing_systems import UNSPACED, script_of

STRONGEST = 10.0
_USUAL_SCRIPT = 0.2  # share of the sentences of a column that have letters of a script, for it to be usual
_HARDLY = 0.2  # share of a sentence's letters
_SIDES = ("source", "target")


class Evidence(NamedTuple):
    """One kind of evidence: its strength for each pair, 0 for none, and a sentence about a pair that has it."""

    strength: Floats
    explain: Callable[[int], str]


def _beyond(values: Floats, usual: float, weight: float = 1.0) -> Floats:
    """What values have beyond the usual, weighted."""
    return np.clip(weight * (values - usual), 0, STRONGEST)


def quoted(words: Sequence[str]) -> str:
    """Words in quotes, between commas."""
    return ", ".join(f"“{word}”" for word in words)


def unrelated(measures: Measures) -> list[Evidence]:
    """Pairs whose words do not translate one another."""

    def explain(i: int) -> str:
        words = [side.unexplained(i) for side in (measures.source, measures.target)]
        nothing = " and ".join(
            f"for {quoted(each)} in the {side}" for each, side in zip(words, _SIDES, strict=True) if each
        )
        return "the two sides seem to say different things" + (f": no translation {nothing}" if nothing else "")

    return [Evidence(_beyond(measures.unrelated, 1, 1.2), explain)]


def cut(measures: Measures) -> list[Evidence]:
    """Sides that are too short, and lack a translation of words of the other side."""
    short = {"target": (-measures.longer, measures.missing), "source": (measures.longer, -measures.missing)}
    sides = {"target": (measures.target, measures.source), "source": (measures.source, measures.target)}
    usual = float(np.median(np.log(measures.target.lengths / measures.source.lengths)))
    found = []
    for name, (shortness, missing) in short.items():
        factor = np.exp(usual if name == "target" else -usual)

        def explain(i: int, name: str = name, factor: float = factor) -> str:
            side, other = sides[name]
            length, expected = int(side.lengths[i]), round(other.lengths[i] * factor)
            words = other.unexplained(i)
            counted = f"{length} characters, where about {expected} are usual" if length < expected else "by its words"
            lacks = f"; nothing in it for {quoted(words)}" if words else ""
            return f"the {name} seems to be cut or incomplete ({counted}){lacks}"

        strength = (np.maximum(shortness, 0) + 0.5 * np.maximum(missing, 0)) / np.hypot(1, 0.5)
        # Long targets are often free translations, so a short source alone says less.
        found.append(Evidence(_beyond(strength * (1 if name == "target" else 0.7), 1), explain))
    return found


def strange(measures: Measures) -> list[Evidence]:
    """Sides that do not look like their column, such as another language. What is strange on both is a name."""
    found = []
    for place, name in enumerate(_SIDES):
        own, other = (measures.looks[each].strangeness for each in (place, 1 - place))

        def explain(i: int, name: str = name) -> str:
            return f"the {name} does not look like the language of its column"

        found.append(Evidence(_beyond(own - np.maximum(other, 0), 3, 0.7), explain))
    return found


def other_script(measures: Measures) -> list[Evidence]:
    """Sides with hardly a letter of the scripts of their column; the rarer that is, the stronger."""
    found = []
    for name, side in zip(_SIDES, (measures.source, measures.target), strict=True):
        letters = [Counter(script for script in map(_script, text) if script) for text in side.texts]
        total = Counter(script for each in letters for script in each)
        usual = {script for script, count in total.items() if count > _USUAL_SCRIPT * len(letters)}
        known = [sum(each[script] for script in usual) for each in letters]
        foreign = np.array([own < _HARDLY * each.total() for each, own in zip(letters, known, strict=True)])
        rarity = -np.log(max(float(foreign.mean()), 1 / len(foreign)))

        def explain(i: int, name: str = name, letters: list[Counter[str]] = letters, usual: set[str] = usual) -> str:
            script, names = letters[i].most_common(1)[0][0], " or ".join(sorted(each.capitalize() for each in usual))
            return f"the {name} is written in {script.capitalize()}, where {names} is usual"

        found.append(Evidence(_beyond(rarity * foreign, 1.5, 2), explain))
    return found


_script = cache(script_of)


def swapped(measures: Measures) -> list[Evidence]:
    """Pairs of which each side looks more like the other column."""
    source, target = (-looks.own_language for looks in measures.looks)
    return [Evidence(_beyond(source + target, 0, 0.6), lambda i: "source and target seem to be swapped")]


def copied(measures: Measures) -> list[Evidence]:
    """Sentences of two words or more that are the same on both sides."""
    sides = zip(measures.source.words, measures.target.words, strict=True)
    same = [one == other and len(one) > 1 and not "".join(one).isdigit() for one, other in sides]
    return [Evidence(5.0 * np.array(same), lambda i: "the target is a copy of the source")]


def end_marks(measures: Measures) -> list[Evidence]:
    """Pairs that end in marks which rarely go together: cut sentences, questions that became statements."""
    ends = [[_end_mark(text) for text in side.texts] for side in (measures.source, measures.target)]
    together, sources, targets = Counter(zip(*ends, strict=True)), Counter(ends[0]), Counter(ends[1])
    count = len(measures.pairs)

    def surprise(source: str, target: str) -> float:
        return -float(np.log((together[source, target] + 0.5 * targets[target] / count) / (sources[source] + 0.5)))

    known = {marks: surprise(*marks) for marks in together}
    strength = np.array([known[marks] for marks in zip(*ends, strict=True)])

    def explain(i: int) -> str:
        source, target = (f"with “{end[i]}”" if end[i] else "without a mark" for end in ends)
        return f"the source ends {source}, the target {target}"

    return [Evidence(np.minimum(_beyond(strength, 1, 0.8), 4), explain)]


def _end_mark(text: str) -> str:
    return text[-1] if text and unicodedata.category(text[-1])[0] in "PS" else ""


def misspelt(measures: Measures) -> list[Evidence]:
    """Words that occur once and are spelt like no other; what is strange on both sides is a name."""
    found = []
    for place, side in enumerate((measures.source, measures.target)):
        own, other = measures.looks[place], measures.looks[1 - place]
        strength = _beyond(own.misspelling - np.maximum(other.misspelling, 0), 1, 0.7)
        spelt = [spelling_of(text) for text in side.texts]
        counts = Counter(word for words in spelt for word in words)
        worst = [words[at] if at < len(words) else "" for words, at in zip(spelt, own.worst, strict=True)]
        once = np.array(
            [counts[word] == 1 and "0" not in word and script_of(word[0]) not in UNSPACED for word in worst]
        )

        def explain(i: int, name: str = _SIDES[place], worst: list[str] = worst) -> str:
            return f"“{worst[i]}” in the {name} is an unusual spelling"

        found.append(Evidence(np.minimum(strength, 4) * once, explain))
    return found


def numbers(measures: Measures) -> list[Evidence]:
    """Pairs with different numbers on both sides."""
    digits = [
        [frozenset(x for x in words if x.isdecimal()) for words in s.words] for s in (measures.source, measures.target)
    ]
    differ = [bool(one - other) and bool(other - one) for one, other in zip(*digits, strict=True)]

    def explain(i: int) -> str:
        one, other = digits[0][i], digits[1][i]
        only = [", ".join(sorted(each)) for each in (one - other, other - one)]
        return f"numbers differ: {only[0]} in the source, {only[1]} in the target"

    return [Evidence(2.0 * np.array(differ), explain)]


def repeated(measures: Measures) -> list[Evidence]:
    """Pairs that occur before but for case and punctuation."""
    rows = repeats(measures)
    strength = np.array([1.0 if row else 0.0 for row in rows])
    return [Evidence(strength, lambda i: f"the same as row {rows[i]}, but for case and punctuation at most")]


def contradicted(measures: Measures) -> list[Evidence]:
    """Pairs of which another pair translates the same sentence, in other words and more plausibly."""
    found = []
    for name, other in (("source", "target"), ("target", "source")):
        strength, rivals = contradictions(measures, name == "source")

        def explain(i: int, name: str = name, other: str = other, rivals: dict[int, int] = rivals) -> str:
            rival = measures.pairs[rivals[i]]
            return f"row {rival.row} has another {other} for the same {name}: “{getattr(rival, other)}”"

        found.append(Evidence(strength, explain))
    return found


KINDS = [swapped, other_script, copied, unrelated, cut, strange, end_marks, numbers, contradicted, misspelt, repeated]
