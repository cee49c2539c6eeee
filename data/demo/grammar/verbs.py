"""The verbs, by what they take, from verbs.tsv."""

from grammar.tables import rows
from grammar.words import Aspect, Verb


def _verb(row: dict[str, str]) -> Verb:
    cells = {name: row[name] for name in ("english", "french", "preposition", "objects", "places", "manners")}
    return Verb(**cells, aspect=Aspect[row["aspect"].upper()], traits=frozenset(row["traits"].split()))


_VERBS = [(row["group"], _verb(row)) for row in rows("verbs")]
VERBS = tuple(verb for _, verb in _VERBS)


def _group(name: str) -> tuple[Verb, ...]:
    return tuple(verb for group, verb in _VERBS if group == name)


# He is tall: être. He is hungry: avoir faim. It is cold: il fait froid. There is: il y a.
BE, BE_HAVING, BE_WEATHER, THERE_BE = _group("be")
[GO] = _group("motion")
RAIN, SNOW = _group("weather")
INTRANSITIVE = _group("intransitive")
TRANSITIVE = _group("transitive")
DATIVE = _group("dative")  # pronouns for the person addressed become lui and leur
OBLIQUE = _group("oblique")  # only with nouns, for their pronouns (en, y, de lui) would need a grammar of their own
DITRANSITIVE = _group("ditransitive")
CAN, MUST, WANT_TO, LIKE_TO, HAVE_TO, GOING_TO = WITH_INFINITIVE = _group("with infinitive")
OPINION = _group("opinion")  # with a clause: I think that he is tired
OPINION_OF_MINE = tuple(verb for verb in OPINION if verb.english != "say")


def having(verbs: tuple[Verb, ...], trait: str) -> tuple[Verb, ...]:
    """The verbs with this trait."""
    return tuple(verb for verb in verbs if trait in verb.traits)


DISCOURAGED = having(INTRANSITIVE, "discouraged")
