import re
from collections import Counter
from pathlib import Path

import pytest
from grammar import english, french
from grammar.tokens import Line, Token, alignment, under
from grammar.words import Fixed

from tests.test_demo_corpus import ALIGNMENTS, PAIRS, assert_all_words_are_linked, links, run

LINES = ALIGNMENTS.read_text(encoding="utf-8").splitlines()
BY_PAIR = dict(zip(PAIRS, LINES, strict=True))


def gloss(source: str, target: str, line: str) -> str:
    """Each French word with the English words it is linked to: Ils=They regardent.=are+watching."""
    words = source.split()
    return " ".join(
        f"{word}={'+'.join(words[i] for i, j in links(line) if j == place)}"
        for place, word in enumerate(target.split())
    )


def test_the_alignments_do_not_overwrite_the_pairs(tmp_path: Path) -> None:
    refused = run("--output", str(tmp_path / "demo.align"), "--pairs", "3")
    assert refused.returncode == 2
    assert "must not end in .align" in refused.stderr


def test_shape_of_the_file() -> None:
    assert len(LINES) == len(PAIRS)
    assert ALIGNMENTS.read_bytes().endswith(b"\n")
    for line in LINES:
        assert re.fullmatch(r"\d+-\d+( \d+-\d+)*", line)
        assert links(line) == sorted(set(links(line)))


def test_links_are_in_range_and_no_word_is_left_out() -> None:
    for (source, target), line in BY_PAIR.items():
        assert_all_words_are_linked(source, target, line)


def test_most_french_words_have_one_link() -> None:
    places = [Counter(target for _, target in links(line)) for line in LINES]
    counts = [count for words in places for count in words.values()]
    assert round(100 * counts.count(1) / len(counts)) == 83  # as the README of the corpus says


