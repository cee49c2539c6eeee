"""The engine of the page computes what PyTorch computes."""

import json
from typing import Any

import numpy as np
import pytest
import torch

from nmt.data.tokenizer import Tokenizer
from nmt.portable.file import pack, unpack
from nmt.search import Beam
from nmt.special import EOS
from nmt.translator import Translation, Translator
from nmt.web.assemble import bundle
from nmt.words import merge_words
from tests.browser import in_base64
from tests.conftest import CELLS, MODELS, tiny_model
from tests.portable.models import packed
from tests.web.conftest import wordy, wordy_translator

TEXTS = ["I see a cat .", "we see it .", "nous le voyons .", "x", "Ça va, 猫 ?", "a " * 12]
TRANSLATE = """async ([model, texts, plain]) => {
  const translator = await module_translator.Translator.open(module_file.fromBase64(model), plain);
  return texts.map((text) => {
    for (const steps = translator.translate(text); ; ) {
      const { done, value } = steps.next();
      if (done) return JSON.stringify({ ...value, fast: "product" in translator.model.next.products });
    }
  });
}"""


def found(engine: Any, translator: Translator, texts: list[str], int8: bool = False, plain: bool = False) -> list[Any]:
    """The results of the engine in the browser."""
    model = in_base64(packed(translator, int8))
    return [json.loads(each) for each in engine.evaluate(TRANSLATE, [model, texts, plain])]


def assert_equal(results: list[Any], expected: list[list[Translation]]) -> None:
    """All candidates have the same tokens, scores, words and attention."""
    for result, candidates in zip(results, expected, strict=True):
        assert result["sourceIds"] == candidates[0].source_ids
        assert [each["tokens"] for each in result["candidates"]] == [each.target_ids[:-1] for each in candidates]
        assert [each["text"] for each in result["candidates"]] == [each.text for each in candidates]
        for one, other in zip(result["candidates"], candidates, strict=True):
            assert one["score"] == pytest.approx(other.score, rel=1e-4, abs=1e-4)
            assert [word["text"] for word in one["words"]] == [word.text for word in other.words]
            confidences = [word.confidence for word in other.words]
            assert [word["confidence"] for word in one["words"]] == pytest.approx(confidences, abs=1e-4)
            assert one["confidence"] == pytest.approx(other.confidence, abs=1e-4)
            assert (one["attention"] is None) == (other.attention is None)
            if other.attention is not None:
                _, merged = merge_words(other.source_tokens, other.attention, axis=1)
                _, merged = merge_words(other.target_tokens, merged, axis=0)
                assert np.allclose(one["attention"], merged, atol=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_gives_what_pytorch_gives(engine: Any, model: str) -> None:
    translator = wordy_translator(model)
    assert_equal(found(engine, translator, TEXTS), translator.nbest(TEXTS))


@pytest.mark.parametrize("cell", CELLS)
def test_every_cell_gives_what_pytorch_gives(engine: Any, cell: str) -> None:
    translator = wordy_translator("stacked", f"model/cell={cell}")
    assert_equal(found(engine, translator, TEXTS[:3]), translator.nbest(TEXTS[:3]))


@pytest.mark.parametrize("int8", [False, True])
def test_plain_javascript_gives_the_same(engine: Any, int8: bool) -> None:
    translator = wordy_translator()
    fast, plain = (found(engine, translator, TEXTS, int8, plain) for plain in (False, True))
    assert [each.pop("fast") for each in fast] == [True] * len(TEXTS)  # WebAssembly works here
    assert [each.pop("fast") for each in plain] == [False] * len(TEXTS)
    for one, other in zip(fast, plain, strict=True):
        assert [each["tokens"] for each in one["candidates"]] == [each["tokens"] for each in other["candidates"]]
        scores = [[each["score"] for each in result["candidates"]] for result in (one, other)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-4)


def test_a_new_request_replaces_the_one_before_it(engine: Any) -> None:
    long = "cat see " * 40  # takes several slices of the worker
    order = engine.evaluate(
        """async ([code, model, long]) => {
          const worker = new Worker(URL.createObjectURL(new Blob([code])));
          const done = [];
          const ended = (id) => new Promise((resolve) => {
            worker.onmessage = ({ data }) => { if (!data.error) done.push(data.id); if (data.id === id) resolve(); };
          });
          const task = { name: "translate", model: "m" };
          const ask = (id, text) => worker.postMessage({ id, lane: "a", task: { ...task, text } });
          worker.postMessage({ give: "m", model });
          ask(1, long);
          ask(2, "a");
          await ended(2);
          for (const id of [3, 4]) { // by the end of which the first would have ended too
            ask(id, long);
            await ended(id);
          }
          return done;
        }""",
        [bundle("worker"), in_base64(packed(endless())), long],
    )
    assert order == [2, 3, 4]


def endless() -> Translator:
    """A translator whose translations are as long as they may be."""
    translator = wordy_translator()
    translator.model.output.bias.data[EOS] = -100
    return translator


def test_attention_is_left_out_where_it_would_be_too_large_to_show(engine: Any) -> None:
    translator = endless()
    (result,) = found(engine, translator, ["cat see " * 60])
    assert [each["attention"] for each in result["candidates"]] == [None] * 4
    assert result["candidates"][0]["text"] == translator.translate("cat see " * 60)[0].text


def test_separate_unigram_vocabularies(engine: Any) -> None:
    source, target = unigram("the cat sees a small dog", 320), unigram("le chat voit un petit chien", 310)
    model = tiny_model(vocab=len(source))
    model.joint_vocab = False
    model.embed_target = torch.nn.Embedding(len(target), model.embed_target.embedding_dim)
    model.output = torch.nn.Linear(model.output.in_features, len(target))
    translator = Translator(wordy(model, target).eval(), source, target, Beam(beam_size=3), torch.device("cpu"))
    texts = ["the cat sees a small dog", "a dog sees", "the 猫"]
    assert_equal(found(engine, translator, texts), translator.nbest(texts))


def unigram(text: str, size: int) -> Tokenizer:
    words = text.split()
    sentences = [" ".join(words[i:] + words[:i]) for i in range(len(words))] * 20
    return Tokenizer.train(sentences, size, vocab_type="unigram")


def with_operation(name: str, tensors: Any, record: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    record["graphs"]["step"]["nodes"][0][0] = name
    return tensors, record


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda file: b"", "it has no header"),
        (lambda file: b"PK" + file, "it has no header"),
        (lambda file: file[:-1], "its checksum is wrong"),
        (lambda file: file[:-9] + bytes([file[-9] ^ 1]) + file[-8:], "its checksum is wrong"),
        (lambda file: file.replace(b'\\"version\\": 2', b'\\"version\\": 9'), "it is of format 9"),
        (lambda file: file.replace(b'\\"tanh\\"', b'\\"cos\\" '), "its checksum is wrong"),
        (lambda file: file.replace(b'\\"beam_size\\": 4', b'\\"beam_size\\": 1'), "its checksum is wrong"),
        (lambda file: pack(*with_operation("eval", *unpack(file)), int8=False), "it needs the operation eval"),
    ],
)
def test_a_damaged_model_is_refused_in_one_sentence(engine: Any, change: Any, reason: str) -> None:
    damaged = change(packed(wordy_translator()))
    with pytest.raises(Exception, match=reason):
        engine.evaluate(TRANSLATE, [in_base64(damaged), TEXTS, False])
