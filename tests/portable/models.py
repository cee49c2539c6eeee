"""Portable models of tiny translators."""

from typing import Any

import pytest

from nmt.portable.export import of_translator
from nmt.portable.file import pack, unpack
from nmt.portable.translator import PortableTranslator
from nmt.translator import Translator

ABOUT: dict[str, Any] = {
    "scripts": {"LATIN": 1.0},
    "longest": 20,
    "pairs": 100,
    "guessing": None,
    "identity": "run",
    "scores": {},
    "card": {},
}


def packed(translator: Translator, int8: bool = False, **about: Any) -> bytes:
    """The content of a file."""
    tensors, record = of_translator(translator)
    return pack(tensors, record | ABOUT | about, int8)


def portable_of(translator: Translator, int8: bool = False) -> PortableTranslator:
    """The same model in numpy, by way of the bytes of a file."""
    return PortableTranslator(*unpack(packed(translator, int8)))


def make_uncapturable(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the score read the value of a tensor."""
    kind = type(translator.model.decoder.attention.score)
    plain = kind.forward
    monkeypatch.setattr(kind, "forward", lambda self, query, keys: plain(self, query, keys) * float(query.sum()))