@pytest.mark.parametrize(
    ("source", "glosses"),
    [
        # tense: the auxiliary goes with the word that carries the tense
        ("They are watching.", "Ils=They regardent.=are+watching."),
        ("They're watching.", "Ils=They're regardent.=They're+watching."),
        ("Mary will never paint this bedroom.", "Marie=Mary ne=never peindra=will+paint jamais=never cette=this "
         "chambre.=bedroom."),
        ("Julie read.", "Julie=Julie a=read. lu.=read."),
        ("Their aunt has never lied.", "Leur=Their tante=aunt n'a=has+never jamais=never menti.=lied."),
        ("You did not look for Mary's horse.", "Tu=You n'as=did+not pas=not cherché=look+for le=horse. cheval=horse. "
         "de=Mary's Marie.=Mary's"),
        # order
        ("They wore some red shoes.", "Ils=They ont=wore porté=wore des=some chaussures=shoes. rouges.=red"),
        ("The flower is more beautiful than the tree.", "La=The fleur=flower est=is plus=more belle=beautiful que=than "
         "l'arbre.=the+tree."),
        ("I am richer than them.", "Je=I suis=am plus=richer riche=richer qu'eux.=than+them."),
        ("Your father's hat is expensive.", "Le=hat chapeau=hat de=father's ton=Your père=father's est=is "
         "cher.=expensive."),
        ("Mary will write the long letter next year.", "Marie=Mary écrira=will+write la=the longue=long lettre=letter "
         "l'année=year. prochaine.=next"),
        ("Here is the chair that he broke.", "Voici=Here+is la=the chaise=chair qu'il=that+he a=broke. cassée.=broke."),
        # object pronouns
        ("You're lending it to me now.", "Tu=You're me=to+me le=it prêtes=You're+lending maintenant.=now."),
        ("We have already lent it to you.", "Nous=We te=to+you. l'avons=have+it déjà=already prêté.=lent"),
        ("They have already talked to him.", "Ils=They lui=to+him. ont=have déjà=already parlé.=talked"),
        ("Were they waiting for me?", "Est-ce=Were qu'ils=Were+they m'attendaient=Were+waiting+for+me? ?=me?"),
        ("You are waking up.", "Tu=You te=waking+up. réveilles.=are+waking+up."),
        # negation
        ("Julie doesn't drink.", "Julie=Julie ne=doesn't boit=doesn't+drink. pas.=doesn't"),
        ("He isn't at the office anymore.", "Il=He n'est=isn't plus=anymore. au=at+the bureau.=office"),
        ("There weren't any cats under the bed.", "Il=There n'y=There+weren't avait=weren't pas=weren't de=any "
         "chats=cats sous=under le=the lit.=bed."),
        ("Their neighbor cannot come back.", "Leur=Their voisin=neighbor ne=cannot peut=cannot pas=cannot "
         "revenir.=come+back."),
        # questions
        ("Did he bring his new watch to their grandfather?", "Est-ce=Did qu'il=Did+he a=Did apporté=bring sa=his "
         "nouvelle=new montre=watch à=to leur=their grand-père=grandfather? ?=grandfather?"),
        ("What did she forget?", "Qu'est-ce=What qu'elle=What+she a=did oublié=forget? ?=forget?"),
        ("Where did she run?", "Où=Where a-t-elle=did+she couru=run? ?=run?"),
        ("Why isn't Emma waking up?", "Pourquoi=Why Emma=Emma ne=isn't se=waking+up? réveille-t-elle=isn't+waking+up? "
         "pas=isn't ?=up?"),
        ("How many potatoes did Tom eat?", "Combien=How+many de=How+many pommes=potatoes de=potatoes terre=potatoes "
         "Tom=Tom a-t-il=did mangées=eat? ?=eat?"),
        # idiom, and words that one language does without
        ("I'm hungry.", "J'ai=I'm faim.=hungry."),
        ("It is cold.", "Il=It fait=is froid.=cold."),
        ("Does he like coffee?", "Est-ce=Does qu'il=Does+he aime=Does+like le=coffee? café=coffee? ?=coffee?"),
        ("Julie is a doctor.", "Julie=Julie est=is médecin.=a+doctor."),
        ("He says you will go to the market.", "Il=He dit=says que=says tu=you iras=will+go au=to+the marché.=market."),
        ("You remember the boy.", "Tu=You te=remember souviens=remember du=remember+the garçon.=boy."),
        ("I talked about the young singer last week.", "J'ai=I+talked parlé=talked du=about+the jeune=young "
         "chanteur=singer la=week. semaine=week. dernière.=last"),
        ("She is going to open his yellow box.", "Elle=She va=is+going ouvrir=to+open sa=his boîte=box. jaune.=yellow"),
        # commands
        ("Help us!", "Aide-nous=Help+us! !=us!"),
        ("Help me!", "Aide-moi=Help+me! !=me!"),
        ("Don't look at me!", "Ne=Don't me=me! regarde=Don't+look+at pas=Don't !=me!"),
        ("Let's rest!", "Reposons-nous=Let's+rest! !=rest!"),
        ("Let's not close your book!", "Ne=not fermons=Let's+close pas=not ton=your livre=book! !=book!"),
    ],
)  # fmt: skip
def test_the_alignment_of(source: str, glosses: str) -> None:
    [(target, line)] = [(pair[1], line) for pair, line in BY_PAIR.items() if pair[0] == source][:1]
    assert gloss(source, target, line) == glosses


def test_the_same_word_twice_keeps_its_places_apart() -> None:
    pair = (
        "The queen didn't go to the library last week.",
        "La reine n'est pas allée à la bibliothèque la semaine dernière.",
    )
    assert BY_PAIR[pair] == "0-0 1-1 2-2 2-3 3-4 4-5 5-6 6-7 7-10 8-8 8-9"
    assert BY_PAIR["I know that I am right.", "Je sais que j'ai raison."] == "0-0 1-1 2-2 3-3 4-3 5-4"


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
    assert under("subject", [Token("dog", "noun")])[0].keys == ("subject.noun",)
    assert {Line([Token("dog", "noun"), Token(" barks")])} == {"Dog barks"}


def test_fixed_phrases_tell_which_words_they_translate() -> None:
    phrase = Fixed("in front of it", "là4 devant123")
    assert phrase.french_tokens == ["là", "devant"]
    assert [token.keys for token in phrase.french_tokens] == [("4",), ("1", "2", "3")]
    with pytest.raises(ValueError, match="does not tell which words"):
        Fixed("at home", "à la2 maison2")
