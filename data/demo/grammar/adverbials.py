"""Adverbials of place, time, manner and frequency."""

from dataclasses import dataclass

from grammar.words import Fixed, rows


@dataclass(frozen=True)
class Place:
    """A place, with its phrase for being there and for going there."""

    kind: str
    at: Fixed
    to: Fixed


# kind; at, English; at, French; to, English; to, French
_PLACES = """
home     at home            à1 la2 maison2     home               à1 la1 maison1
home     in the kitchen     dans la cuisine    to the kitchen     dans la cuisine
outside  in the garden      dans le jardin     to the garden      dans le jardin
outside  in the park        dans le parc       to the park        à le parc
outside  on the beach       sur la plage       to the beach       à la plage
school   at school          à1 la2 école2      to school          à1 la2 école2
quiet    at the library     à la bibliothèque  to the library     à la bibliothèque
quiet    at the museum      à le musée         to the museum      à le musée
church   at church          à1 la2 église2     to church          à1 la2 église2
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
country  in Japan           à1 le2 Japon2      to Japan           à1 le2 Japon2
country  in Canada          à1 le2 Canada2     to Canada          à1 le2 Canada2
country  in the United States  à1 les2 États-Unis34  to the United States  à1 les2 États-Unis34
"""

PLACES = tuple(
    Place(kind, Fixed(at_english, at_french), Fixed(to_english, to_french))
    for kind, at_english, at_french, to_english, to_french in rows(_PLACES, 5)
)
HOME = PLACES[0]

# What is found where: there is a cat under the table. Kinds or nouns; English; French.
_SPOTS = """
animal boy girl child tree bike chair     in the garden          dans le jardin
animal man woman child tree driven bike  in front of the house  devant123 la4 maison5
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
    Fixed("last week", "la2 semaine2 dernière1"),
    Fixed("last year", "la2 année2 dernière1"),
)
SOON = Fixed("soon", "bientôt")
FUTURE_TIMES = (
    Fixed("tomorrow", "demain"),
    Fixed("tonight", "ce1 soir1"),
    SOON,
    Fixed("next week", "la2 semaine2 prochaine1"),
    Fixed("next year", "la2 année2 prochaine1"),
)
PRESENT_TIMES = (Fixed("now", "maintenant"), Fixed("today", "aujourd'hui"))
HABITS = (
    Fixed("every day", "tous1 les1 jours2"),
    Fixed("every week", "toutes1 les1 semaines2"),
    Fixed("in the morning", "le12 matin3"),
    Fixed("on Sundays", "le dimanche"),
)

# They stand before the English main verb and after the French finite verb.
FREQUENCIES = (Fixed("often", "souvent"), Fixed("always", "toujours"), Fixed("sometimes", "parfois"))
ALREADY = Fixed("already", "déjà")

WELL = Fixed("well", "bien")  # the one adverb of manner that comes before a participle: il a bien dormi
MANNERS = (WELL, Fixed("hard", "dur"), Fixed("slowly", "lentement"), Fixed("fast", "vite"))
