"""Lines of a stream that must all be taken as they come: none is refused, none is waited for."""

import io
import os

from hypothesis import given
from hypothesis import strategies as st

from nmt.data.lines import read_lossy


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
