"""Where, when, how and how often."""

from dataclasses import dataclass

from demo_corpus.words import Fixed, rows


@dataclass(frozen=True)
class Place:
    """A place one can be at and go to."""

    kind: str
    at: Fixed
    to: Fixed


# kind; at, English; at, French; to, English; to, French
_PLACES = """
home     at home            à la maison        home               à la maison
home     in the kitchen     dans la cuisine    to the kitchen     dans la cuisine
outside  in the garden      dans le jardin     to the garden      dans le jardin
outside  in the park        dans le parc       to the park        à le parc
outside  on the beach       sur la plage       to the beach       à la plage
school   at school          à la école         to school          à la école
quiet    at the library     à la bibliothèque  to the library     à la bibliothèque
quiet    at the museum      à le musée         to the museum      à le musée
church   at church          à la église        to church          à la église
work     at the office      à le bureau        to the office      à le bureau
work     at the hospital    à le hôpital       to the hospital    à le hôpital
dining   at the hotel       à le hôtel         to the hotel       à le hôtel
dining   at the restaurant  à le restaurant    to the restaurant  à le restaurant
stop     at the market      à le marché        to the market      à le marché
stop     at the station     à la gare          to the station     à la gare
stop     at the airport     à le aéroport      to the airport     à le aéroport
city     in Paris           à Paris            to Paris           à Paris
city     in London          à Londres          to London          à Londres
country  in France          en France          to France          en France
country  in Japan           à le Japon         to Japan           à le Japon
country  in Canada          à le Canada        to Canada          à le Canada
country  in the United States  à les États-Unis  to the United States  à les États-Unis
"""

PLACES = tuple(
    Place(kind, Fixed(at_english, at_french), Fixed(to_english, to_french))
    for kind, at_english, at_french, to_english, to_french in rows(_PLACES, 5)
)
HOME = PLACES[0]

# What is found where: there is a cat under the table. Kinds or nouns; English; French.
_SPOTS = """
animal boy girl child tree bike chair     in the garden          dans le jardin
animal man woman child tree driven bike  in front of the house  devant la maison
food drink dish furniture cat dog mouse  in the kitchen         dans la cuisine
text food drink small dish lamp          on the table           sur la table
cat dog mouse ball bag shoe box          under the table        sous la table
cat dog mouse box shoe ball              under the bed          sous le lit
cat dog bag box umbrella                 behind the door        derrière la porte
text small mouse                         in the box             dans la boîte
man woman child job bus driven horse     in the street          dans la rue
"""

SPOTS = tuple((kinds, Fixed(english, french)) for kinds, english, french in rows(_SPOTS, 3))

PAST_TIMES = (
    Fixed("yesterday", "hier"),
    Fixed("last night", "hier soir"),
    Fixed("this morning", "ce matin"),
    Fixed("last week", "la semaine dernière"),
    Fixed("last year", "la année dernière"),
)
SOON = Fixed("soon", "bientôt")
FUTURE_TIMES = (
    Fixed("tomorrow", "demain"),
    Fixed("tonight", "ce soir"),
    SOON,
    Fixed("next week", "la semaine prochaine"),
    Fixed("next year", "la année prochaine"),
)
PRESENT_TIMES = (Fixed("now", "maintenant"), Fixed("today", "aujourd'hui"))
HABITS = (
    Fixed("every day", "tous les jours"),
    Fixed("every week", "toutes les semaines"),
    Fixed("in the morning", "le matin"),
    Fixed("on Sundays", "le dimanche"),
)

# They stand before the English main verb and after the French finite verb.
FREQUENCIES = (Fixed("often", "souvent"), Fixed("always", "toujours"), Fixed("sometimes", "parfois"))
ALREADY = Fixed("already", "déjà")

WELL = Fixed("well", "bien")  # the one adverb of manner that comes before a participle: il a bien dormi
MANNERS = (WELL, Fixed("hard", "dur"), Fixed("slowly", "lentement"), Fixed("fast", "vite"))
