"""The demo corpus is what its grammar writes, and the grammar writes sound sentences and links."""

import os
import re
import subprocess
import sys
import unicodedata
from itertools import islice
from pathlib import Path

import pytest
from grammar import corpus, english, french
from grammar.conjugation import Tense, conjugate, imperative
from grammar.drawing import Dice
from grammar.tokens import Line, Token, alignment, under
from grammar.words import Fixed
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT

SCRIPT = ROOT / "data/demo/write.py"
CORPUS = ROOT / "data/demo/eng-fra.tsv"
ALIGNMENTS = CORPUS.with_suffix(".align")


def write(*arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    command, environment = [sys.executable, str(SCRIPT), *arguments], {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def links(line: str) -> list[tuple[int, int]]:
    return [(int(source), int(target)) for source, _, target in (link.partition("-") for link in line.split())]


def assert_all_words_are_linked(source: str, target: str, line: str) -> None:
    assert {i for i, _ in links(line)} == set(range(len(source.split()))), (source, target, line)
    assert {j for _, j in links(line)} == set(range(len(target.split()))), (source, target, line)


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_committed_files_are_what_the_grammar_writes(tmp_path: Path, hash_seed: str) -> None:
    result = write("--output", str(tmp_path / "new" / "demo.tsv"), hash_seed=hash_seed)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "new" / "demo.tsv").read_bytes() == CORPUS.read_bytes()
    assert (tmp_path / "new" / "demo.align").read_bytes() == ALIGNMENTS.read_bytes()


def test_options_of_the_writer(tmp_path: Path) -> None:
    assert write("--output", str(tmp_path / "small.tsv"), "--pairs", "321").returncode == 0
    assert len((tmp_path / "small.tsv").read_text(encoding="utf-8").splitlines()) == 321
    for arguments, message in ((["--pairs", "0"], "at least 1"), (["--output", "x.align"], "must not end in .align")):
        refused = write("--output", str(tmp_path / "none.tsv"), *arguments)
        assert refused.returncode == 2
        assert message in refused.stderr


def test_shape_of_the_files() -> None:
    text = CORPUS.read_bytes().decode("utf-8")
    pairs = [line.split("\t") for line in text.splitlines()]
    alignments = ALIGNMENTS.read_text(encoding="utf-8").splitlines()
    assert len(pairs) == len(set(map(tuple, pairs))) == len(alignments) == 20_000
    assert sorted(pairs, key=lambda pair: (len(pair[0]), pair[0])) == pairs
    assert "\r" not in text
    assert text.endswith("\n")
    assert unicodedata.is_normalized("NFC", text)
    for (source, target), line in zip(pairs, alignments, strict=True):
        assert_all_words_are_linked(source, target, line)
        assert links(line) == sorted(set(links(line)))


@pytest.mark.parametrize("count", [5_000, pytest.param(30_000, marks=pytest.mark.slow)])
def test_a_source_has_the_same_translations_and_alignments_wherever_it_comes_from(count: int) -> None:
    seen: dict[str, list[tuple[str, str]]] = {}
    repeated = 0
    for sentence in islice(corpus.stream(Dice(7)), count):
        variants = [(target, alignment(sentence.source, target)) for target in sentence.targets]
        repeated += sentence.source in seen
        assert seen.setdefault(sentence.source, variants) == variants
    assert repeated > 0.02 * count


WRONG_FRENCH = [
    r"\b(je|me|te|se|le|la|ne|de|ce|que) ([aâeéêiîoœuû]|h(?!éros|onte))",  # missing elision
    r"'(?![aâeéêèiîoœuyûh])|'(héros|honte)",  # elision before a consonant
    r"\bsi ils?\b|\bs'elles?\b",
    r"\b(à|de) les?\b|\b(au|du) ([aâeéêiîoœuû]|h(?!éros))",  # contraction
    r"\b(un|le|ce|mon|du|au) (petite|grande|belle|vieille|nouvelle)\b",
    r"\b(un|le|ce|mon|ton|son|notre|votre|leur) (beau|vieux|nouveau) ([aeéioœu]|h(?!éros))",
    r"\b(bel|vieil|nouvel|cet) (?![aeéioœuh])|\b(ma|ta|sa) ([aeéioœu]|h(?!éros))",
    r"\b(ai|as|a|avons|avez|ont|avai\w+|fait) pas (un|une|des|du|de la|de l')\b",  # pas de
    r"[^\u202f][?!]|[a-zé]{2}\u202f\.",
    r"\bne (?!.*\b(pas|jamais|plus)\b)",
    r"-il-|--|[ae]-(il|elle)\b",
]
WRONG_ENGLISH = [
    r"\ba [aeio]|\ba u(?!seful)|\ban [^aeiou]|\ban useful",
    r"^(He|She|It|Tom|Mary) (do|have|are|were|am)\b|^(I|You|We|They) (does|has|is)\b",
    r"\b(doesn't|didn't|don't|won't|can't|mustn't) (went|ate|saw|took|has|is|was|gave)\b",
    r"[^.?!]$|\s[.,?!]",
]


@given(st.integers(0, 10_000))
def test_any_seed_gives_sound_sentences_with_links_to_every_word(seed: int) -> None:
    dice = Dice(seed)
    for _ in range(20):
        sentence = corpus.by_chance(dice)
        assert not [error for error in WRONG_ENGLISH if re.search(error, sentence.source)], sentence.source
        for target in sentence.targets:
            assert target[-1] == sentence.source[-1]
            assert target[0].isupper()
            assert "-" not in target.split()  # no token is left without its word
            assert not [error for error in WRONG_FRENCH if re.search(error, target, re.IGNORECASE)], target
            assert_all_words_are_linked(sentence.source, target, alignment(sentence.source, target))


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("je ne le ai pas vu .", "Je ne l'ai pas vu."),
        ("ce est le ami de le héros .", "C'est l'ami du héros."),
        ("si il va à le hôtel ?", "S'il va à l'hôtel\u202f?"),
        ("si elle va à les États-Unis !", "Si elle va aux États-Unis\u202f!"),
        ("à qui parle -t-il ?", "À qui parle-t-il\u202f?"),
        ("il ne y a pas de œuf .", "Il n'y a pas d'œuf."),
    ],
)
def test_joining_french(tokens: str, text: str) -> None:
    assert french.join([Token(token) for token in tokens.split()]) == text


