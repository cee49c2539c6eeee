"""Forced prefixes, overridden attention and inspected steps: numpy and PyTorch agree, and do what they say."""

from itertools import pairwise

import numpy as np
import pytest

from nmt.portable.beam import Branch
from nmt.portable.export import of_translator
from nmt.portable.file import pack, unpack
from nmt.portable.translator import PortableTranslator
from nmt.search_settings import UNGUIDED
from nmt.special import EOS
from nmt.translation import Engine
from tests.conftest import MODELS, assert_refused, tiny_translator
from tests.portable.models import ABOUT, portable_of
from tests.portable.test_conformance import SHORT, assert_same_translation

TEXT = "I see a cat ."
PREFIX = [20, 270]
FAST = ("bahdanau", "coverage", "local_p", "luong", "multi_head", "self_attentive", "seq2seq", "stacked", "static")
ALL = [pytest.param(name, marks=[] if name in FAST else pytest.mark.slow) for name in MODELS]


def attention(length: int) -> dict[int, np.ndarray]:
    """Two rows: all on one token, and more on later tokens."""
    ramp = np.arange(length, dtype=np.float32)
    return {0: np.eye(length, dtype=np.float32)[2], 2: ramp / ramp.sum()}


@pytest.mark.parametrize("name", ALL)
def test_both_engines_compute_the_same(name: str) -> None:
    translator = tiny_translator(name, **SHORT)
    portable = portable_of(translator)
    best = translator.translate(TEXT)[0]
    source, target = best.source_ids, best.target_ids
    overrides = attention(len(source)) if best.attention is not None else {}
    guided = [engine.guided(TEXT, PREFIX, overrides) for engine in (translator, portable)]
    for one, other in zip(*guided, strict=True):
        assert one.target_ids[:2] == PREFIX
        assert_same_translation(one, other)
        for step, row in overrides.items():
            np.testing.assert_allclose(one.attention[step], row, atol=1e-6)
    one, other = (engine.inspect(source, target, overrides) for engine in (translator, portable))
    assert_same_marks(one.source, other.source)
    for step, (expected, found) in enumerate(zip(one.steps, other.steps, strict=True)):
        np.testing.assert_allclose(expected.log_probs, found.log_probs, atol=1e-4)
        assert_same_marks(expected.marks, found.marks)
        if step in overrides:
            assert np.abs(found.marks["own_weights"] - overrides[step]).max() > 0.05
            np.testing.assert_allclose(
                np.broadcast_to(overrides[step], found.marks["weights"].shape), found.marks["weights"]
            )
    if overrides:
        plain = translator.inspect(source, target)
        assert np.abs(plain.steps[0].log_probs - one.steps[0].log_probs).max() > 1e-4
    assert translator.formulas() == portable.formulas()


def assert_same_marks(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].shape == other[name].shape
        np.testing.assert_allclose(one[name], other[name], atol=1e-4, err_msg=name)


@pytest.mark.parametrize("name", [each for each in ALL if each.values != ("seq2seq",)])
def test_the_models_own_attention_and_tokens_change_nothing(name: str) -> None:
    translator = tiny_translator(name, **SHORT)
    best, *_ = translator.translate(TEXT)
    own = {
        t: step.marks["weights"] for t, step in enumerate(translator.inspect(best.source_ids, best.target_ids).steps)
    }
    for engine in (translator, portable_of(translator)):
        (found,) = engine.guided(TEXT, best.target_ids, own)
        assert_same_translation(found, best)
        assert_same_translation(engine.guided(TEXT)[0], best)


@pytest.mark.parametrize("name", ["bahdanau", "multi_head", "key_value"])
def test_marks_are_what_the_formulas_say(name: str) -> None:
    translator = tiny_translator(name)
    best = translator.translate(TEXT)[0]
    source, steps = translator.inspect(best.source_ids, best.target_ids)
    for step in steps:
        marks = step.marks
        if name != "multi_head":
            np.testing.assert_allclose(marks["weights"] @ source["values"], marks["context"], atol=1e-5)
        shares = np.exp(marks["energies"])
        np.testing.assert_allclose(shares / shares.sum(-1, keepdims=True), marks["weights"], atol=1e-5)
        np.testing.assert_allclose(marks["weights"].reshape(-1, len(best.source_ids)).mean(0), step.weights, atol=1e-6)
    for before, after in pairwise(steps):
        np.testing.assert_array_equal(before.marks["state"], after.marks["before"])


@pytest.mark.parametrize("name", [each for each in ALL if each.values != ("seq2seq",)])
def test_an_energy_is_the_sum_of_the_products_that_are_marked(name: str) -> None:
    translator = tiny_translator(name, **SHORT)
    best = translator.translate(TEXT)[0]
    for engine in (translator, portable_of(translator)):
        source, steps = engine.inspect(best.source_ids, best.target_ids)
        for step in steps:
            marks = source | step.marks
            products = (marks["rows"] @ marks["column"][..., None]).reshape(marks["energies"].shape)
            np.testing.assert_allclose(marks.get("scale", 1) * products, marks["energies"], atol=1e-4)
            if "of_piece" in marks:
                np.testing.assert_allclose(np.tanh(marks["of_piece"] + marks["of_query"]), marks["rows"], atol=1e-5)


