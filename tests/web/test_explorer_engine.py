"""Forced prefixes, overridden attention, inspected steps and beam trees in the browser, against numpy."""

import json
from typing import Any

import numpy as np
import pytest

from nmt.special import EOS
from nmt.translation import Inspection
from nmt.translator import Translator
from tests.browser import in_base64
from tests.conftest import KINDS
from tests.portable.models import packed
from tests.portable.test_guided import TEXT, attention
from tests.web.conftest import wordy_translator
from tests.web.test_engine import assert_equal

RUN = """async ([model, calls]) => {
  const translator = await module_translator.Translator.open(module_file.fromBase64(model));
  const plain = (key, value) => (ArrayBuffer.isView(value) ? [...value] : value);
  return calls.map(([method, ...given]) => {
    try {
      for (const steps = translator[method](...given); ; ) {
        const { done, value } = steps.next();
        if (done) return JSON.stringify(value, plain);
      }
    } catch (error) {
      return JSON.stringify({ error: error.message });
    }
  });
}"""


def run(engine: Any, translator: Translator, *calls: list[Any]) -> list[Any]:
    """Results of calls of methods of the browser's translator; an error is its message."""
    return [json.loads(each) for each in engine.evaluate(RUN, [in_base64(packed(translator)), calls])]


def as_lists(looks: dict[int, np.ndarray]) -> dict[str, Any]:
    return {str(step): row.tolist() for step, row in looks.items()}


@pytest.mark.parametrize("name", KINDS)
def test_guided_translations_and_inspected_steps_are_those_of_numpy(engine: Any, name: str) -> None:
    translator = wordy_translator(name)
    best = translator.translate(TEXT)[0]
    prefix, length = [270, 265], len(best.source_ids)
    looks = attention(length) if best.attention is not None else {}
    guide = {"prefix": prefix, "overrides": as_lists(looks)}
    target = [*prefix, *best.target_ids]
    found, seen, plain = run(
        engine,
        translator,
        ["translate", TEXT, guide],
        ["inspect", best.source_ids, target, {"overrides": as_lists(looks)}],
        ["translate", TEXT],
    )
    assert_equal([found], [translator.guided(TEXT, prefix, looks)])
    assert all(each["tokens"][:2] == prefix for each in found["candidates"])
    assert found["candidates"] != plain["candidates"]
    assert_same_steps(seen, translator.inspect(best.source_ids, target, looks), target, translator)


def assert_same_steps(seen: Any, expected: Inspection, target: list[int], translator: Translator) -> None:
    assert_same_marks(seen["source"]["marks"], expected.source)
    assert [step["token"] for step in seen["steps"]] == target
    for one, other in zip(seen["steps"], expected.steps, strict=True):
        logits = one["marks"].pop("logits")
        np.testing.assert_allclose(logits["data"] - np.logaddexp.reduce(logits["data"]), other.log_probs, atol=1e-3)
        assert_same_marks(one["marks"], other.marks)
        assert one["logProb"] == pytest.approx(float(other.log_probs[one["token"]]), abs=1e-3)
        for each in one["candidates"]:
            assert each["logProb"] == pytest.approx(float(other.log_probs[each["token"]]), abs=1e-3)
            assert each["token"] == EOS or each["piece"] == translator.target_tokenizer.pieces([each["token"]])[0]
        assert (one["weights"] is None) == (other.weights is None)
        if other.weights is not None:
            np.testing.assert_allclose(one["weights"], other.weights, atol=1e-5)


def assert_same_marks(found: Any, expected: dict[str, np.ndarray]) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name]["shape"] == list(value.shape), name
        np.testing.assert_allclose(found[name]["data"], value.ravel(), rtol=1e-3, atol=1e-3, err_msg=name)


def test_an_unfinished_translation_has_a_step_for_what_comes_next(engine: Any) -> None:
    translator = wordy_translator()
    source = translator.translate(TEXT)[0].source_ids
    (seen,) = run(engine, translator, ["inspect", source, [270], {"top": 3, "marks": ["weights"]}])
    assert [step["token"] for step in seen["steps"]] == [270, None]
    assert [len(step["candidates"]) for step in seen["steps"]] in ([3, 3], [4, 3])
    assert all([*step["marks"]] == ["weights"] for step in seen["steps"])


def test_the_tree_has_every_hypothesis(engine: Any) -> None:
    translator = wordy_translator()
    found, guided = run(
        engine, translator, ["translate", TEXT, {"tree": True}], ["translate", TEXT, {"tree": True, "prefix": [270]}]
    )
    tree = found["tree"]
    assert all(tree[node["parent"]]["kept"] for node in tree if node["parent"] >= 0)
    branches = [each["branch"] for each in found["candidates"]]
    assert len({*branches}) == len(branches) == 4
    for candidate in found["candidates"]:
        place, target = candidate["branch"], [*candidate["tokens"], EOS]
        source = translator.source_ids(TEXT)
        log_probs = [step.log_probs for step in translator.inspect(source, target).steps]
        for length in range(len(target), 0, -1):
            node, token = tree[place], target[length - 1]
            assert (node["token"], node["kept"]) == (token, True)
            assert node["logProb"] == pytest.approx(log_probs[length - 1][token], abs=1e-3)
            chosen = [log_probs[step][target[step]] for step in range(length)]
            assert node["total"] == pytest.approx(sum(chosen), abs=1e-3)
            considered = [each for each in tree if each["parent"] == node["parent"]]
            assert len(considered) >= 3
            place = node["parent"]
        assert place == -1
    first = [each for each in guided["tree"] if each["parent"] == -1]
    assert [each["token"] for each in first if each["kept"]] == [270]
    assert len(first) > 1


def test_what_cannot_be_is_said_in_a_sentence(engine: Any) -> None:
    (refused, short) = run(
        engine,
        wordy_translator(),
        ["translate", TEXT, {"prefix": [1]}],
        ["translate", TEXT, {"overrides": {"0": [1.0]}}],
    )
    assert refused["error"] == "A translation cannot begin with the token 1."
    assert "weights that are not negative" in short["error"]
    (without,) = run(engine, wordy_translator("seq2seq"), ["translate", TEXT, {"overrides": {"0": [1.0]}}])
    assert "no attention" in without["error"]
