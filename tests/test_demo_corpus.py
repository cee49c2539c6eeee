"""The demo corpus is what its grammar writes, and the grammar writes sound sentences and links."""

import os
import re
import subprocess
import sys
import unicodedata
from itertools import islice
from pathlib import Path

from grammar import corpus
from grammar.drawing import Dice
from grammar.tokens import alignment
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT

SCRIPT = ROOT / "data/demo/write.py"
CORPUS = ROOT / "data/demo/eng-fra.tsv"
ALIGNMENTS = CORPUS.with_suffix(".align")


def write(*arguments: str) -> subprocess.CompletedProcess[str]:
    command, environment = [sys.executable, str(SCRIPT), *arguments], os.environ | {"PYTHONHASHSEED": "random"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def links(line: str) -> list[tuple[int, int]]:
    return [(int(source), int(target)) for source, _, target in (link.partition("-") for link in line.split())]


def assert_all_words_are_linked(source: str, target: str, line: str) -> None:
    assert {i for i, _ in links(line)} == set(range(len(source.split()))), (source, target, line)
    assert {j for _, j in links(line)} == set(range(len(target.split()))), (source, target, line)


def test_the_committed_files_are_what_the_grammar_writes(tmp_path: Path) -> None:
    result = write("--output", str(tmp_path / "new" / "demo.tsv"))
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


def test_a_source_has_the_same_translations_and_alignments_wherever_it_comes_from() -> None:
    seen: dict[str, list[tuple[str, str]]] = {}
    repeated = 0
    for sentence in islice(corpus.stream(Dice(7)), 5_000):
        variants = [(target, alignment(sentence.source, target)) for target in sentence.targets]
        repeated += sentence.source in seen
        assert seen.setdefault(sentence.source, variants) == variants
    assert repeated > 100


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
