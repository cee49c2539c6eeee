"""Forced prefixes, overridden attention and inspected steps do what they say, and are those of PyTorch."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from nmt.ensemble import Ensemble
from nmt.evaluation.explain import explain
from nmt.model.marks import mark, marked, recorded
from nmt.search import Greedy
from nmt.special import BOS, EOS
from tests.conftest import KINDS, assert_refused, tiny_translator
from tests.portable.test_conformance import SHORT, assert_same_translation

TEXT = "I see a cat ."
ATTENTIVE = [kind for kind in KINDS if kind.values != ("seq2seq",)]


def attention(length: int) -> dict[int, np.ndarray]:
    """Two rows: all on one token, and more on later tokens."""
    ramp = np.arange(length, dtype=np.float32)
    return {0: np.eye(length, dtype=np.float32)[2], 2: ramp / ramp.sum()}


@pytest.mark.parametrize("name", KINDS)
def test_steps_marks_and_overrides_are_those_of_pytorch(name: str) -> None:
    translator = tiny_translator(name, **SHORT)
    best = translator.translate(TEXT)[0]
    source, target = best.source_ids, best.target_ids
    for overrides in ({}, attention(len(source))) if best.attention is not None else ({},):
        inspected = translator.inspect(source, target, overrides)
        expected = list(stepped(translator.model, source, target, overrides))
        for step, ((log_probs, marks), found) in enumerate(zip(expected, inspected.steps, strict=True)):
            np.testing.assert_allclose(found.log_probs, log_probs, atol=1e-4)
            for name, value in marks.items():
                np.testing.assert_allclose(found.marks[name], value.reshape(found.marks[name].shape), atol=1e-4)
            if step in overrides:
                assert np.abs(found.marks["own_weights"] - overrides[step]).max() > 0.05
                assert (found.marks["weights"] == overrides[step]).all()
        if overrides:
            (guided, *_) = translator.guided(TEXT, target, overrides)
            assert guided.target_ids == target
            for step, row in overrides.items():
                np.testing.assert_allclose(guided.attention[step], row, atol=1e-6)
            chosen = [step.log_probs[token] for step, token in zip(inspected.steps, target, strict=True)]
            assert guided.log_probs == pytest.approx(chosen, abs=1e-5)


@torch.inference_mode()
def stepped(
    model: Any, source: list[int], target: list[int], overrides: dict[int, np.ndarray]
) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Log probabilities and marks of each step in PyTorch, with weights that a hook replaces."""
    attention = getattr(model.decoder, "attention", None)
    memory, state = model.encode(torch.tensor([source]), torch.tensor([len(source)]))
    for step, token in enumerate([BOS, *target[:-1]]):
        with recorded() as marks, ExitStack() as hooks:
            if attention is not None:
                hooks.enter_context(marked(attention))
            if step in overrides:
                hook = partial(replace, torch.from_numpy(overrides[step]))
                hooks.callback(attention.alignment.register_forward_hook(hook).remove)
            logits, _, state = model.step(torch.tensor([token]), memory, state)
        yield logits[0].log_softmax(-1).numpy(), {name: value.numpy() for name, (value, _) in marks.items()}


def replace(row: torch.Tensor, _: Any, __: Any, output: tuple[torch.Tensor, Any]) -> tuple[torch.Tensor, Any]:
    """Use these attention weights."""
    weights, state = output
    return mark("weights", row.expand_as(weights), -2), state


@pytest.mark.parametrize("name", ATTENTIVE)
def test_the_models_own_attention_and_tokens_change_nothing(name: str) -> None:
    translator = tiny_translator(name, **SHORT)
    best, *_ = translator.translate(TEXT)
    steps = translator.inspect(best.source_ids, best.target_ids).steps
    own = {t: step.marks["weights"] for t, step in enumerate(steps)}
    assert_same_translation(translator.guided(TEXT, best.target_ids, own)[0], best)
    assert_same_translation(translator.guided(TEXT)[0], best)