def test_formulas_are_the_docstrings_equations() -> None:
    formulas = tiny_translator("key_value").formulas()
    assert formulas["score"]["equation"] == "h = [k; v]"
    assert formulas["inner"]["equation"] == "e = v'tanh(W₁h + W₂s + b)"
    assert formulas["alignment"] == {
        "name": "Soft",
        "equation": "α = softmax(e) over the real tokens",
        "text": 'α = softmax(e) over the real tokens (Bahdanau 2015, eq. 6; Luong\'s "global").',
    }
    assert formulas["wiring"]["equation"].startswith("cₜ = attend(sₜ₋₁), sₜ = f(")
    assert formulas["context"]["equation"] == "c = Σ αᵢ vᵢ"
    assert tiny_translator("coverage").formulas()["context"]["equation"] == "c = Σ αᵢ hᵢ"
    several = tiny_translator("multi_head").formulas()
    assert several["score"]["equation"] == "eₖ = (W_Qₖ s)'(W_Kₖ h) / √d"
    assert several["context"]["equation"] == "c = W_O [c₁; …; c_K], cₖ = Σ αᵢ W_Vₖ hᵢ"
    assert [*tiny_translator("seq2seq").formulas()] == ["wiring"]


@pytest.mark.parametrize("kind", ["torch", "numpy"])
def test_what_cannot_be_is_one_sentence(kind: str) -> None:
    translator = tiny_translator()
    engine: Engine = translator if kind == "torch" else portable_of(translator)
    assert_refused("cannot have the token 1 at place 0", engine.guided, TEXT, [1])
    assert_refused("cannot have the token 2 at place 0", engine.guided, TEXT, [EOS, 20])
    assert_refused("cannot have the token 9999", engine.guided, TEXT, [20, 9999])
    assert_refused("needs 7 weights", engine.guided, TEXT, overrides={0: [1.0]})
    assert_refused("not negative", engine.guided, TEXT, overrides={0: [-1.0] * 7})
    without = tiny_translator("seq2seq")
    engine = without if kind == "torch" else portable_of(without)
    best = engine.translate(TEXT)[0]
    assert_refused("no attention", engine.guided, TEXT, overrides={0: [0.0] * 7})
    assert_refused("no attention", engine.inspect, best.source_ids, best.target_ids, {0: [0.0] * 7})
    assert engine.guided("")[0].text == ""


def test_a_prefix_may_be_text_or_longer_than_the_limit() -> None:
    translator = tiny_translator(max_length_ratio=0.0, max_length_extra=2)
    for engine in (translator, portable_of(translator)):
        assert engine.guided(TEXT, "je vois")[0].text.startswith("je vois")
        assert {each.target_ids[-1] for each in engine.guided(TEXT, [20] * 5)} == {EOS}
        assert [len(each.target_ids) for each in engine.guided(TEXT, [20] * 5)] == [6]


def test_a_file_of_an_earlier_version_works_but_for_overrides() -> None:
    translator = tiny_translator()
    tensors, record = of_translator(translator)
    del record["graphs"]["start"]["marks"], record["graphs"]["step"]["marks"], record["formulas"]
    old = PortableTranslator(*unpack(pack(tensors, record | ABOUT, int8=False)))
    best = translator.translate(TEXT)[0]
    assert_same_translation(old.guided(TEXT, best.target_ids[:2])[0], translator.guided(TEXT, best.target_ids[:2])[0])
    source, steps = old.inspect(best.source_ids, best.target_ids)
    assert (source, steps[0].marks, old.formulas()) == ({}, {}, {})
    assert_refused("earlier version", old.guided, TEXT, (), attention(len(best.source_ids)))


def test_the_tree_has_what_the_beam_kept_and_what_it_passed_over() -> None:
    portable = portable_of(tiny_translator(**SHORT))
    source, tree = portable.translate(TEXT)[0].source_ids, list[Branch]()
    found = portable.search(portable.model, source, UNGUIDED, tree)
    assert [each.tokens for each in found] == [each.tokens for each in portable.search(portable.model, source)]
    for hypothesis in found:
        place, path = hypothesis.branch, []
        assert tree[place].total == pytest.approx(hypothesis.log_prob, abs=1e-4)
        while place >= 0:
            assert tree[place].kept
            path.append(tree[place].token)
            place = tree[place].parent
        assert tuple(path[::-1]) == (*hypothesis.tokens, EOS)
    roots = [each for each in tree if each.parent == -1]
    assert len(roots) == 4
    assert sum(not each.kept for each in tree) > len(found)
    assert all(tree[each.parent].kept for each in tree if each.parent >= 0)


def test_marks_cost_little_in_a_file() -> None:
    tensors, record = of_translator(tiny_translator())
    whole = len(pack(tensors, record, int8=False))
    del record["graphs"]["start"]["marks"], record["graphs"]["step"]["marks"], record["formulas"]
    assert whole - len(pack(tensors, record, int8=False)) < 2000
