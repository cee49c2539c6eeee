"""Whatever a file holds, a reader gives pairs, or one sentence that names the file; damaged rows can be skipped."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings

from nmt.data.bitext import reader_of
from nmt.data.discovery import complete
from nmt.data.settings import DataSettings
from nmt.errors import UserError
from tests.hostile.corpora import WRITERS, Pair, files
from tests.hostile.test_corpora import EXAMPLES, HYPOTHESIS, place  # noqa: F401 - a fixture


def read(path: Path, on_error: str) -> tuple[list[list[str]], int] | str:
    """The rows of a file and the number of those that were skipped, or the error."""
    data = DataSettings("x", str(path), on_error=on_error)  # type: ignore[arg-type]
    try:
        data = complete(data)
        assert data.path is not None
        rows = list(reader_of(data, data.path).clean_rows())
    except UserError as error:
        return str(error)
    assert {len(row) for row in rows} <= {0, 2}
    "".join(cell for row in rows for cell in row).encode()
    return [row for row in rows if row], rows.count([])


@pytest.mark.parametrize("kind", WRITERS)
def test_hostile_files(kind: str, place: Path) -> None:  # noqa: F811
    @settings(HYPOTHESIS, max_examples=EXAMPLES)
    @given(file=files(kind))
    def run(file: tuple[bytes, list[Pair] | None]) -> None:
        content, pairs = file
        path = place / WRITERS[kind][0]
        path.write_bytes(content)
        strict, lenient = (read(path, on_error) for on_error in ("stop", "skip"))
        if pairs is not None:
            assert strict == lenient == ([list(row) for row in pairs], 0)
        for result in (strict, lenient):
            if isinstance(result, str):
                assert str(path) in result
                assert result.isprintable()
        if isinstance(lenient, str):
            assert isinstance(strict, str)
        elif isinstance(strict, str):
            assert lenient[1] > 0, "what stops the reading is counted when it is skipped"
            assert re.match(rf"{re.escape(str(path))}(::[^:]+)?:\d+: ", strict), strict
        else:
            assert strict == lenient

    run()
