"""The file of a portable model: what it holds, and that nothing damaged or foreign is used."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load

from nmt.errors import UserError
from nmt.portable import file
from nmt.portable.translator import PortableTranslator
from tests.conftest import tiny_tokenizer, tiny_translator
from tests.damage import DAMAGES, damaged
from tests.portable.models import packed


@pytest.fixture(scope="module")
def content() -> bytes:
    return packed(tiny_translator(), int8=True)


def assert_refused(path: Path, *words: str) -> None:
    """One sentence that names the file."""
    with pytest.raises(UserError) as error:
        PortableTranslator.load(path)
    assert all(word in str(error.value) for word in (str(path), *words))
    assert "\n" not in str(error.value)


def test_it_is_a_safetensors_file(content: bytes) -> None:
    stored, (tensors, record) = load(content), file.unpack(content)
    assert {str(tensor.dtype) for tensor in stored.values()} == {"float32", "int8", "uint8"}
    np.testing.assert_array_equal(tensors["output.bias"], stored["output.bias"])  # vectors are not rounded
    assert record["languages"] == ["source", "target"]


def test_each_number_of_int8_is_half_a_step_away_at_most() -> None:
    matrix = np.random.default_rng(1).normal(size=(7, 50)).astype(np.float32)
    matrix[3] = 0.0
    tensors, _ = file.unpack(file.pack({"a": matrix, "b": matrix[0]}, {}, int8=True))
    assert np.all(np.abs(tensors["a"] - matrix) <= np.abs(matrix).max(axis=1, keepdims=True) / 127 / 2 * 1.001)
    np.testing.assert_array_equal(tensors["b"], matrix[0])


def test_every_damage_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    path, other, random = tmp_path / "a.nmt", tmp_path / "other/text", Random(1)
    path.write_bytes(content)
    other.parent.mkdir()
    other.write_text("They are watching.\n" * 100)
    for kind in DAMAGES * 5:
        if kind != "linked":  # a link to a file is in order
            with damaged(path, kind, random, other):
                assert_refused(path)


FOREIGN = {
    "text": b"They are watching.\n" * 100,
    "deep JSON": (200_000).to_bytes(8, "little") + b"[" * 200_000,
    "a huge header": (2**62).to_bytes(8, "little") + b"{}",
    "other tensors": file.pack({"a": np.zeros(3, np.float32)}, {}, int8=False),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files_are_one_sentence(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.nmt"
    path.write_bytes(FOREIGN[kind])
    assert_refused(path, "export.py")


def test_what_is_no_file_is_one_sentence(tmp_path: Path) -> None:
    assert_refused(tmp_path / "none.nmt", "No such file")
    assert_refused(tmp_path, "Is a directory")
    assert_refused(Path("/dev/zero"))


def step_of(record: dict[str, Any]) -> list[Any]:
    return record["graphs"]["step"]["nodes"]


FORGED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "an unknown operation": lambda record: step_of(record).__setitem__(0, ["exec", [], {"value": 1}]),
    "a value that comes later": lambda record: step_of(record)[-1].__setitem__(1, [10**6]),
    "a negative value": lambda record: step_of(record)[-1].__setitem__(1, [-1]),
    "an unknown constant": lambda record: step_of(record)[-1].__setitem__(1, ["none"]),
    "a setting of no operation": lambda record: step_of(record)[-1].__setitem__(2, {"none": 1}),
    "a graph without nodes": lambda record: record["graphs"]["step"].update(nodes=[]),
    "no graphs": lambda record: record.pop("graphs"),
    "graphs that are a list": lambda record: record.update(graphs=[1]),
    "an impossible beam": lambda record: record["decode"].update(beam_size=0),
    "an unknown setting of the search": lambda record: record["decode"].update(future=1),
    "one language": lambda record: record.update(languages=["eng"]),
    "scripts that are text": lambda record: record.update(scripts="LATIN"),
    "a threshold that is text": lambda record: record.update(guessing="high"),
    "formulas without text": lambda record: record["formulas"]["score"].pop("text"),
    "a card that is a list": lambda record: record.update(card=["a"]),
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_record_that_makes_no_model_is_one_sentence(content: bytes, tmp_path: Path, kind: str) -> None:
    tensors, record = file.unpack(content)
    FORGED[kind](record)
    file.write(path := tmp_path / "a.nmt", tensors, record)
    assert_refused(path)


@pytest.mark.parametrize("version", [1, 3])
def test_another_format_is_one_sentence(content: bytes, tmp_path: Path, version: int) -> None:
    (path := tmp_path / "a.nmt").write_bytes(content.replace(b'\\"version\\": 2', b'\\"version\\": %d' % version))
    assert_refused(path, f"format {version}, and this version reads 2", "export it again")


@pytest.mark.parametrize("wrong", [b"no model", b"", tiny_tokenizer().model[:-100]])
def test_tokenizers_are_checked(content: bytes, tmp_path: Path, wrong: bytes) -> None:
    tensors, record = file.unpack(content)
    file.write(path := tmp_path / "a.nmt", tensors | {"tokenizer.source": np.frombuffer(wrong, np.uint8)}, record)
    assert_refused(path)
