"""French conjugation: four tenses, the imperative and the participle of the lexicon's verbs."""

from enum import Enum

from grammar.tables import rows

Slot = int  # 0..5 = je, tu, il, nous, vous, ils

PRESENT = {
    "er": ("e", "es", "e", "ons", "ez", "ent"),
    "ir": ("is", "is", "it", "issons", "issez", "issent"),
    "re": ("s", "s", "", "ons", "ez", "ent"),
}
IMPERFECT = ("ais", "ais", "ait", "ions", "iez", "aient")
FUTURE = ("ai", "as", "a", "ons", "ez", "ont")


class Tense(Enum):
    """The simple tenses; the passé composé is an auxiliary in the present plus a participle."""

    PRESENT = "présent"
    IMPERFECT = "imparfait"
    FUTURE = "futur"


# Compounds find their model by its ending: apprendre and comprendre conjugate like prendre. Of pleuvoir there is only
# il; nous gives the stem.
_IRREGULAR = {row["infinitive"]: row for row in rows("french_verbs")}

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
        return prefix + model["participle"]
    ending = {"er": "é", "ir": "i", "re": "u"}[infinitive[-2:]]
    return infinitive[:-2] + ending


def _model(infinitive: str) -> tuple[str, dict[str, str] | None]:
    """The prefix and the irregular base verb of this infinitive (re + venir); no base if it is regular."""
    for length in range(len(infinitive), 0, -1):
        if infinitive[-length:] in _IRREGULAR:
            return infinitive[:-length], _IRREGULAR[infinitive[-length:]]
    return "", None


def _present(infinitive: str, slot: Slot) -> str:
    prefix, model = _model(infinitive)
    if model:
        return prefix + model["present"].split()[slot]
    stem, ending = infinitive[:-2], infinitive[-2:]
    if ending == "er" and slot == 3:
        stem = stem + "e" if stem.endswith("g") else stem
        stem = stem[:-1] + "ç" if stem.endswith("c") else stem
    elif ending == "er" and slot != 4:
        stem = _MUTE.get(stem, stem)
    return stem + PRESENT[ending][slot]


def _future_stem(infinitive: str) -> str:
    prefix, model = _model(infinitive)
    if model:
        return prefix + model["future"]
    if infinitive.endswith("re"):
        return infinitive[:-1]
    stem = infinitive[:-2]
    if infinitive.endswith("er") and stem != "espér":
        stem = _MUTE.get(stem, stem)
    return stem + infinitive[-2:]
