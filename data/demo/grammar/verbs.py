"""The verbs, by their complements."""

from grammar.words import Aspect, Verb

EVENT, ACCIDENT, STATE = Aspect.EVENT, Aspect.ACCIDENT, Aspect.STATE
WHOLE, MODAL = Aspect.WHOLE, Aspect.MODAL

BE = Verb("be", "être", STATE)
BE_HAVING = Verb("be", "avoir", STATE)  # be hungry -> avoir faim
BE_WEATHER = Verb("be", "faire", STATE)  # it is cold -> il fait froid
THERE_BE = Verb("be", "avoir", STATE, existential=True)  # there is -> il y a
GO = Verb("go", "aller", etre=True)

INTRANSITIVE = (
    Verb("watch", "regarder"),
    Verb("wait", "attendre", places="home outside school church work dining stop", company=True),
    Verb("listen", "écouter"),
    Verb("sing", "chanter", places="home outside school church", company=True, manners="well"),
    Verb("dance", "danser", places="home outside", company=True, manners="well"),
    Verb("work", "travailler", places="home school quiet work dining stop city country", company=True, manners="hard"),
    Verb("study", "étudier", places="home school quiet city country", company=True, manners="hard"),
    Verb("sleep", "dormir", places="home outside", manners="well"),
    Verb("eat", "manger", places="home outside school work dining", company=True, manners="well slowly fast"),
    Verb("drink", "boire"),
    Verb("read", "lire", places="home outside school quiet", manners="slowly fast"),
    Verb("write", "écrire", places="home quiet", manners="well slowly"),
    Verb("cook", "cuisiner", places="home", company=True, manners="well"),
    Verb("play", "jouer", places="home outside school", company=True, manners="well"),
    Verb("talk", "parler", places="home outside school work dining stop", manners="slowly fast"),
    Verb("think", "réfléchir"),
    Verb("cry", "pleurer", places="home outside school"),
    Verb("laugh", "rire"),
    Verb("smile", "sourire"),
    Verb("shout", "crier", places="outside"),
    Verb("lie", "mentir"),
    Verb("dream", "rêver", willed=False),
    Verb("smoke", "fumer", places="home outside"),
    Verb("walk", "marcher", places="outside", company=True, manners="slowly fast"),
    Verb("run", "courir", places="outside", company=True, manners="fast"),
    Verb("swim", "nager", company=True, manners="well fast"),
    Verb("drive", "conduire", manners="well slowly fast"),
    Verb("travel", "voyager", places="country", company=True),
    Verb("win", "gagner"),
    Verb("lose", "perdre", willed=False),
    Verb("leave", "partir", etre=True),
    Verb("arrive", "arriver", etre=True, willed=False),
    Verb("go out", "sortir", etre=True, company=True),
    Verb("come back", "revenir", etre=True),
    Verb("fall", "tomber", etre=True, willed=False),
    Verb("rest", "se reposer", reflexive=True, places="home outside"),
    Verb("hurry", "se dépêcher", reflexive=True),
    Verb("get up", "se lever", reflexive=True),
    Verb("wake up", "se réveiller", reflexive=True),
    Verb("get dressed", "se habiller", reflexive=True),
    Verb("have fun", "se amuser", reflexive=True, places="home outside school city country", company=True),
)

DISCOURAGED = tuple(verb for verb in INTRANSITIVE if verb.english in ("cry", "lie", "shout", "smoke"))

