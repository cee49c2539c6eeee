"""Nouns, names, adjectives, places and fixed phrases, from the tables beside this file; `verbs` has the verbs."""

from dataclasses import dataclass

from grammar import english, french
from grammar.tables import rows
from grammar.words import Adjective, Fixed, Noun


@dataclass(frozen=True)
class Place:
    """A place, with its phrase for being there and for going there."""

    kind: str
    at: Fixed
    to: Fixed


def _noun(row: dict[str, str]) -> Noun:
    """A noun; after a slash stands an irregular plural, or the French feminine where English hides the gender."""
    singular, _, irregular = row["english"].partition("/")
    french_singular, _, other = row["french"].partition("/")
    hidden = row["gender"] == "mf"
    return Noun(
        english=singular,
        english_plural=irregular or english.plural(singular),
        french=french_singular,
        french_plural=french.plural(french_singular) if hidden or not other else other,
        gender=row["gender"],
        kinds=frozenset(row["kinds"].split()),
        feminine=other if hidden else "",
    )


def _adjective(row: dict[str, str]) -> Adjective:
    """An adjective; after a slash stands an irregular feminine."""
    masculine, _, feminine = row["french"].partition("/")
    cells = {name: row[name] for name in ("english", "place", "kinds", "comparative", "duration")}
    return Adjective(**cells, masculine=masculine, feminine=feminine, opinion=row["opinion"] == "yes")


def _phrases(group: str) -> tuple[Fixed, ...]:
    return tuple(Fixed(row["english"], row["french"]) for row in rows("phrases") if row["group"] == group)


_NAMES_AND_NOUNS = tuple(map(_noun, rows("nouns")))
NOUNS = tuple(noun for noun in _NAMES_AND_NOUNS if "name" not in noun.kinds)
NAMES = tuple((noun.english, noun.french, noun.gender) for noun in _NAMES_AND_NOUNS if "name" in noun.kinds)
ADJECTIVES = tuple(map(_adjective, rows("adjectives")))
PLACES = tuple(
    Place(row["kind"], Fixed(row["at_english"], row["at_french"]), Fixed(row["to_english"], row["to_french"]))
    for row in rows("places")
)
HOME = PLACES[0]

JUDGEMENTS = _phrases("judgement")  # of a situation: it is true -> c'est vrai
SENSATIONS = _phrases("sensation")  # I am hungry -> j'ai faim
WEATHER = _phrases("weather")  # it is cold -> il fait froid
PAST_TIMES, PRESENT_TIMES, FUTURE_TIMES = _phrases("past"), _phrases("present"), _phrases("future")
HABITS = _phrases("habit")
FREQUENCIES = _phrases("frequency")  # before the English main verb and after the French finite verb
MANNERS = _phrases("manner")
[ALREADY] = _phrases("perfect")
SOON = next(time for time in FUTURE_TIMES if time.english_words == "soon")
WELL = next(manner for manner in MANNERS if manner.english_words == "well")  # before a participle: il a bien dormi
# What is found where: kinds of nouns, and the phrase of the spot.
SPOTS = tuple(zip((row["found_there"] for row in rows("phrases") if row["found_there"]), _phrases("spot"), strict=True))