@pytest.mark.parametrize(
    ("infinitive", "tense", "forms"),
    [
        ("manger", Tense.IMPERFECT, "mangeais mangeais mangeait mangions mangiez mangeaient"),
        ("acheter", Tense.FUTURE, "achèterai achèteras achètera achèterons achèterez achèteront"),
        ("espérer", Tense.FUTURE, "espérerai espéreras espérera espérerons espérerez espéreront"),
        ("comprendre", Tense.PRESENT, "comprends comprends comprend comprenons comprenez comprennent"),
        ("être", Tense.IMPERFECT, "étais étais était étions étiez étaient"),
    ],
)
def test_conjugation(infinitive: str, tense: Tense, forms: str) -> None:
    assert [conjugate(infinitive, tense, slot) for slot in range(6)] == forms.split()


def test_imperatives_of_er_verbs_lose_their_s() -> None:
    assert [imperative(verb, 1) for verb in ("regarder", "aller", "ouvrir", "lire")] == [
        "regarde",
        "va",
        "ouvre",
        "lis",
    ]


def test_joining_unites_the_keys_of_what_it_merges() -> None:
    tokens = [Token("ce", "1"), Token("est", "2"), Token("à", "3"), Token("les", "4"), Token("pommes de terre", "5")]
    line = french.join([*tokens, Token("!", "6")])
    assert line == "C'est aux pommes de terre\u202f!"
    assert line.meanings() == [{"1", "2"}, {"3", "4"}, {"5"}, {"5"}, {"5"}, {"6"}]
    line = english.join([Token("he", "1"), Token("will", "2"), Token("n't", "3"), Token("sing", "4"), Token("!", "5")])
    assert line == "He won't sing!"
    assert line.meanings() == [{"1"}, {"2", "3"}, {"4", "5"}]


def test_a_full_stop_belongs_to_its_word() -> None:
    source = english.join([Token("see", "verb"), Token("her", "pronoun"), Token(".", "mark")])
    target = french.join([Token("la", "pronoun"), Token("voir", "verb"), Token(".", "mark")])
    assert alignment(source, target) == "0-1 1-0"


def test_tokens_and_lines_are_equal_to_their_text() -> None:
    assert {Token("dog", "noun")} == {"dog"} == {*under("subject", [Token("dog", "noun")])}
    assert {Line([Token("dog", "noun"), Token(" barks")])} == {"Dog barks"}


def test_fixed_phrases_tell_which_words_they_translate() -> None:
    phrase = Fixed("in front of it", "là4 devant123")
    assert [token.keys for token in phrase.french_tokens] == [("4",), ("1", "2", "3")]
    with pytest.raises(ValueError, match="does not tell which words"):
        Fixed("at home", "à la2 maison2")


def test_dice_do_not_depend_on_the_python_version() -> None:
    dice = Dice(2015)
    assert [dice.pick("abcdefghij") for _ in range(12)] == list("hgjbgagejhfh")
