"""French conjugation: four tenses, the imperative and the participle of the lexicon's verbs."""

from dataclasses import dataclass
from enum import Enum

Slot = int  # 0..5 = je, tu, il, nous, vous, ils

PRESENT_ER = ("e", "es", "e", "ons", "ez", "ent")
PRESENT_IR = ("is", "is", "it", "issons", "issez", "issent")
PRESENT_RE = ("s", "s", "", "ons", "ez", "ent")
IMPERFECT = ("ais", "ais", "ait", "ions", "iez", "aient")
FUTURE = ("ai", "as", "a", "ons", "ez", "ont")


class Tense(Enum):
    """The simple tenses; the passé composé is an auxiliary in the present plus a participle."""

    PRESENT = "présent"
    IMPERFECT = "imparfait"
    FUTURE = "futur"


@dataclass(frozen=True)
class _Irregular:
    present: tuple[str, ...]
    participle: str
    future: str  # stem


def _irregular(present: str, participle: str, future: str) -> _Irregular:
    return _Irregular(tuple(present.split()), participle, future)


# Compounds find their model by its ending: apprendre and comprendre conjugate like prendre.
_IRREGULAR = {
    "aller": _irregular("vais vas va allons allez vont", "allé", "ir"),
    "avoir": _irregular("ai as a avons avez ont", "eu", "aur"),
    "boire": _irregular("bois bois boit buvons buvez boivent", "bu", "boir"),
    "conduire": _irregular("conduis conduis conduit conduisons conduisez conduisent", "conduit", "conduir"),
    "connaître": _irregular("connais connais connaît connaissons connaissez connaissent", "connu", "connaîtr"),
    "construire": _irregular(
        "construis construis construit construisons construisez construisent", "construit", "construir"
    ),
    "courir": _irregular("cours cours court courons courez courent", "couru", "courr"),
    "devoir": _irregular("dois dois doit devons devez doivent", "dû", "devr"),
    "dire": _irregular("dis dis dit disons dites disent", "dit", "dir"),
    "dormir": _irregular("dors dors dort dormons dormez dorment", "dormi", "dormir"),
    "envoyer": _irregular("envoie envoies envoie envoyons envoyez envoient", "envoyé", "enverr"),
    "faire": _irregular("fais fais fait faisons faites font", "fait", "fer"),
    "lire": _irregular("lis lis lit lisons lisez lisent", "lu", "lir"),
    "mentir": _irregular("mens mens ment mentons mentez mentent", "menti", "mentir"),
    "ouvrir": _irregular("ouvre ouvres ouvre ouvrons ouvrez ouvrent", "ouvert", "ouvrir"),
    "partir": _irregular("pars pars part partons partez partent", "parti", "partir"),
    "peindre": _irregular("peins peins peint peignons peignez peignent", "peint", "peindr"),
    "pleuvoir": _irregular("- - pleut pleuvons - -", "plu", "pleuvr"),  # only il; nous gives the stem
    "pouvoir": _irregular("peux peux peut pouvons pouvez peuvent", "pu", "pourr"),
    "prendre": _irregular("prends prends prend prenons prenez prennent", "pris", "prendr"),
    "rire": _irregular("ris ris rit rions riez rient", "ri", "rir"),
    "savoir": _irregular("sais sais sait savons savez savent", "su", "saur"),
    "sortir": _irregular("sors sors sort sortons sortez sortent", "sorti", "sortir"),
    "suivre": _irregular("suis suis suit suivons suivez suivent", "suivi", "suivr"),
    "venir": _irregular("viens viens vient venons venez viennent", "venu", "viendr"),
    "voir": _irregular("vois vois voit voyons voyez voient", "vu", "verr"),
    "vouloir": _irregular("veux veux veut voulons voulez veulent", "voulu", "voudr"),
    "écrire": _irregular("écris écris écrit écrivons écrivez écrivent", "écrit", "écrir"),
    "être": _irregular("suis es est sommes êtes sont", "été", "ser"),
}

# Stems that change before a mute e: je me lève, il achètera. The é verbs keep é in the future.
_MUTE = {"achet": "achèt", "lev": "lèv", "appel": "appell", "nettoy": "nettoi", "espér": "espèr"}


def conjugate(infinitive: str, tense: Tense, slot: Slot) -> str:
    """One finite form, without its pronoun."""
    if tense is Tense.PRESENT:
        return _present(infinitive, slot)
    if tense is Tense.FUTURE:
        return _future_stem(infinitive) + FUTURE[slot]
    stem = "ét" if infinitive == "être" else _present(infinitive, 3).removesuffix("ons")
    ending = IMPERFECT[slot]
    # The softening of nous mangeons and nous commençons is not needed before i.
    if ending.startswith("i"):
        stem = stem.replace("ç", "c")
        stem = stem[:-1] if stem.endswith("ge") else stem
    return stem + ending


def imperative(infinitive: str, slot: Slot) -> str:
    """The command to tu, nous or vous."""
    form = _present(infinitive, slot)
    drops_s = slot == 1 and form.endswith(("es", "as"))  # regarde ! va ! but lis !
    return form[:-1] if drops_s else form


def participle(infinitive: str) -> str:
    """The masculine singular past participle."""
    prefix, model = _model(infinitive)
    if model:
        return prefix + model.participle
    ending = {"er": "é", "ir": "i", "re": "u"}[infinitive[-2:]]
    return infinitive[:-2] + ending


def _model(infinitive: str) -> tuple[str, _Irregular | None]:
    """The prefix and the irregular base verb of this infinitive (re + venir); no base if it is regular."""
    for length in range(len(infinitive), 0, -1):
        if infinitive[-length:] in _IRREGULAR:
            return infinitive[:-length], _IRREGULAR[infinitive[-length:]]
    return "", None


def _present(infinitive: str, slot: Slot) -> str:
    prefix, model = _model(infinitive)
    if model:
        return prefix + model.present[slot]
    stem, ending = infinitive[:-2], infinitive[-2:]
    if ending == "ir":
        return stem + PRESENT_IR[slot]
    if ending == "re":
        return stem + PRESENT_RE[slot]
    if slot == 3:
        stem = stem + "e" if stem.endswith("g") else stem
        stem = stem[:-1] + "ç" if stem.endswith("c") else stem
    if slot not in (3, 4):
        stem = _MUTE.get(stem, stem)
    return stem + PRESENT_ER[slot]


def _future_stem(infinitive: str) -> str:
    prefix, model = _model(infinitive)
    if model:
        return prefix + model.future
    if infinitive.endswith("re"):
        return infinitive[:-1]
    stem = infinitive[:-2]
    if infinitive.endswith("er") and stem != "espér":
        stem = _MUTE.get(stem, stem)
    return stem + infinitive[-2:]
