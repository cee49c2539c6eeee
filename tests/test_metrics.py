import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.ter import TER

from nmt import metrics
from nmt.evaluation.scores import score
from nmt.metrics import Texts, bleu, choose_tokenizer, lower_moses_bleu, metrics_for
from nmt.moses import LowerCasedTokens
from tests.conftest import assert_refused

SOURCES = ["Sie beobachten uns .", "Das Haus ist klein .", "Ich weiß nicht , was ich sagen soll .", "Komm !"]
HYPOTHESES = ["They are watching us.", "The house is small.", "I do not know what to say at all.", "Come!"]
FIRST = ["They are watching us.", "The house is tiny.", "I do not know what I should say.", "Come on!"]
SECOND = ["They watch us.", "This house is small.", "I don't know what to say.", "Come along, come!"]


def single(texts: list[str]) -> list[tuple[str, ...]]:
    return [(text,) for text in texts]


def test_equals_the_sacrebleu_command(tmp_path: Path) -> None:
    (tmp_path / "hyp").write_text("\n".join(HYPOTHESES) + "\n", encoding="utf-8")
    for name, references in (("first", FIRST), ("second", SECOND)):
        (tmp_path / name).write_text("\n".join(references) + "\n", encoding="utf-8")
    options = ["-i", "hyp", "-m", "bleu", "chrf", "ter", "-w", "6"]
    command = [sys.executable, "-m", "sacrebleu", "first", "second", *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, text=True)
    theirs = json.loads(done.stdout)

    ours = score(HYPOTHESES, list(zip(FIRST, SECOND, strict=True)), SOURCES, bootstrap=0)

    for name, their in zip(("bleu", "chrf", "ter"), theirs, strict=True):
        assert ours[name].value == pytest.approx(their["score"], abs=1e-5)
        assert ours[name].signature == their["signature"]


def test_an_absent_reference_never_counts() -> None:
    references = [(FIRST[0],), (FIRST[1], SECOND[1]), (FIRST[2],), (FIRST[3], SECOND[3])]
    repeated = [(*group, group[0]) for group in references]

    plain, doubled = (score(HYPOTHESES, refs, SOURCES, bootstrap=0) for refs in (references, repeated))

    assert plain == doubled
    assert "nrefs:var" in plain["bleu"].signature
    # One sentence at a time needs no padding at all, and TER's statistics add up sentence by sentence.
    alone = [TER().sentence_score(h, r) for h, r in zip(HYPOTHESES, references, strict=True)]
    expected = 100 * sum(s.num_edits for s in alone) / sum(s.ref_length for s in alone)
    assert plain["ter"].value == pytest.approx(expected)


@pytest.mark.parametrize("metric", metrics_for("test"))
@pytest.mark.parametrize(
    ("hypotheses", "references"),
    [
        *(([text], ["The house is small."]) for text in ("", "house", "The house is small.")),
        (["a house, a very small house, is what I see"], ["The house is small."]),  # its TER is above 100
        (["house", "xyz", "qqq"], ["a house", "the dog", "the cat"]),  # some resamples score exactly 0
        (HYPOTHESES, FIRST),
    ],
)
def test_any_sentences_have_an_interval_that_is_reproducible(
    hypotheses: list[str], references: list[str], metric: str
) -> None:
    sources = ["Das Haus"] * len(hypotheses)
    found, again = (score(hypotheses, single(references), sources, bootstrap=50)[metric] for _ in range(2))
    assert found == again
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
    assert found.low < found.high or hypotheses != HYPOTHESES
    assert "bs:50|seed:12345" in found.signature


def test_validation_mode_gives_the_same_bleu() -> None:
    fast = score(HYPOTHESES, single(FIRST), SOURCES, metrics=metrics_for("validation"), bootstrap=0)
    assert fast["bleu"].value == score(HYPOTHESES, single(FIRST), SOURCES)["bleu"].value
    assert list(fast.metrics) == ["bleu", "chrf"]
    assert (fast["bleu"].low, fast["bleu"].high) == (None, None)


@pytest.mark.parametrize(
    ("reference", "tokenizer"),
    [
        ("They are watching us.", "13a"),
        ("ते आपल्याला बघत आहेत.", "13a"),
        ("他们在看我们。", "zh"),
        ("我喜欢の这个字，还有 Python。", "zh"),
        ("I like the word 他们 a lot.", "13a"),
        ("", "13a"),
    ],
)
def test_tokenizer_follows_the_script(reference: str, tokenizer: str) -> None:
    assert choose_tokenizer([reference, None]) == tokenizer


