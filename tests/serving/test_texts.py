"""Cutting into sentences, HTML, languages and corrections, without a server."""

import asyncio
import html
import json
import logging
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest

from nmt.commands.serve import is_loopback, read_keys, settings_of
from nmt.commands.serve import parse as parse_options
from nmt.config import DataSettings
from nmt.data.bitext import reader_of
from nmt.data.discovery import complete
from nmt.serving.detection import Detector
from nmt.serving.guard import Guard
from nmt.serving.jobs import Processes
from nmt.serving.models import Models, load_numpy
from nmt.serving.results import Job
from nmt.serving.sentences import LONGEST, cut
from nmt.serving.suggestions import Suggestions
from nmt.serving.translating import Texts
from tests.conftest import assert_refused


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I see. You hear!  Why?", ["I see.", "You hear!", "Why?"]),
        ("One line\nanother one\r\n\r\n", ["One line", "another one"]),
        ("Mr. Smith and J. Doe left, e.g. today. They know.", ["Mr. Smith and J. Doe left, e.g. today.", "They know."]),
        ('He said "No." And left.', ['He said "No."', "And left."]),
        ("It costs 3.5 euros. yes", ["It costs 3.5 euros. yes"]),
        ("我看见猫。你呢？「好。」他说", ["我看见猫。", "你呢？", "「好。」", "他说"]),
        ("यह बिल्ली है। वह कुत्ता है।", ["यह बिल्ली है।", "वह कुत्ता है।"]),
        ("Quoi ? Non !", ["Quoi ?", "Non !"]),
        ("  \n\t", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    found = cut(text)
    assert found.sentences == sentences
    assert "".join(a + b for a, b in zip(found.gaps, [*sentences, ""], strict=True)) == text


@hypothesis.given(st.text(alphabet="aB .!?\n\t。」\u00a0é…", max_size=300) | st.text())
def test_cutting_loses_nothing(text: str) -> None:
    found = cut(text)
    assert "".join(a + b for a, b in zip(found.gaps, [*found.sentences, ""], strict=True)) == text
    assert all(sentence.strip() == sentence != "" for sentence in found.sentences)


def test_long_sentences_are_cut_at_spaces() -> None:
    found = cut("word " * 1000 + "x" * 1000)
    assert max(map(len, found.sentences)) <= LONGEST
    assert found.sentences[0].endswith("word")
    assert cut("。".join("ab")).joined(["One.", "Two."]) == "One. Two."  # English has a space there
    assert cut("a。b").joined(["甲。", "乙"]) == "甲。乙"


class Dictionary:
    """Translates by writing words backwards, in reverse order, and knows which word is which."""

    name, capacity = "dictionary", 2

    async def start(self) -> None:
        pass

    def check(self) -> None:
        pass

    def stop(self) -> None:
        pass

    async def run(self, job: Job) -> Any:
        await asyncio.sleep(0)
        words = job.sentence.split()
        text = " ".join(word.upper() for word in reversed(words))
        return (text, [(len(words) - 1 - i, i) for i in range(len(words))]) if job.result == "linked" else [text]


def in_html(text: str) -> str:
    found: list[str] = asyncio_run(Texts(Dictionary()).translate_html(0, [text]))
    return found[0]


def asyncio_run(work: Any) -> Any:
    """The same in a thread of its own, as playwright leaves a loop in that of the tests."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("<p>one <b>two</b> three</p>", "<p>THREE <b>TWO</b> ONE</p>"),
        ("one <b>two <i>three</i></b>", "<b><i>THREE</i> TWO</b> ONE"),
        ("<a href='x>y'>one two</a>.", "<a href='x>y'>TWO. ONE</a>"),
        ("one <img src=x> two", "<img src=x>TWO ONE"),
        ("<script>if (a<b) x</script><p>one</p>", "<script>if (a<b) x</script><p>ONE</p>"),
        ("one <code>x y</code> two", "<code>x y</code> TWO ONE"),
        ('<span translate="no">Ann <b>x</b></span> sees', ' <span translate="no">Ann <b>x</b></span> SEES'),
        ("one &amp; &lt;b&gt; 5 < 6", "6 &lt; 5 &lt;B&gt; &amp; ONE"),
        ("one</b> two <i>three", "<i>THREE </b>TWO ONE"),
        ("one<b></b>two three", "THREE <b></b>ONETWO"),
        ("one <i>two <b>three</b>", "<b>THREE</b> <i>TWO ONE"),
        ("<!-- one --><h1>two</h1>\n<br>three", "<!-- one --><h1>TWO</h1>\n<br>THREE"),
        ("one <unclosed two", "ONE <unclosed two"),
    ],
)
def test_html_keeps_its_tags_around_the_same_words(source: str, target: str) -> None:
    assert in_html(source) == target


TAGS = ["<b>", "</b>", "<i>", "</i>", "<p>", "</p>", "<br>", "<img>"]
PIECES = st.sampled_from([*TAGS, " ", "one", "Two. ", "&lt;", "<"])


@hypothesis.given(st.lists(PIECES, max_size=40).map("".join))
def test_every_tag_is_kept_once(text: str) -> None:
    def tags(text: str) -> list[str]:
        return sorted(re.findall(r"</?\w+>", text))

    result = in_html(text)
    assert tags(result) == tags(text)
    bare, given = (html.unescape(re.sub(r"</?\w+>", "", each)).upper().split() for each in (result, text))
    assert sorted("".join(bare)) == sorted("".join(given))


@pytest.mark.parametrize("unit", ["<b>a</b> ", "<b>a ", '<a "', "<code ", "<!--", "<", "&", "</b>", "a<img>"])
def test_html_takes_time_in_proportion_to_its_length(unit: str) -> None:
    begin = time.process_time()
    in_html(unit * (20_000 // len(unit)))
    assert time.process_time() - begin < 3  # it would be many if it were the square


def test_languages_are_detected_by_script_and_vocabulary(files: list[Path]) -> None:
    models = Models(load_numpy(files)[0])
    detector = Detector(models)
    assert [each["language"] for each in detector.detect("я вижу море")] == ["ru", "en", "fr"]
    rare = detector.detect("щЖ")[0]  # letters that no vocabulary has, but a script that one language has
    assert (rare["language"], rare["confidence"] > 90) == ("ru", True)
    first, second, third = detector.detect("I see a cat.")
    assert first["language"] == "en"
    assert first["confidence"] >= second["confidence"] >= third["confidence"]
    assert sum(each["confidence"] for each in detector.detect("?")) == pytest.approx(100, abs=0.2)
    assert models.targets(models.labels[0]) == ["en", "fr"]
    for name in ("en", "eng", "EN-us", "English"):
        assert models.label(name) == ("en", "English")
    assert_refused("both translate English to French", Models, [models.models[0]] * 2)


def test_corrections_are_a_corpus_that_training_reads(tmp_path: Path) -> None:
    suggestions = Suggestions(tmp_path / "a")
    assert suggestions.add(("eng", "fra"), "I\tsee\x00 it.\nYes.", "Je le vois.\nOui.")
    assert suggestions.add(("eng", "fra"), "One\nTwo", "Un deux")
    assert suggestions.add(("eng", "fra"), " ", "\n")
    (path,) = (tmp_path / "a").iterdir()
    assert path.read_text() == "eng\tfra\nI see it.\tJe le vois.\nYes.\tOui.\nOne Two\tUn deux\n"
    assert path.stat().st_mode & 0o077 == 0
    found = complete(DataSettings(name="x", path=str(path)))
    assert (found.source, found.target, found.header) == ("eng", "fra", True)
    rows = list(reader_of(found, str(path)).clean_rows())
    assert rows == [["I see it.", "Je le vois."], ["Yes.", "Oui."], ["One Two", "Un deux"]]
    suggestions.add(("../x", "fra"), "a", "b")
    assert {each.name for each in (tmp_path / "a").iterdir()} == {"eng-fra.tsv", "___x-fra.tsv"}


def test_other_computers_need_a_key(tmp_path: Path) -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.3.2.1", "::1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.2", "example.org")))
    assert_refused("give --api-key-file", settings_of, parse_options(["--host", "0.0.0.0"]))
    (keys := tmp_path / "keys").write_text("# staff\n\n")
    assert_refused("has no API key", read_keys, keys)
    keys.write_text("short\n")
    assert_refused("less than 16 characters", read_keys, keys)
    keys.write_text("# staff\n" + "k" * 16 + "\n")
    settings = settings_of(parse_options(["--host", "192.168.1.2", "--api-key-file", str(keys)]))
    assert len(settings.keys) == 1
    assert "192.168.1.2" in settings.hosts


def test_an_unforeseen_error_is_500_without_details(caplog: pytest.LogCaptureFixture) -> None:
    async def failing(scope: Any, receive: Any, send: Any) -> None:
        raise ValueError("secretive words")

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/translate", "query_string": b"q=secretive"}
    with caplog.at_level(logging.INFO):
        asyncio_run(Guard(failing)(scope, None, send))  # type: ignore[arg-type]
    assert (sent[0]["status"], json.loads(sent[1]["body"])) == (500, {"error": "Internal error"})
    assert "POST /translate failed: ValueError at" in caplog.text
    assert "secretive" not in caplog.text


def test_a_file_that_changed_is_not_served(files: list[Path], capfd: pytest.CaptureFixture[str]) -> None:
    (packed,) = load_numpy(files[:1])[1]
    processes = Processes([packed._replace(checksum=b"")], 1)  # as if it was replaced after it was checked
    assert_refused("could not be started", processes.check)
    assert "has changed: start serve.py again" in capfd.readouterr().err
    processes.stop()
