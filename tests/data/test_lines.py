"""Lines of a stream that must all be taken as they come: none is refused, none is waited for."""

import io
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.data.lines import MAX_LINE_BYTES, NOTICES, read_lossy


class InPieces(io.BytesIO):
    """A pipe whose content arrives in pieces of a few bytes."""

    def __init__(self, content: bytes, size: int) -> None:
        super().__init__(content)
        self.size = size

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(self.size)


@given(st.lists(st.binary().map(lambda line: line.replace(b"\n", b""))), st.integers(1, 9), st.booleans())
def test_a_line_in_is_a_text_out(lines: list[bytes], size: int, ended: bool) -> None:
    content = b"\n".join(lines) + (b"\n" if ended and lines else b"")
    expected = content.removesuffix(b"\n").split(b"\n") if content else []
    texts = [line.removesuffix(b"\r").decode("utf-8", "replace") for line in expected]
    assert list(read_lossy(InPieces(content, size), "x")) == texts


@pytest.mark.parametrize("size", [70_000, 2**22])
def test_a_long_line_is_cut_between_two_characters(size: int, caplog: pytest.LogCaptureFixture) -> None:
    long, whole = b"x" + "é".encode() * (3 * MAX_LINE_BYTES), b"y" * MAX_LINE_BYTES
    stream = InPieces(b"\n".join([b"a", long, whole, long, b"b"]), size)
    first, cut, uncut, again, last = read_lossy(stream, "pipe")
    assert (first, uncut, last) == ("a", whole.decode(), "b")
    assert cut == again == "x" + "é" * (MAX_LINE_BYTES // 2 - 1)
    notice = "is longer than 1 MiB, and cut there."
    assert caplog.messages == [f"pipe, line 2 {notice}", f"pipe, line 4 {notice}"]


def test_a_line_is_there_as_soon_as_it_has_ended() -> None:
    stream = InPieces(b"one\ntwo\nthree", 4)
    lines = read_lossy(stream, "x")
    assert (next(lines), stream.tell()) == ("one", 4)
    assert (next(lines), stream.tell()) == ("two", 8)


def test_notices_are_few(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert list(read_lossy(io.BytesIO(b"\xff\n" * 9 + b"a\n"), "pipe")) == ["\ufffd"] * 9 + ["a"]
    assert len(caplog.messages) == NOTICES + 1
    assert caplog.messages[0] == "pipe, line 1 is not valid UTF-8, with \ufffd for what cannot be read."
    assert caplog.messages[-1] == "pipe: 9 such lines of 10."
