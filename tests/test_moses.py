import pytest
from sacrebleu.metrics.bleu import BLEU

from nmt.metrics import Texts, bleu, lower_moses_bleu
from nmt.moses import LowerCasedTokens


def test_moses_tokens_in_lower_case() -> None:
    english = LowerCasedTokens("eng")
    assert english("It’s Mr. Smith's dog, isn't it?") == "it 's mr. smith 's dog , isn 't it ?"
    french = LowerCasedTokens("fr")
    assert french("L'homme  s'assied «ici».") == "l' homme s' assied \" ici \" ."
    assert LowerCasedTokens("de")("Äpfel & Öl <1>") == "äpfel & öl < 1 >"  # nothing is escaped


def test_a_language_that_moses_does_not_know_is_tokenised_all_the_same() -> None:
    assert LowerCasedTokens("xyz")("Aha, So!") == "aha , so !"
    assert LowerCasedTokens("cmn")("我喜欢猫。") == LowerCasedTokens("zh")("我喜欢猫。") == "我 喜 欢 猫 。"


@pytest.mark.parametrize(("code", "rules"), [("mar", "mr"), ("fin", "fi"), ("de", "de"), ("xyz", "en"), ("cmn", "en")])
def test_the_signature_names_the_rules_that_were_applied(code: str, rules: str) -> None:
    assert f"moses-{rules}-" in lower_moses_bleu(Texts(["a b"], [["a b"]], code)).signature


def test_several_references_count_each_for_its_sentence() -> None:
    hypotheses = ["A man walks his dog.", "TWO women sit on the grass!"]
    references = [("A man is walking a dog.", "a man walks his dog ."), ("Two women sit on the grass!",)]
    found = lower_moses_bleu(Texts(hypotheses, references, "en"))
    assert found.value == pytest.approx(100.0)
    assert found.low is None
    assert found.signature.startswith("lc-tok:moses-en-")
    assert "tok:none" in found.signature
    assert bleu(Texts(hypotheses, references)).value < 99


def test_equals_sacrebleu_on_tokens_made_by_hand() -> None:
    found = lower_moses_bleu(Texts(["Ein Hund läuft, er bellt laut."], [["Der Hund läuft; er bellt laut."]], "de"))
    by_hand = BLEU(tokenize="none").corpus_score(
        ["ein hund läuft , er bellt laut ."], [["der hund läuft ; er bellt laut ."]]
    )
    assert found.value == pytest.approx(by_hand.score)
