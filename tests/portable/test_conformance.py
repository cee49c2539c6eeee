"""Every model translates in numpy as it does in PyTorch: texts, scores and attention."""

import functools
from typing import Literal

import numpy as np
import pytest
import torch

from nmt.data.tokenizer import Tokenizer
from nmt.search import Beam, Greedy, Search
from nmt.translation import Translation
from nmt.translator import Translator
from tests.conftest import CELLS, MODELS, ROOT, tiny_model, tiny_translator
from tests.portable.models import portable_of

TEXTS = ["I see a cat .", "it", "", "we see it . " * 3, "a 猫 नमस्ते 🎉"]
# Long sentences of models that have learnt nothing repeat themselves, in n-best lists full of near ties.
SHORT = {"max_length_ratio": 1.0, "max_length_extra": 4}


def opinionated(model: torch.nn.Module) -> torch.nn.Module:
    """The model with an output bias strong enough that rounding decides nothing."""
    with torch.no_grad():
        model.output.bias.normal_(std=2, generator=torch.Generator().manual_seed(1))
    return model.eval()


def assert_same(translator: Translator, texts: list[str] = TEXTS) -> None:
    portable = portable_of(translator)
    for expected, found in zip(translator.nbest(texts), portable.nbest(texts), strict=True):
        assert_same_list(expected, found)
    assert portable.languages == translator.languages


def assert_same_list(expected: list[Translation], actual: list[Translation]) -> None:
    """Equal n-best lists, in which only hypotheses whose scores differ by rounding may change places."""
    assert [one.score for one in actual] == pytest.approx([one.score for one in expected], rel=1e-6, abs=1e-5)
    by_tokens = {tuple(one.target_ids): one for one in expected}
    for one in actual:
        if twin := by_tokens.get(tuple(one.target_ids)):
            assert_same_translation(twin, one)
        else:  # which of several equal hypotheses are the last of the list
            assert one.score == pytest.approx(expected[-1].score, rel=1e-6, abs=1e-5)


def assert_same_translation(one: Translation, other: Translation) -> None:
    for name in ("text", "source_tokens", "target_tokens", "source_ids", "target_ids"):
        assert getattr(one, name) == getattr(other, name)
    assert one.score == pytest.approx(other.score, rel=1e-6, abs=1e-5)
    assert one.log_probs == pytest.approx(other.log_probs, abs=1e-4)
    assert (one.attention is None) == (other.attention is None)
    if one.attention is not None:
        np.testing.assert_allclose(one.attention, other.attention, atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_every_named_model(name: str) -> None:
    assert_same(tiny_translator(name, **SHORT))


@pytest.mark.parametrize("cell", CELLS)
def test_every_cell_in_stacked_layers(cell: str) -> None:
    translator = tiny_translator(**SHORT)
    layers = "model.encoder.layers=2", "model.decoder.layers=2"
    model = tiny_model("model=bahdanau", f"model/cell={cell}", *layers, vocab=len(translator.source_tokenizer))
    translator.model = opinionated(model)
    assert_same(translator)


@pytest.mark.parametrize("score", ["multi_head", "structured"])
def test_one_context_for_the_sentence_from_several_heads(score: str) -> None:
    translator = tiny_translator(**SHORT)
    overrides = "model=luong", f"model/score={score}", "model/alignment=static"
    translator.model = opinionated(tiny_model(*overrides, vocab=len(translator.source_tokenizer)))
    assert_same(translator)


@functools.cache
def vocabulary(language: str, kind: Literal["bpe", "unigram"]) -> Tokenizer:
    lines = (ROOT / "data/demo/eng-fra.tsv").read_text(encoding="utf-8").splitlines()[:400]
    sides = [line.split("\t")[0 if language == "eng" else 1] for line in lines]
    return Tokenizer.train(sides, {"eng": 400, "fra": 420}[language], kind)


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_vocabularies_joint_and_separate(kind: Literal["bpe", "unigram"], joint: bool) -> None:
    source, target = vocabulary("eng", kind), vocabulary("eng" if joint else "fra", kind)
    model = tiny_model("model=bahdanau", *(["model.tie=all"] if joint else []), vocab=len(source))
    if not joint:
        model = tiny_model("model=luong", "model.tie=none", vocab=max(len(source), len(target)))
        keep = model.embed_source.weight[: len(source)], model.embed_target.weight[: len(target)]
        model.embed_source = torch.nn.Embedding.from_pretrained(keep[0].detach())
        model.embed_target = torch.nn.Embedding.from_pretrained(keep[1].detach())
        model.output = torch.nn.Linear(model.output.in_features, len(target))
    translator = Translator(opinionated(model), source, target, Beam(beam_size=3), torch.device("cpu"))
    assert_same(translator, ["Emma sees the black cat.", "Do you hear it?"])


@pytest.mark.parametrize(
    "search",
    [
        Greedy(),
        Beam(beam_size=1),
        Beam(beam_size=9, length_penalty=0.0),
        Beam(max_length_ratio=0.3, max_length_extra=2),
    ],
    ids=lambda search: type(search).__name__,
)
def test_every_setting_of_the_search(search: Search) -> None:
    translator = tiny_translator()
    translator.search = search
    assert_same(translator)