TRANSITIVE = (
    Verb("eat", "manger", objects="food"),
    Verb("drink", "boire", objects="drink"),
    Verb("read", "lire", objects="text"),
    Verb("write", "écrire", objects="book letter poem message story", once=True),
    Verb("watch", "regarder", objects="movie game bird child"),
    Verb("look at", "regarder", objects="kin person animal photo painting map watch tree house"),
    Verb("listen to", "écouter", objects="kin person tale bird"),
    Verb("look for", "chercher", objects="kin animal small clothing text station hotel museum", once=True),
    Verb("wait for", "attendre", objects="kin person transport letter answer"),
    Verb("see", "voir", WHOLE, "kin person animal vehicle place painting small"),
    Verb("hear", "entendre", WHOLE, "kin person dog bird cow tale car train"),
    Verb("understand", "comprendre", WHOLE, "kin person text thought"),
    Verb("find", "trouver", EVENT, "small clothing text animal answer mistake child money"),
    Verb("lose", "perdre", ACCIDENT, "small clothing book letter money"),
    Verb("forget", "oublier", ACCIDENT, "small clothing book lesson song question secret dream"),
    Verb("meet", "rencontrer", EVENT, "kin person"),
    Verb("choose", "choisir", EVENT, "clothing text food small painting vehicle movie"),
    Verb("break", "casser", ACCIDENT, "dish lamp chair computer phone watch window"),
    Verb("buy", "acheter", objects="food drink text object clothing vehicle flower house", once=True),
    Verb("sell", "vendre", objects="object clothing vehicle house book painting dog horse cow", once=True),
    Verb("like", "aimer", STATE, "animal food drink text show place"),
    Verb("love", "aimer", STATE, "kin person"),
    Verb("hate", "détester", STATE, "animal food drink place show lesson"),
    Verb("know", "connaître", STATE, "kin person tale secret museum city village restaurant"),
    Verb("want", "vouloir", STATE, "food drink object clothing animal vehicle money"),
    Verb("have", "avoir", STATE, "animal food drink text object clothing vehicle thought money garden house"),
    Verb("help", "aider", objects="kin person"),
    Verb("call", "appeler", objects="kin person dog"),
    Verb("invite", "inviter", WHOLE, "kin person"),
    Verb("thank", "remercier", WHOLE, "kin person"),
    Verb("follow", "suivre", objects="kin person animal driven", once=True),
    Verb("visit", "visiter", objects="museum castle church city village house school park"),
    Verb("open", "ouvrir", objects="opening box bag store"),
    Verb("close", "fermer", objects="opening box bag store book"),
    Verb("wash", "laver", objects="dog horse clothing dish driven apple tomato potato"),
    Verb("clean", "nettoyer", objects="room house table bike knife shoe window"),
    Verb("carry", "porter", objects="bag box chair table child"),
    Verb("wear", "porter", objects="clothing ring watch"),
    Verb("drive", "conduire", objects="driven bus"),
    Verb("repair", "réparer", objects="vehicle furniture computer phone watch instrument opening", once=True),
    Verb("use", "utiliser", objects="tool"),
    Verb("hide", "cacher", objects="small money letter", once=True),
    Verb("take", "prendre", objects="transport bag umbrella key map coat money"),
    Verb("paint", "peindre", objects="house room opening chair table flower tree", once=True),
    Verb("draw", "dessiner", objects="animal plant house map", once=True),
    Verb("learn", "apprendre", objects="lesson song poem", once=True),
    Verb("sing", "chanter", objects="song"),
    Verb("cut", "couper", objects="bread meat cheese cake apple tomato potato tree", once=True),
    Verb("prepare", "préparer", objects="soup fish meat rice coffee tea sandwich cake"),
    Verb("build", "construire", objects="house school hospital church boat castle", once=True),
)

# Pronouns for the person addressed become lui and leur.
DATIVE = (
    Verb("talk to", "parler", objects="kin person", preposition="à"),
    Verb("answer", "répondre", objects="kin person", preposition="à"),
    Verb("write to", "écrire", objects="kin person", preposition="à"),
    Verb("smile at", "sourire", objects="kin person", preposition="à"),
    Verb("obey", "obéir", WHOLE, "kin person", preposition="à"),
)

# Only with nouns, for their pronouns (en, y, de lui) would need a grammar of their own.
OBLIQUE = (
    Verb("talk about", "parler", objects="kin person tale movie book problem dream", preposition="de"),
    Verb("need", "avoir besoin", STATE, "kin doctor teacher object clothing vehicle house", preposition="de"),
    Verb("remember", "se souvenir", STATE, "kin tale movie city house", preposition="de", reflexive=True),
    Verb("play", "jouer", objects="instrument", preposition="de"),
)

DITRANSITIVE = (
    Verb("give", "donner", objects="text small money flower clothing"),
    Verb("show", "montrer", objects="text small clothing house room vehicle painting"),
    Verb("send", "envoyer", objects="text small money flower"),
    Verb("lend", "prêter", objects="book small clothing tool vehicle money guitar violin"),
    Verb("bring", "apporter", objects="food drink text small dish chair flower"),
    Verb("sell", "vendre", objects="object vehicle house", once=True),
    Verb("explain", "expliquer", objects="lesson problem mistake game idea story"),
)

CAN = Verb("can", "pouvoir", MODAL)
MUST = Verb("must", "devoir", MODAL)
WANT_TO = Verb("want to", "vouloir", STATE)
HAVE_TO = Verb("have to", "devoir", MODAL)
LIKE_TO = Verb("like to", "aimer", STATE)
GOING_TO = Verb("be going to", "aller", MODAL)
WITH_INFINITIVE = (CAN, MUST, WANT_TO, LIKE_TO, HAVE_TO, GOING_TO)

# They take a clause: I think that he is tired.
OPINION = (
    Verb("think", "penser", STATE),
    Verb("know", "savoir", STATE),
    Verb("say", "dire", STATE),
    Verb("hope", "espérer", STATE),
)

OPINION_OF_MINE = tuple(verb for verb in OPINION if verb.english != "say")

RAIN = Verb("rain", "pleuvoir")
SNOW = Verb("snow", "neiger")

VERBS = (
    *(BE, BE_HAVING, BE_WEATHER, THERE_BE, GO, RAIN, SNOW),
    *(*INTRANSITIVE, *TRANSITIVE, *DATIVE, *OBLIQUE, *DITRANSITIVE),
    *(*WITH_INFINITIVE, *OPINION),
)


def named(verbs: tuple[Verb, ...], *english: str) -> tuple[Verb, ...]:
    """The verbs with these English names."""
    return tuple(verb for verb in verbs if verb.english in english)
