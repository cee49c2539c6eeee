"""Any corpus is either prepared as the oracle says, or refused in one sentence that names it, and leaves no trace."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from nmt.data.heldout import HeldOut
from nmt.data.prepare import PreparedCorpus, prepare
from nmt.data.settings import DataSettings
from nmt.data.store import TokenStore
from nmt.errors import UserError
from nmt.files import damage
from tests.hostile import oracle
from tests.hostile.corpora import Corpus, corpora

EXAMPLES = int(os.environ.get("NMT_EXAMPLES", "20"))  # of each kind; more of them find more
HYPOTHESIS = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=[Phase.generate],  # corpora are small as drawn, and to shrink one further takes minutes
)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory where there is one: thousands of corpora are synced to it."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="nmt-hostile-", dir=memory if memory.is_dir() else None))
    yield folder
    shutil.rmtree(folder)


@settings(HYPOTHESIS, max_examples=7 * EXAMPLES)
@given(corpus=corpora())
def test_hostile_corpora(corpus: Corpus, place: Path) -> None:
    folder = Path(tempfile.mkdtemp(dir=place))
    prepared = folder / "prepared"
    data = DataSettings(**corpus.settings(folder), prepared_dir=str(prepared))  # type: ignore[arg-type]
    before = snapshot(folder)
    try:
        try:
            expected: oracle.Reading | oracle.Refused = oracle.reading(data)
        except oracle.Refused as refused:
            expected = refused
        try:
            made = prepare(data)
        except UserError as error:
            assert_fair_refusal(str(error), expected)
        else:
            assert isinstance(expected, oracle.Reading), f"prepared, though it should be refused: {expected}"
            assert_as_expected(made, expected, data)
            shutil.rmtree(made.directory)
        assert {path.suffix for path in prepared.glob("*")} <= {".lock"}
        shutil.rmtree(prepared, ignore_errors=True)
        assert snapshot(folder) == before
    finally:
        shutil.rmtree(folder)


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """All that lies in a folder, and when it was last changed."""
    found = {str(path): path.lstat() for path in folder.rglob("*")}
    return {name: (stat.st_mode, stat.st_mtime_ns) for name, stat in found.items()}


def assert_fair_refusal(message: str, expected: oracle.Reading | oracle.Refused) -> None:
    assert "\n" not in message
    assert message.isprintable()
    if isinstance(expected, oracle.Refused):
        assert any(name in message for name in expected.names), f"{message!r} names none of {expected.names}"
    else:  # the files are fine, but there is too little in them
        too_few = len({oracle.same(source) for source, _ in expected.pairs}) <= 2 or expected.val or expected.test
        poor = ("no pair left to train on", "no text that a vocabulary could be learnt from")
        assert ("too few to hold some out" in message and too_few) or any(words in message for words in poor), message


def assert_as_expected(made: PreparedCorpus, expected: oracle.Reading, data: DataSettings) -> None:
    assert damage(made.directory) is None
    val, test = made.val_sentences, made.test_sentences
    given_sources = {oracle.same(entry.source) for entries in (expected.val, expected.test) for entry in entries or ()}
    distinct = {oracle.same(source) for source, _ in expected.pairs} - given_sources
    for entries, given_set, size in ((val, expected.val, data.val_size), (test, expected.test, data.test_size)):
        if given_set is not None:
            assert entries == given_set
        else:
            assert len(entries) == min(size, max(1, len(distinct) // 20))
            for entry in entries:
                targets = {target for source, target in expected.pairs if source == entry.source}
                assert entry == HeldOut(entry.source, tuple(sorted(targets)))
    train = oracle.training_pairs(expected, val, test)
    assert train, "nothing to train on, but no complaint"
    assert_stored(made, made.train, train)
    assert_stored(made, made.val, Counter((e.source, text) for e in val for text in e.references if e.source and text))
    report = made.report
    assert report.train_pairs == train.total()
    assert report.pairs_read == expected.read
    held = [entries for entries, given_set in ((val, expected.val), (test, expected.test)) if given_set is None]
    assert report.pairs_read == train.total() + sum(report.dropped.values()) + sum(
        len(entry.references) for entries in held for entry in entries
    )


def assert_stored(made: PreparedCorpus, store: TokenStore, expected: Counter[oracle.Pair]) -> None:
    source, target = made.source_tokenizer, made.target_tokenizer
    found = Counter((source.decode(store.source[i]), target.decode(store.target[i])) for i in range(len(store)))
    assert found == expected
