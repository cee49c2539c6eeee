"""The adjectives, and the states that French has rather than is."""

from demo_corpus.words import Adjective, Fixed, forms, rows

# English; masculine (/irregular feminine); place; kinds; English comparative or -; passing or lasting
_TABLE = """
tired        fatigué           predicate  person animal       more tired        passing
sick         malade            predicate  person animal       -                 passing
busy         occupé            predicate  person              busier            passing
happy        heureux           predicate  person              happier           passing
sad          triste            predicate  person              sadder            passing
ready        prêt              predicate  person              -                 passing
alone        seul              predicate  person animal       -                 passing
worried      inquiet/inquiète  predicate  person              -                 passing
surprised    surpris           predicate  person              -                 passing
proud        fier              predicate  person              prouder           lasting
tall         grand             predicate  person              taller            lasting
strong       fort              predicate  person animal       stronger          lasting
weak         faible            predicate  person              weaker            lasting
poor         pauvre            predicate  person              poorer            lasting
nice         gentil/gentille   predicate  person              nicer             lasting
jealous      jaloux            predicate  person              more jealous      lasting
rich         riche             after      person              richer            lasting
famous       célèbre           after      person              more famous       lasting
brave        courageux         after      person              braver            lasting
shy          timide            after      person              shyer             lasting
lazy         paresseux         after      person              lazier            lasting
polite       poli              after      person              more polite       lasting
serious      sérieux           after      person              more serious      lasting
intelligent  intelligent       after      person dog horse    more intelligent  lasting
young        jeune             before     person              younger           lasting
old          vieux/vieille     before     person animal place vehicle furniture clothing book tree  older  lasting
beautiful    beau/belle        before     woman girl child animal house place plant ring clothing painting movie song  more beautiful  lasting
small        petit             before     animal place furniture vehicle small dish plant cake  smaller  lasting
big          grand             before     place furniture opening bag box driven boat tree  bigger  lasting
new          nouveau/nouvelle  before     clothing vehicle tool key watch bag ball furniture school store idea book song  -  lasting
good         bon               before     food drink book story poem show idea answer question restaurant  -  lasting
bad          mauvais           before     idea answer show coffee wine dream  -  lasting
long         long/longue       before     book letter story poem message show lesson dress  longer  lasting
red          rouge             after      clothing driven bike bag box ball umbrella flower dish door  -  lasting
blue         bleu              after      clothing driven bike bag box ball umbrella flower dish door  -  lasting
green        vert              after      clothing driven bike bag box ball umbrella dish door  -  lasting
white        blanc/blanche     after      clothing driven cat rabbit horse flower dish house door  -  lasting
black        noir              after      clothing driven cat dog horse furniture bag  -  lasting
yellow       jaune             after      clothing driven bike bag umbrella flower bird  -  lasting
expensive    cher              after      clothing vehicle watch bag ring computer phone furniture instrument hotel restaurant  more expensive  lasting
heavy        lourd             after      furniture bag box computer  heavier  lasting
empty        vide              predicate  glass cup bag box house park museum restaurant  -  passing
full         plein             predicate  glass cup bag box transport  -  passing
clean        propre            predicate  clothing dish room driven opening hotel house  cleaner  passing
dirty        sale              predicate  clothing dish room driven opening house  dirtier  passing
broken       cassé             predicate  dish furniture computer phone umbrella watch opening instrument bike  -  lasting
open         ouvert            predicate  opening box bag store museum library restaurant market  -  passing
closed       fermé             predicate  opening box store museum library restaurant market school  -  passing
hot          chaud             predicate  soup coffee tea milk water  -  passing
cold         froid             predicate  soup coffee tea milk water meat kitchen bedroom house  -  passing
delicious    délicieux         predicate  food drink          -                 lasting
interesting  intéressant       after      text show idea question lesson answer museum city  more interesting  lasting
boring       ennuyeux          after      text lesson movie game city  more boring  lasting
easy         facile            after      lesson question game        easier    lasting
difficult    difficile         after      lesson question game problem book  more difficult  lasting
important    important         after      message letter question problem lesson idea answer  more important  lasting
strange      étrange           after      story idea dream question answer message song person  -  lasting
dangerous    dangereux         after      dog horse game city idea    more dangerous    lasting
useful       utile             after      book tool idea answer       more useful       lasting
"""


def _adjective(
    english: str, french: str, place: str, kinds: str, comparative: str, duration: str
) -> Adjective:
    masculine, feminine = forms(french)
    return Adjective(
        english=english,
        masculine=masculine,
        feminine=feminine,
        place=place,
        kinds=kinds,
        comparative="" if comparative == "-" else comparative,
        passing=duration == "passing",
    )


ADJECTIVES = tuple(_adjective(*cells) for cells in rows(_TABLE, 6))

# Forms before a masculine singular noun that begins with a vowel sound.
BEFORE_VOWEL = {"beau": "bel", "vieux": "vieil", "nouveau": "nouvel"}

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
WEATHER = (Fixed("cold", "froid"), Fixed("hot", "chaud"), Fixed("windy", "du vent"), Fixed("dark", "nuit"))