@pytest.mark.parametrize("name", ATTENTIVE)
def test_marks_are_what_the_formulas_say(name: str) -> None:
    """An energy is the sum of products, and in the simplest attention the context is that of the values."""
    translator = tiny_translator(name, **SHORT)
    best = translator.translate(TEXT)[0]
    source, steps = translator.inspect(best.source_ids, best.target_ids)
    for step in steps:
        marks = source | step.marks
        products = (marks["rows"] @ marks["column"][..., None]).reshape(marks["energies"].shape)
        np.testing.assert_allclose(marks.get("scale", 1) * products, marks["energies"], atol=1e-4)
        if "of_piece" in marks:
            np.testing.assert_allclose(np.tanh(marks["of_piece"] + marks["of_query"]), marks["rows"], atol=1e-5)
        np.testing.assert_allclose(marks["weights"].reshape(-1, len(best.source_ids)).mean(0), step.weights, atol=1e-6)
        if name != "multi_head":
            np.testing.assert_allclose(marks["weights"] @ marks["values"], marks["context"], atol=1e-5)
        if name in ("bahdanau", "multi_head", "key_value"):
            shares = np.exp(marks["energies"])
            np.testing.assert_allclose(shares / shares.sum(-1, keepdims=True), marks["weights"], atol=1e-5)


def test_formulas_are_the_docstrings_equations() -> None:
    formulas = tiny_translator("key_value").formulas()
    assert formulas["score"]["equation"] == "h = [k; v]"
    assert formulas["inner"]["equation"] == "e = v'tanh(W₁h + W₂s + b)"
    assert formulas["alignment"]["name"] == "Soft"
    assert formulas["wiring"]["equation"].startswith("cₜ = attend(sₜ₋₁), sₜ = f(")
    assert formulas["context"]["equation"] == "c = Σ αᵢ vᵢ"
    assert tiny_translator("coverage").formulas()["context"]["equation"] == "c = Σ αᵢ hᵢ"
    assert tiny_translator("multi_head").formulas()["score"]["equation"] == "eₖ = (W_Qₖ s)'(W_Kₖ h) / √d"
    assert [*tiny_translator("seq2seq").formulas()] == ["wiring"]


@pytest.mark.parametrize(
    ("name", "shape", "words"),
    [
        ("bahdanau", (1,), "needs 7 weights, one for each source token"),
        ("bahdanau", (2, 7), "needs 7 weights, one for each source token"),
        ("multi_head", (3, 7), "or a row of them for each of 4 heads"),
        ("seq2seq", (7,), "no attention"),
    ],
)
def test_attention_of_another_shape_is_one_sentence(name: str, shape: tuple[int, ...], words: str) -> None:
    translator = tiny_translator(name)
    best, overrides = translator.translate(TEXT)[0], {0: np.zeros(shape)}
    assert_refused(words, translator.guided, TEXT, overrides=overrides)
    assert_refused(words, translator.inspect, best.source_ids, best.target_ids, overrides)


def test_what_cannot_be_is_one_sentence() -> None:
    translator = tiny_translator()
    assert_refused("cannot have the token 1 at place 0", translator.guided, TEXT, [1])
    assert_refused("cannot have the token 2 at place 0", translator.guided, TEXT, [EOS, 20])
    assert_refused("cannot have the token 9999", translator.guided, TEXT, [20, 9999])
    assert_refused("not negative", translator.guided, TEXT, overrides={0: [-1.0] * 7})
    assert translator.guided("")[0].text == ""


def test_what_is_looked_into_has_the_weights_of_now() -> None:
    translator = tiny_translator("bahdanau", **SHORT)
    before = translator.inspect([5, EOS], [6, EOS]).steps[0].log_probs
    with torch.no_grad():
        for parameter in translator.model.parameters():
            parameter.mul_(2)
    assert np.abs(translator.inspect([5, EOS], [6, EOS]).steps[0].log_probs - before).max() > 0.01


def test_an_ensemble_cannot_be_looked_into() -> None:
    translator = tiny_translator()
    best = translator.translate(TEXT)[0]
    translator.model = Ensemble([translator.model, translator.model])
    assert_refused("load one of them", translator.guided, TEXT)
    assert_refused("load one of them", translator.inspect, best.source_ids, best.target_ids)
    assert_refused("load one of them", translator.formulas)
    assert_refused("load one of them", explain, translator, best)


def test_a_prefix_may_be_text_or_longer_than_the_limit() -> None:
    translator = tiny_translator(max_length_ratio=0.0, max_length_extra=2)
    assert translator.guided(TEXT, "je vois")[0].text.startswith("je vois")
    assert {tuple(each.target_ids) for each in translator.guided(TEXT, [20] * 5)} == {(*[20] * 5, EOS)}
    translator.search = Greedy()
    assert len(translator.guided(TEXT, [20, 270])) == 1
