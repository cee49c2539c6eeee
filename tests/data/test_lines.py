"""Lines of a stream that must all be taken as they come: none is refused, none is waited for."""

import io
import logging
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.data.lines import NOTICES, read_lossy


@given(st.lists(st.binary().map(lambda line: line.replace(b"\n", b""))), st.booleans())
def test_a_line_in_is_a_text_out(lines: list[bytes], ended: bool) -> None:
    content = b"\n".join(lines) + (b"\n" if ended and lines else b"")
    expected = content.removesuffix(b"\n").split(b"\n") if content else []
    texts = [line.removesuffix(b"\r").decode("utf-8", "replace") for line in expected]
    assert list(read_lossy(io.BytesIO(content), "x")) == texts


def test_a_line_is_there_as_soon_as_it_has_ended() -> None:
    reading, writing = os.pipe()
    with open(reading, "rb") as stream, open(writing, "wb", buffering=0) as pipe:
        lines = read_lossy(stream, "x")
        for text in ("one", "two"):
            pipe.write(f"{text}\nhalf of ".encode())
            assert next(lines).removeprefix("half of ") == text  # else it would wait here


def test_notices_are_few(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert list(read_lossy(io.BytesIO(b"\xff\n" * 9 + b"a\n"), "pipe")) == ["\ufffd"] * 9 + ["a"]
    assert len(caplog.messages) == NOTICES + 1
    assert caplog.messages[0] == "pipe, line 1 is not valid UTF-8, with \ufffd for what cannot be read."
    assert caplog.messages[-1] == "pipe: 9 such lines of 10."
