import logging
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.data.cleaning import clean
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.special import BOS, EOS, PAD, UNK, WORD_START
from tests.conftest import assert_refused

SENTENCES = [
    *(f"The {a} {v} the {b}." for a in ("cat", "dog", "cow") for v in ("sees", "likes") for b in ("bird", "fish")),
    "मांजर पक्षी पाहते.",
    "猫看见了鸟。",
]


@pytest.fixture(scope="module", params=["bpe", "unigram"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return Tokenizer.train(SENTENCES, 500, request.param)


def test_special_ids(tokenizer: Tokenizer) -> None:
    assert tokenizer.pieces([PAD, BOS, EOS, UNK]) == ["<pad>", "<s>", "</s>", "<unk>"]
    ids = tokenizer.encode("The cat.")
    assert tokenizer.decode([BOS, *ids, EOS, PAD, PAD]) == "The cat."
    assert all(0 <= i < len(tokenizer) for i in ids)


@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters=WORD_START)).map(clean))
def test_any_clean_text_survives(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert not set(ids) & {PAD, BOS, EOS, UNK}
    pieces = tokenizer.pieces(ids)
    assert len(pieces) == len(ids)
    assert "".join(pieces).replace(WORD_START, " ").strip() == text


def test_text_that_looks_like_pieces_survives(tokenizer: Tokenizer) -> None:
    for text in ("<s> </s> <unk> <pad> <0x41>", "Go. ▅ ⁇", "a▅b", "👩‍👩‍👧", "क्‍ष"):
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.decode(tokenizer.encode("a▁b")) == "a b"  # as in clean


def test_bytes_show_the_character_they_spell(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("Ω")
    assert tokenizer.pieces(ids) == [WORD_START, "Ω", ""]
    assert tokenizer.pieces(ids[:-1]) == [WORD_START, "\ufffd"]
    assert tokenizer.pieces([*ids[1:2], *ids[1:]]) == ["\ufffd", "Ω", ""]
    assert tokenizer.pieces([ids[-1]]) == ["\ufffd"]


@given(st.lists(st.integers(0, 299)))
def test_any_ids_have_pieces(tokenizer: Tokenizer, ids: list[int]) -> None:
    pieces = tokenizer.pieces([i % len(tokenizer) for i in ids])
    assert len(pieces) == len(ids)


def test_a_batch_is_its_sentences(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode_batch([*SENTENCES, ""]) == [tokenizer.encode(text) for text in [*SENTENCES, ""]]


@pytest.mark.parametrize("vocab_type", ["bpe", "unigram"])
@pytest.mark.parametrize("sentences", [["a"], ["Go.", "Run!", "जा."], ["好"], [" ".join("abc" * 500)]])
def test_tiny_corpora_have_few_pieces(vocab_type: str, sentences: list[str], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    tokenizer = Tokenizer.train(sentences, 8000, vocab_type)  # type: ignore[arg-type]
    assert 260 < len(tokenizer) < 400
    assert f"yields {len(tokenizer)} pieces" in caplog.text
    assert tokenizer.decode(tokenizer.encode(sentences[0])) == sentences[0]


@pytest.mark.parametrize("vocab_type", ["bpe", "unigram"])
def test_a_vocabulary_too_small_for_its_characters_spells_some(
    vocab_type: str, caplog: pytest.LogCaptureFixture
) -> None:
    characters = [chr(0x4E00 + i) for i in range(1000)]
    sentences = ["".join(characters[i : i + 10]) for i in range(0, 1000, 10)] + ["一二三"] * 50
    tokenizer = Tokenizer.train(sentences, 300, vocab_type)  # type: ignore[arg-type]
    assert "data.vocab_size=300 has room for 36 of " in caplog.text
    assert len(tokenizer) <= 300
    assert tokenizer.decode(tokenizer.encode(sentences[5])) == sentences[5]
    assert len(tokenizer.encode("一")) <= 2 < len(tokenizer.encode(characters[999]))


def test_coverage_leaves_rare_characters_to_the_bytes() -> None:
    sentences = ["abc"] * 1000 + ["xyz"]
    assert len(Tokenizer.train(sentences, 400, character_coverage=1.0).encode("xyz")) == 1
    assert len(Tokenizer.train(sentences, 400, character_coverage=0.99).encode("xyz")) == 1 + 3  # the space too


@pytest.mark.parametrize("vocab_type", ["bpe", "unigram"])
def test_training_is_deterministic_and_silent(
    vocab_type: Literal["bpe", "unigram"], capfd: pytest.CaptureFixture[str]
) -> None:
    assert Tokenizer.train(SENTENCES, 400, vocab_type).model == Tokenizer.train(SENTENCES, 400, vocab_type).model
    assert capfd.readouterr() == ("", "")


def test_saving_and_loading(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "x.model"
    tokenizer.save(path)
    assert Tokenizer.load(path).encode(SENTENCES[0]) == tokenizer.encode(SENTENCES[0])
    path.write_bytes(b"not a model")
    assert_refused(r"x\.model is not a SentencePiece model", Tokenizer.load, path)
    assert_refused(r"y\.model does not exist", Tokenizer.load, tmp_path / "y.model")


@pytest.mark.parametrize("vocab_type", ["bpe", "unigram"])
def test_signs_that_are_sentencepieces_own(vocab_type: Literal["bpe", "unigram"]) -> None:
    tokenizer = Tokenizer.train(["▅ up", "▅ down"] * 3, 300, vocab_type)  # it would skip them all
    assert tokenizer.decode(tokenizer.encode("▅ up")) == "▅ up"
    for nothing in ("▅", "▅ ▅"):
        with pytest.raises(UserError, match="no text that a vocabulary could be learnt from"):
            Tokenizer.train([nothing] * 3, 300, vocab_type)
