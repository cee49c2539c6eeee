import re

import numpy as np
import pytest
import torch

from nmt.evaluation.explain import as_text, explain, readable
from nmt.search import Sample
from nmt.special import BOS, PAD, UNK
from tests.conftest import KINDS, tiny_translator

TEXTS = ["I see a cat .", "we see it .", "a 猫"]


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        *(pytest.param(*kind.values, {}, marks=kind.marks) for kind in KINDS),
        *(("bahdanau", change) for change in ({"beam_size": 1}, {"length_penalty": 0.0}, {"length_penalty": 0.6})),
    ],
)
def test_the_steps_add_up_to_the_score_of_search(model: str, settings: dict[str, float]) -> None:
    translator = tiny_translator(model, **settings)
    for translations in translator.nbest(TEXTS):
        for translation in translations:
            explanation = explain(translator, translation)
            assert explanation.score == pytest.approx(translation.score, abs=1e-4)
            assert len(explanation.steps) == len(translation.target_tokens)
            chosen = [c.piece for step in explanation.steps for c in step.candidates if c.chosen]
            assert len(chosen) == len(translation.target_tokens)
            if translation.attention is None:
                assert all(step.weights is None for step in explanation.steps)
            else:
                looked = np.array([step.weights for step in explanation.steps])
                np.testing.assert_allclose(looked, translation.attention, atol=1e-5)


def test_what_is_never_said_keeps_its_probability_and_is_not_shown() -> None:
    translator = tiny_translator()
    with torch.no_grad():
        translator.model.output.bias[[PAD, BOS, UNK]] += 12
    (translation,) = translator.translate("I see a cat .")
    explanation = explain(translator, translation)
    assert explanation.score == pytest.approx(translation.score, abs=1e-4)
    for step in explanation.steps:
        assert not {c.piece for c in step.candidates} & {"<pad>", "<s>", "<unk>"}
        assert sum(c.probability for c in step.candidates) < 0.5
        likely = [c.probability for c in step.candidates[:5]]
        assert likely == sorted(likely, reverse=True)


def test_the_chosen_token_is_shown_however_unlikely() -> None:
    """At the length limit only the end may follow: the score stays that of the search, and the text says why."""
    translator = tiny_translator(max_length_ratio=0.0, max_length_extra=3)
    with torch.no_grad():
        translator.model.output.bias[2] -= 12
    (translation,) = translator.translate("I see a cat .")
    explanation = explain(translator, translation)
    assert explanation.score == pytest.approx(translation.score, abs=1e-4)
    last = explanation.steps[-1]
    assert [step.must_end for step in explanation.steps] == [False, False, True]
    assert len(last.candidates) == 6
    assert (last.candidates[-1].piece, last.candidates[-1].chosen) == ("</s>", True)
    assert "it could only end" in " ".join(as_text(explanation).split())


@pytest.mark.parametrize("model", ["bahdanau", "local_p", "key_value", "multi_head"])
def test_energies_and_one_context_are_worked_out(model: str) -> None:
    translator = tiny_translator(model)
    (translation,) = translator.translate("I see a cat .")
    explanation = explain(translator, translation)
    for step in explanation.steps:
        assert step.worked is not None
        assert (step.of_head is not None) == (model == "multi_head") == (step.worked.heads == 4)
        if model != "local_p":
            shares = np.exp(step.energies or [])
            np.testing.assert_allclose(shares / shares.sum(), step.of_head or step.weights, atol=1e-5)
        shown = [weight for _, weight, _ in step.worked.terms]
        assert shown == sorted(step.of_head or step.weights or [], reverse=True)[:5]
    text = as_text(explanation)
    worked = explanation.steps[0].worked
    assert worked is not None
    block = text[text.index("(3) and (4) with numbers") : text.index("Step 2")]
    terms = [[float(number) for number in re.findall(r"-?\d+\.\d{3}", line)] for line in block.splitlines()[1:-1]]
    sums = np.array([[term[0] * number for number in term[1:]] for term in terms[:5]]).sum(axis=0)
    np.testing.assert_allclose(sums + terms[5], terms[6], atol=3e-3)  # three digits of each
    assert text.count("head 1 looks at ") == (len(explanation.steps) if model == "multi_head" else 0)
    first = explanation.steps[0]
    best = int(np.argmax(first.of_head or first.weights or []))
    assert re.search(rf" {(first.energies or [])[best]:.3f} {terms[0][0]:.3f} ", text)  # beside its weight


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bahdanau", "with the previous state"),
        ("luong", "with the new state"),
        ("multi_head", "in each head by itself. α = softmax(e)"),
        ("key_value", "(Daniluk 2017). e = v'tanh("),
        ("seq2seq", "no attention"),
    ],
)
def test_each_mechanism_is_explained_by_its_own_formula(name: str, words: str) -> None:
    translator = tiny_translator(name)
    (translation,) = translator.translate("I see a cat .")
    assert words in " ".join(as_text(explain(translator, translation)).split())


def test_a_token_that_was_drawn_is_explained() -> None:
    translator = tiny_translator()
    translator.search = Sample(temperature=2.0)
    (translation,) = translator.translate("I see a cat .")
    explanation = explain(translator, translation)
    assert explanation.score == pytest.approx(translation.score, abs=1e-4)
    assert "Not the likeliest token here. It was drawn at random" in " ".join(as_text(explanation).split())


@pytest.mark.parametrize(
    ("piece", "shown"),
    [("▁cat", "▁cat"), ("", "(byte)"), ("\ufffd", "(byte)"), ("\x1b", "(U+001B)"), (" ", "(U+0020)"), ("猫", "猫"),
     ("a\u200db", "a(U+200D)b"), ("</s>", "</s>")],
)  # fmt: skip
def test_every_piece_can_be_seen(piece: str, shown: str) -> None:
    assert readable(piece) == shown
