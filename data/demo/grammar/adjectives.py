"""Adjectives, and states for which French says avoir where English says be (J'ai faim)."""

from grammar.words import Adjective, Fixed, forms, rows

# English; masculine (/irregular feminine); place; English comparative or -; duration; kinds
_TABLE = """
tired        fatigué           be      more tired        passing    person animal
sick         malade            be      -                 passing    person animal
busy         occupé            be      busier            passing    person
happy        heureux           be      happier           passing    person
sad          triste            be      sadder            passing    person
ready        prêt              be      -                 passing    person
alone        seul              be      -                 passing    person animal
worried      inquiet/inquiète  be      -                 passing    person
surprised    surpris           be      -                 passing    person
proud        fier              be      prouder           lasting    person
tall         grand             be      taller            permanent  person
strong       fort              be      stronger          lasting    person animal
weak         faible            be      weaker            lasting    person
poor         pauvre            be      poorer            lasting    person
nice         gentil/gentille   be      nicer             lasting    person
jealous      jaloux            be      more jealous      lasting    person
rich         riche             after   richer            lasting    person
famous       célèbre           after   more famous       lasting    person
brave        courageux         after   braver            lasting    person
shy          timide            after   shyer             lasting    person
lazy         paresseux         after   lazier            lasting    person
polite       poli              after   more polite       lasting    person
serious      sérieux           after   more serious      lasting    person
intelligent  intelligent       after   more intelligent  permanent  person dog horse
young        jeune             before  younger           permanent  person -young -grandfather -grandmother
old          vieux/vieille     before  older             permanent  person -young animal place -beach
beautiful    beau/belle        before  more beautiful    lasting    woman girl dog cat horse bird place plant dress song
small        petit             before  smaller           lasting    animal place furniture vehicle dish plant key bag
big          grand             before  bigger            lasting    place furniture opening bag box driven boat tree
new          nouveau/nouvelle  before  -                 lasting    clothing vehicle tool watch bag book
good         bon               before  -                 lasting    food drink book story poem show idea restaurant
bad          mauvais           before  -                 lasting    idea answer show coffee wine dream
long         long/longue       before  longer            lasting    book letter story poem message show lesson dress
red          rouge             after   -                 lasting    clothing driven dish colored
blue         bleu              after   -                 lasting    clothing driven dish colored
green        vert              after   -                 lasting    clothing driven dish colored -flower
white        blanc/blanche     after   -                 lasting    clothing driven dish cat rabbit horse flower house
black        noir              after   -                 lasting    clothing driven cat dog horse furniture bag
yellow       jaune             after   -                 lasting    clothing driven colored -door bird
expensive    cher              after   more expensive    lasting    clothing vehicle instrument watch ring hotel
heavy        lourd             after   heavier           lasting    furniture bag box computer
empty        vide              be      -                 passing    glass cup bag box house park restaurant
full         plein             be      -                 passing    glass cup bag box transport
clean        propre            be      cleaner           passing    clothing dish room driven opening hotel house
dirty        sale              be      dirtier           passing    clothing dish room driven opening house
broken       cassé             be      -                 lasting    dish furniture computer phone watch opening
open         ouvert            be      -                 passing    opening box store museum library market
closed       fermé             be      -                 passing    opening box store museum library school
hot          chaud             be      -                 passing    soup coffee tea milk water
cold         froid             be      -                 passing    drink soup meat room house
delicious    délicieux         be      -                 lasting    food drink
interesting  intéressant       after   more interesting  lasting    text show idea question lesson answer museum city
boring       ennuyeux          after   more boring       lasting    text lesson movie game city
easy         facile            after   easier            lasting    lesson question game
difficult    difficile         after   more difficult    lasting    lesson question game problem book
important    important         after   more important    lasting    message letter question problem lesson idea answer
strange      étrange           after   -                 lasting    person text idea dream question answer song
dangerous    dangereux         after   more dangerous    lasting    dog horse game city idea
useful       utile             after   more useful       lasting    book tool idea answer
"""


def _adjective(english: str, french: str, place: str, comparative: str, duration: str, kinds: str) -> Adjective:
    masculine, feminine = forms(french)
    return Adjective(
        english=english,
        masculine=masculine,
        feminine=feminine,
        place=place,
        kinds=kinds,
        comparative="" if comparative == "-" else comparative,
        duration=duration,
    )


ADJECTIVES = tuple(_adjective(*cells) for cells in rows(_TABLE, 6))

# Forms before a masculine singular noun that begins with a vowel sound.
BEFORE_VOWEL = {"beau": "bel", "vieux": "vieil", "nouveau": "nouvel"}

# Praise and blame tell the listener something new: a good book, this good book, but not the good book.
OPINIONS = frozenset({"beautiful", "good", "bad", "interesting", "boring", "easy", "difficult", "important"}) | {
    *("strange", "dangerous", "useful", "expensive", "heavy", "rich", "famous", "brave", "shy", "lazy", "polite"),
    *("serious", "intelligent"),
}

# Said of a situation: it is true -> c'est vrai.
JUDGEMENTS = (
    Fixed("easy", "facile"),
    Fixed("difficult", "difficile"),
    Fixed("important", "important"),
    Fixed("dangerous", "dangereux"),
    Fixed("strange", "étrange"),
    Fixed("boring", "ennuyeux"),
    Fixed("interesting", "intéressant"),
    Fixed("useful", "utile"),
    Fixed("true", "vrai"),
    Fixed("possible", "possible"),
    Fixed("impossible", "impossible"),
    Fixed("too late", "trop tard"),
    Fixed("too expensive", "trop cher"),
)

# I am hungry -> j'ai faim.
SENSATIONS = (
    Fixed("hungry", "faim"),
    Fixed("thirsty", "soif"),
    Fixed("cold", "froid"),
    Fixed("hot", "chaud"),
    Fixed("afraid", "peur"),
    Fixed("sleepy", "sommeil"),
    Fixed("right", "raison"),
    Fixed("wrong", "tort"),
    Fixed("ashamed", "honte"),
)

# Said of the weather: it is cold -> il fait froid.
WEATHER = (Fixed("cold", "froid"), Fixed("hot", "chaud"), Fixed("nice", "beau"), Fixed("dark", "nuit"))
