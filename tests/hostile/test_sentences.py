"""Any bytes through one process of translate.py: a line in is a line out, in order, whatever it holds."""

import json
import random
from pathlib import Path

from nmt.commands.reading import chunks
from nmt.data.lines import NOTICES
from tests.commands import Finished, translate
from tests.hostile.corpora import BAD_LINES, BLANK_LINES, BOM, WORDS
from tests.hostile.test_corpora import EXAMPLES

SHOWN = b"I see a cat."


def hostile_line(rng: random.Random) -> bytes:
    """Bytes without a newline."""
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice(BLANK_LINES + BAD_LINES)
    if kind == 1:
        return rng.randbytes(rng.randrange(40)).replace(b"\n", b"")
    if kind == 2:  # any characters, surrogates as UTF-8 would write them included
        codes = [rng.randrange(rng.choice([0x80, 0x3000, 0x110000])) for _ in range(rng.randrange(1, 12))]
        return "".join(map(chr, codes)).replace("\n", "").encode("utf-8", "surrogatepass")
    if kind == 3 and not rng.randrange(12):  # a very long word
        return rng.choice(WORDS).encode() * rng.randrange(100)
    ends = rng.choice([b"", b"", b"\r", b" \r\r", b"\xe2\x80\xa8"])
    return " ".join(rng.choices(WORDS, k=rng.randrange(1, 7))).encode() + ends


def as_source(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")


def assert_line_by_line(run: Path, lines: list[bytes], *arguments: str) -> None:
    done = translate(run, *arguments, stdin=b"\n".join(lines))
    stdout, stderr = done.stdout, done.stderr
    assert done.returncode == 0, stderr[-2000:]
    assert "Traceback" not in stderr
    out = stdout.split("\n")
    assert out.pop() == ""
    assert out == stdout.splitlines()
    assert len(out) == len(lines)
    invalid = [number for number, line in enumerate(lines, start=1) if "\ufffd" in as_source(line) and not valid(line)]
    notices = [line for line in stderr.splitlines() if "is not valid UTF-8" in line]
    named = [f"standard input, line {number} is" for number in invalid[:NOTICES]]
    assert [notice.partition(" not valid")[0] for notice in notices] == named
    if len(invalid) > NOTICES:
        assert f"standard input: {len(invalid)} such lines of {len(lines)}." in stderr
    if "--json" in arguments:
        values = [json.loads(line) for line in out]
        assert [value["source"] for value in values] == [as_source(line) for line in lines]
        for value in values:
            assert (value["attention"] is None) == (value["text"] == "" and not value["source_tokens"])


def valid(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_hostile_sentences(finished: Finished) -> None:
    rng = random.Random(1)
    lines = [BOM + b"I see", *(hostile_line(rng) for _ in range(7 * EXAMPLES)), SHOWN]
    assert_line_by_line(finished[0], lines, "--json")
    assert_line_by_line(finished[0], lines[-60:], "--beam", "1")


def test_long_lines_are_translated_in_small_chunks() -> None:
    short, long = ["I see a cat."] * 5000, ["x" * 4000] * 100
    assert [len(chunk) for chunk in chunks(short, 2048, nbest=5)] == [2048, 2048, 904]
    sizes = [len(chunk) for chunk in chunks(long + short, 2048, nbest=5)]
    assert max(sizes[:7]) < 20
    assert sum(sizes) == 5100
    assert [len(chunk) for chunk in chunks(long[:3], 2048, nbest=1000)] == [1, 1, 1]
    assert [len(chunk) for chunk in chunks(short[:3], 1, nbest=5)] == [1, 1, 1]


def test_bytes_of_the_command_line(finished: Finished) -> None:
    done = translate(finished[0], "--json", b"a \xff".decode("utf-8", "surrogateescape"), "b\n")
    assert [json.loads(line)["source"] for line in done.stdout.splitlines()] == ["a \ufffd", "b", ""]
    assert "the command line, line 1 is not valid UTF-8" in done.stderr
