"""Other attention than the model's own: the batched figures are those of single steps, and mean what they say."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from nmt.data.heldout import HeldOut
from nmt.evaluation import faithfulness
from nmt.evaluation.faithfulness import Attended, Inattentive, measure
from nmt.special import EOS
from nmt.translator import Translator
from tests.commands import assert_fails, evaluate, succeeded
from tests.conftest import ROOT, assert_refused, tiny_translator
from tests.portable.test_conformance import SHORT
from tests.reports import content, figures

EXAMPLES = [
    HeldOut("I see a cat .", ("je vois un chat .",)),
    HeldOut("we see it .", ("nous le voyons .", "nous voyons .")),
    HeldOut("", ("",)),
    HeldOut("a", ("un un un un",)),
]


def plainly(translator: Translator, kind: str) -> float:
    """The mean log probability, one step after the other, from the definitions."""
    total, tokens = 0.0, 0
    for example in EXAMPLES:
        source = tuple(translator.source_ids(example.source))
        target = [*translator.target_tokenizer.encode(example.references[0]), EOS]
        if not source:
            continue
        own = [step.marks["weights"] for step in translator.inspect(source, target).steps]
        random = np.random.default_rng([faithfulness.SEED, *source])
        if kind == "uniform":
            overrides = {t: np.full(len(source), 1 / len(source)) for t in range(len(target))}
        else:
            order = random.permutation(len(target))
            overrides = {t: own[order[t]] for t in range(len(target))}
        for token, step in zip(target, translator.inspect(source, target, overrides).steps, strict=True):
            total, tokens = total + float(step.log_probs[token]), tokens + 1
    return total / tokens


@pytest.mark.parametrize(
    "name", ["bahdanau", "coverage", "local_p", "luong", "multi_head", "self_attentive", "stacked"]
)
def test_batches_give_what_single_steps_give(name: str) -> None:
    translator = tiny_translator(name, **SHORT)
    found = measure(translator, EXAMPLES)
    assert found.others["uniform"].log_prob == pytest.approx(plainly(translator, "uniform"), abs=1e-5)
    assert found.others["permuted"].log_prob == pytest.approx(plainly(translator, "permuted"), abs=1e-5)
    assert len({round(each.log_prob, 7) for each in (found.own, *found.others.values())}) == 4
    translator.search = translator.search.changed(batch_tokens=1)
    again = measure(translator, EXAMPLES)
    for name, one in found.others.items():
        assert again.others[name].log_prob == pytest.approx(one.log_prob, abs=1e-6)
        assert again.others[name].bleu == pytest.approx(one.bleu)


def test_an_order_that_moves_nothing_changes_nothing() -> None:
    translator = tiny_translator(**SHORT)
    texts = [example.source for example in EXAMPLES]
    same = Inattentive(translator, lambda source, steps: np.tile(np.arange(len(source)), (steps, 1)))
    one, other = translator.translate(texts), faithfulness._changed(translator, same)
    greedy = faithfulness._changed(translator, translator.model)
    assert [each.text for each in other.translate(texts)] == [each.text for each in greedy.translate(texts)]
    turned = Inattentive(translator, lambda source, steps: np.tile(np.arange(len(source))[::-1], (steps, 1)))
    first, backwards = (faithfulness._changed(translator, model).translate(texts[0])[0] for model in (same, turned))
    np.testing.assert_allclose(first.attention[0], backwards.attention[0, ::-1], atol=1e-6)
    assert len(one) == 4


def test_a_model_without_attention_is_one_sentence() -> None:
    assert_refused("no attention", measure, tiny_translator("seq2seq"), EXAMPLES)
    assert_refused("needs a sentence", measure, tiny_translator(), [EXAMPLES[2]])


def test_the_command_writes_them(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tests/fixtures/run-2/run", run := tmp_path / "run")
    done = succeeded(evaluate(run, "--faithfulness"))
    record = json.loads((run / "eval/faithfulness.json").read_text())
    assert record["own"].keys() == Attended.__annotations__.keys()
    assert [*record["others"]] == ["uniform", "shuffled", "permuted"]
    assert f"{record['others']['shuffled']['log_prob']:.3f}" in done.stdout
    assert "decode" not in record["evaluated"]
    shown = figures(content(run / "eval/report.html"))["faithfulness"]["rows"]
    bleu = [each["bleu"] for each in (record["own"], *record["others"].values())]
    assert [row[2] for row in shown] == pytest.approx(bleu)
    assert_fails(evaluate(run, "--faithfulness", "--run", str(run)), "one --run")
    succeeded(evaluate(run))
    assert figures(content(run / "eval/report.html"))["faithfulness"]["rows"] == shown  # kept by later evaluations
