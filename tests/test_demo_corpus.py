import os
import re
import subprocess
import sys
import unicodedata
from collections import defaultdict
from itertools import islice
from pathlib import Path

import pytest
from grammar import corpus, french
from grammar.conjugation import Tense, conjugate, imperative, participle
from grammar.drawing import Dice
from grammar.english import ing
from grammar.lexicon import (
    ADJECTIVES,
    FREQUENCIES,
    HABITS,
    JUDGEMENTS,
    MANNERS,
    NAMES,
    NOUNS,
    PLACES,
    SENSATIONS,
    SPOTS,
    WEATHER,
)
from grammar.tokens import Token, alignment
from grammar.verbs import INTRANSITIVE, VERBS
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "data" / "demo" / "write.py"
CORPUS = ROOT / "data" / "demo" / "eng-fra.tsv"
ALIGNMENTS = CORPUS.with_suffix(".align")  # looked into by test_demo_alignment

PAIRS = [tuple(line.split("\t")) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
FRENCH = [pair[1] for pair in PAIRS]
TRANSLATIONS: dict[str, list[str]] = defaultdict(list)
for english_text, french_text in PAIRS:
    TRANSLATIONS[english_text].append(french_text)


def run(*arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    command, environment = [sys.executable, str(SCRIPT), *arguments], {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_committed_files_are_what_the_generator_writes(tmp_path: Path, hash_seed: str) -> None:
    result = run("--output", str(tmp_path / "new" / "demo.tsv"), hash_seed=hash_seed)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "new" / "demo.tsv").read_bytes() == CORPUS.read_bytes()
    assert (tmp_path / "new" / "demo.align").read_bytes() == ALIGNMENTS.read_bytes()


def test_the_number_of_pairs_is_kept(tmp_path: Path) -> None:
    assert run("--output", str(tmp_path / "small.tsv"), "--pairs", "321").returncode == 0
    assert len((tmp_path / "small.tsv").read_text(encoding="utf-8").splitlines()) == 321
    refused = run("--output", str(tmp_path / "none.tsv"), "--pairs", "0")
    assert refused.returncode == 2
    assert "--pairs must be at least 1" in refused.stderr


def test_shape_of_the_file() -> None:
    assert len(PAIRS) == len(set(PAIRS)) == 20_000
    assert all(len(pair) == 2 and all(pair) for pair in PAIRS)
    in_order = sorted(PAIRS, key=lambda pair: (len(pair[0]), pair[0]))  # stable: variants keep their order
    assert in_order == PAIRS
    data = CORPUS.read_bytes()
    assert b"\r" not in data
    assert data.endswith(b"\n")
    text = data.decode("utf-8")
    assert unicodedata.is_normalized("NFC", text)
    assert not re.search("[’\u00a0]|  |^ | $| \t|\t ", text, re.MULTILINE)


def test_sentences_are_short_and_varied() -> None:
    lengths = sorted(len(source.split()) for source in TRANSLATIONS)
    assert lengths[len(lengths) // 2] in (4, 5, 6)
    assert lengths[len(lengths) * 95 // 100] <= 10
    assert len(TRANSLATIONS) > 14_000


def test_variants_are_few_and_the_common_one_prevails() -> None:
    assert max(map(len, TRANSLATIONS.values())) == 4
    they = [targets for source, targets in TRANSLATIONS.items() if source.startswith("They ")]
    assert all(targets[0].startswith("Ils ") for targets in they)
    only_first = sum(len(targets) == 1 for targets in they) / len(they)
    assert 0.4 < only_first < 0.6


@pytest.mark.parametrize("count", [5_000, pytest.param(30_000, marks=pytest.mark.slow)])
def test_a_source_has_the_same_translations_and_alignments_wherever_it_comes_from(count: int) -> None:
    seen: dict[str, list[tuple[str, str]]] = {}
    repeated = 0
    for sentence in islice(corpus.stream(Dice(7)), count):
        found = [(target, alignment(sentence.source, target)) for target in sentence.targets]
        repeated += sentence.source in seen
        assert seen.setdefault(sentence.source, found) == found
    assert repeated > 0.02 * count


@pytest.mark.parametrize(
    "error",
    [
        r"\b(je|me|te|se|le|la|ne|de|ce|que) ([aâeéêiîoœuû]|h(?!éros|onte))",  # missing elision
        r"'(?![aâeéêèiîoœuyûh])",  # elision before a consonant
        r"'(héros|honte)",
        r"\bsi ils?\b",
        r"\bs'elles?\b",
        r"\b(à|de) les?\b",  # missing contraction
        r"\b(au|du) ([aâeéêiîoœuû]|h(?!éros))",
        r"\b(un|le|ce|mon|du|au) (petite|grande|belle|vieille|nouvelle)\b",
        r"\b(un|le|ce|mon|ton|son|notre|votre|leur) (beau|vieux|nouveau) ([aeéioœu]|h(?!éros))",
        r"\b(bel|vieil|nouvel|cet) (?![aeéioœuh])",
        r"\b(ma|ta|sa) ([aeéioœu]|h(?!éros))",
        r"\b(ai|as|a|avons|avez|ont|avai\w+|fait) pas (un|une|des|du|de la|de l')\b",  # pas de
        r"\b(pas|jamais) (acheté|vendu|mangé|vu|bu|lu|trouvé|choisi) (un|une|des|du|de la|de l')\b",
        r"[^\u202f][?!]",
        r"[a-zé]{2}\u202f\.",
        r"\bne (?!.*\b(pas|jamais|plus)\b)",
        r"-il-|--|[ae]-(il|elle)\b",
        r"\b(sont|ont|avait|y a|acheté) des (petit|grand|beaux|belles|vieux|vieilles|nouv|bon|mauvais|long|jeune)",
    ],
)
def test_french_has_no(error: str) -> None:
    assert not [target for target in FRENCH if re.search(error, target, re.IGNORECASE)][:5]


@pytest.mark.parametrize(
    "error",
    [
        r"\ba [aeio]|\ba u(?!seful)|\ban [^aeiou]|\ban useful",
        r"^(He|She|It|Tom|Mary) (do|have|are|were|am)\b",
        r"^(I|You|We|They) (does|has|is)\b",
        r"\b(doesn't|didn't|don't|won't|can't|mustn't) (went|ate|saw|took|has|is|was|gave)\b",
        r"[^.?!]$",
        r"\s[.,?!]",
        r"\bany\b(?=.*\bsome\b)",
    ],
)
def test_english_has_no(error: str) -> None:
    assert not [source for source in TRANSLATIONS if re.search(error, source)][:5]


def test_the_family_of_they_are_watching() -> None:
    assert TRANSLATIONS["They are watching."] == ["Ils regardent.", "Elles regardent."]
    for source, first in {
        "They're watching.": "Ils regardent.",
        "They are not watching.": "Ils ne regardent pas.",
        "They aren't watching.": "Ils ne regardent pas.",
        "Are they watching?": "Est-ce qu'ils regardent\u202f?",
        "We are watching.": "Nous regardons.",
        "She is watching.": "Elle regarde.",
        "You are watching.": "Tu regardes.",
    }.items():
        assert TRANSLATIONS[source][0] == first
    for verb in INTRANSITIVE:
        doing, *particle = [ing(verb.english.split()[0]), *verb.english.split()[1:]]
        sources = [" ".join([opening, doing, *particle]) for opening in ("They are", "They're", "They aren't")]
        assert all(TRANSLATIONS[f"{source}."][0].startswith("Ils ") for source in sources)


@pytest.mark.parametrize(
    ("pattern", "at_least"),
    [
        (r"^(Je|Tu|Il|Elle|Nous|Vous) (ne )?(le|la|les|l')", 100),  # object pronouns
        (r"\b(le|la|les|l') ?(lui|leur)\b", 30),
        (r"\bne .*\bjamais\b|n'.*\bjamais\b", 300),
        (r"\bplus\b", 100),
        (r"-t-(il|elle)\b", 100),
        (r"que \w+.* (achetée|écrite|perdue|trouvée|ouverte)s?\b", 20),  # agreement with a fronted object
        (r"\b(bel|vieil|nouvel) ", 20),
        (r"\b(du|de la|de l'|d')", 300),
        (r"\b(au|aux) ", 200),
        (r"^S'il", 20),
        (r"\bqu'(il|elle)s?\b", 100),
        (r"\bhéros\b", 20),
        (r"^(Où|Pourquoi|Quand|Qui|Combien|Qu'est-ce) ?", 500),
        (r"^(À|É)", 3),
    ],
)
def test_french_phenomena_are_there(pattern: str, at_least: int) -> None:
    assert sum(bool(re.search(pattern, target)) for target in FRENCH) >= at_least


def test_every_lexicon_entry_is_used_and_often() -> None:
    english = " ".join(TRANSLATIONS)
    spoken = re.sub(r"[^\w' -]", " ", " ".join(FRENCH)).replace("'", "' ")
    french_counts: dict[str, int] = defaultdict(int)
    for word in spoken.split():
        french_counts[word.lower()] += 1
    for noun in NOUNS:
        forms = {noun.french, noun.french_plural, noun.feminine}
        if " " not in noun.french:
            assert sum(french_counts[form] for form in forms if form) >= 10, noun.english
        assert re.search(rf"\b({noun.english}|{noun.english_plural})\b", english), noun.english
    for adjective in ADJECTIVES:
        forms = {adjective.in_french(gender, plural) for gender in "mf" for plural in (False, True)}
        assert sum(french_counts[form] for form in forms) >= 10, adjective.english
    for verb in VERBS:
        infinitive = verb.french.split()[1 if verb.reflexive else 0]
        stems = {conjugate(infinitive, Tense.PRESENT, 2), participle(infinitive), infinitive}
        assert sum(french_counts[stem] for stem in stems) >= 10, verb.english
    fixed = [*JUDGEMENTS, *SENSATIONS, *WEATHER, *FREQUENCIES, *HABITS, *MANNERS, *(spot for _, spot in SPOTS)]
    for phrase in (*fixed, *(place.at for place in PLACES), *(place.to for place in PLACES)):
        assert len(re.findall(rf"\b{phrase.english_words}\b", english)) >= 5, phrase
    for name, _, _ in NAMES:
        assert len(re.findall(rf"\b{name}\b", english)) > 200, name


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (["je", "ne", "le", "ai", "pas", "vu", "."], "Je ne l'ai pas vu."),
        (["ce", "est", "le", "ami", "de", "le", "héros", "."], "C'est l'ami du héros."),
        (["si", "il", "va", "à", "le", "hôtel", "?"], "S'il va à l'hôtel\u202f?"),
        (["si", "elle", "va", "à", "les", "États-Unis", "!"], "Si elle va aux États-Unis\u202f!"),
        (["à", "qui", "parle", "-t-il", "?"], "À qui parle-t-il\u202f?"),
        (["il", "ne", "y", "a", "pas", "de", "œuf", "."], "Il n'y a pas d'œuf."),
    ],
)
def test_joining_french(tokens: list[str], text: str) -> None:
    assert french.join([Token(token) for token in tokens]) == text


@pytest.mark.parametrize(
    ("infinitive", "tense", "forms"),
    [
        ("manger", Tense.PRESENT, "mange manges mange mangeons mangez mangent"),
        ("manger", Tense.IMPERFECT, "mangeais mangeais mangeait mangions mangiez mangeaient"),
        ("acheter", Tense.FUTURE, "achèterai achèteras achètera achèterons achèterez achèteront"),
        ("appeler", Tense.PRESENT, "appelle appelles appelle appelons appelez appellent"),
        ("espérer", Tense.FUTURE, "espérerai espéreras espérera espérerons espérerez espéreront"),
        ("comprendre", Tense.PRESENT, "comprends comprends comprend comprenons comprenez comprennent"),
        ("revenir", Tense.FUTURE, "reviendrai reviendras reviendra reviendrons reviendrez reviendront"),
        ("être", Tense.IMPERFECT, "étais étais était étions étiez étaient"),
        ("choisir", Tense.PRESENT, "choisis choisis choisit choisissons choisissez choisissent"),
    ],
)
def test_conjugation(infinitive: str, tense: Tense, forms: str) -> None:
    assert [conjugate(infinitive, tense, slot) for slot in range(6)] == forms.split()


def test_imperatives_of_er_verbs_lose_their_s() -> None:
    forms = [imperative(verb, 1) for verb in ("regarder", "aller", "ouvrir", "lire")]
    assert forms == ["regarde", "va", "ouvre", "lis"]


@given(st.integers(0, 10_000))
def test_any_seed_gives_whole_sentences_with_links_to_every_word(seed: int) -> None:
    dice = Dice(seed)
    for _ in range(20):
        sentence = corpus.by_chance(dice)
        for target in sentence.targets:
            assert target[-1] == sentence.source[-1]
            assert target[0].isupper()
            assert "-" not in target.split()  # no token is left without its word
            assert_all_words_are_linked(sentence.source, target, alignment(sentence.source, target))


def links(line: str) -> list[tuple[int, int]]:
    return [(int(source), int(target)) for source, _, target in (link.partition("-") for link in line.split())]


def assert_all_words_are_linked(source: str, target: str, line: str) -> None:
    assert {i for i, _ in links(line)} == set(range(len(source.split()))), (source, target, line)
    assert {j for _, j in links(line)} == set(range(len(target.split()))), (source, target, line)


def test_dice_do_not_depend_on_the_python_version() -> None:
    dice = Dice(2015)
    assert [dice.pick("abcdefghij") for _ in range(12)] == list("hgjbgagejhfh")