@pytest.mark.parametrize(
    ("reference", "tokenizer", "extra"),
    [
        ("彼らは私たちを見ています。", "ja-mecab", "sacrebleu[ja]"),
        ("그들이 우리를 보고 있다.", "ko-mecab", "sacrebleu[ko]"),
    ],
)
def test_segmenters_are_optional(
    reference: str, tokenizer: str, extra: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def missing(tokenize: str) -> None:
        raise RuntimeError("requires extra dependencies")

    metrics._installed_or_char.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr("sacrebleu.metrics.bleu.BLEU", lambda tokenize: None)
        assert choose_tokenizer([reference]) == tokenizer
    monkeypatch.setattr("sacrebleu.metrics.bleu.BLEU", missing)
    metrics._installed_or_char.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert [choose_tokenizer([reference]) for _ in range(3)] == ["char"] * 3
    assert [record.getMessage().count(f'pip install "{extra}"') for record in caplog.records] == [1]
    metrics._installed_or_char.cache_clear()


def test_chinese_is_scored_by_character() -> None:
    scores = score(["他们看我们。"], [("他们在看我们。",)], ["They are watching us."], bootstrap=0)
    assert "tok:zh" in scores["bleu"].signature
    assert scores.hypothesis_length == 6
    assert scores.reference_length == 7
    assert scores["ter"].value == pytest.approx(100 / 7)  # one insertion, not one wrong sentence
    assert scores.brevity_penalty < 1


def test_length_buckets_adapt_to_the_sentences() -> None:
    def buckets(lengths: list[int], word: str) -> list[tuple[int, int | None, int]]:
        sources = [word * length for length in lengths]
        scores = score(["a b c d"] * len(lengths), [("a b c d",)] * len(lengths), sources, bootstrap=0)
        return [(bucket.shortest, bucket.longest, bucket.sentences) for bucket in scores.by_length]

    assert buckets([1, 1, 2, 5, 6], "w ") == [(1, 1, 2), (2, 2, 1), (5, 5, 1), (6, 6, 1)]
    assert buckets([*[10] * 30, 31, 55, 300], "w ") == [(1, 10, 30), (31, 40, 1), (51, 60, 1), (61, None, 1)]
    assert buckets([1, 2], "我们") == [(2, 2, 1), (4, 4, 1)]
    short = score(["Hi", "They are watching us."], [("Hi",), ("They are watching us.",)], ["Hé", "a b c d"])
    assert [bucket.bleu for bucket in short.by_length] == pytest.approx([100, 100])  # a word has no 4-grams


def test_what_cannot_be_scored_is_refused() -> None:
    assert_refused("no sentences", score, [], [], [])
    assert_refused("sentence 2 has no reference", score, ["a", "b"], [("a",), ()], ["a", "b"])


def test_moses_tokens_in_lower_case() -> None:
    english = LowerCasedTokens("eng")
    assert english("It’s Mr. Smith's dog, isn't it?") == "it 's mr. smith 's dog , isn 't it ?"
    french = LowerCasedTokens("fr")
    assert french("L'homme  s'assied «ici».") == "l' homme s' assied \" ici \" ."
    assert LowerCasedTokens("de")("Äpfel & Öl <1>") == "äpfel & öl < 1 >"  # nothing is escaped
    assert LowerCasedTokens("xyz")("Aha, So!") == "aha , so !"  # a language that Moses does not know
    assert LowerCasedTokens("cmn")("我喜欢猫。") == LowerCasedTokens("zh")("我喜欢猫。") == "我 喜 欢 猫 。"


@pytest.mark.parametrize(("code", "rules"), [("mar", "mr"), ("fin", "fi"), ("de", "de"), ("xyz", "en"), ("cmn", "en")])
def test_the_signature_names_the_rules_that_were_applied(code: str, rules: str) -> None:
    assert f"moses-{rules}-" in lower_moses_bleu(Texts(["a b"], [["a b"]], code)).signature


def test_bleu_on_lower_cased_moses_tokens() -> None:
    hypotheses = ["A man walks his dog.", "TWO women sit on the grass!"]
    references = [("A man is walking a dog.", "a man walks his dog ."), ("Two women sit on the grass!",)]
    found = lower_moses_bleu(Texts(hypotheses, references, "en"))
    assert found.value == pytest.approx(100.0)
    assert found.low is None
    assert found.signature.startswith("lc-tok:moses-en-")
    assert "tok:none" in found.signature
    assert bleu(Texts(hypotheses, references)).value < 99
    found = lower_moses_bleu(Texts(["Ein Hund läuft, er bellt laut."], [["Der Hund läuft; er bellt laut."]], "de"))
    tokens = ["ein hund läuft , er bellt laut ."], [["der hund läuft ; er bellt laut ."]]
    assert found.value == pytest.approx(BLEU(tokenize="none").corpus_score(*tokens).score)
