import dataclasses
import errno
import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from nmt.data import prepare as prepare_module
from nmt.data.heldout import HeldOut
from nmt.data.prepare import PreparedCorpus, prepare
from nmt.data.settings import DataSettings
from nmt.data.tokenizer import Tokenizer
from nmt.files import damage
from tests.conftest import assert_refused

Build = Callable[..., DataSettings]


def decoded(corpus: PreparedCorpus, split: str) -> set[tuple[str, str]]:
    store = {"train": corpus.train, "val": corpus.val}[split]
    source, target = corpus.source_tokenizer, corpus.target_tokenizer
    return {(source.decode(store.source[i]), target.decode(store.target[i])) for i in range(len(store))}


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def prepared_in(folder: Path) -> list[str]:
    """What lies there but for locks, whose files stay."""
    return [name for name in os.listdir(folder) if not name.endswith(".lock")]


def test_the_same_inputs_give_the_same_bytes(settings: Build, tmp_path: Path) -> None:
    first, second = prepare(settings()), prepare(settings(prepared_dir=str(tmp_path / "elsewhere")))
    assert first.directory != second.directory
    assert contents(first.directory) == contents(second.directory)


def test_a_prepared_corpus_is_used_again(settings: Build, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    first = prepare(settings())
    stamp = first.directory.stat().st_mtime_ns
    assert "Using the corpus" not in caplog.text
    again = prepare(settings())
    assert f"Using the corpus prepared in {first.directory}" in caplog.text
    assert (again.directory, again.directory.stat().st_mtime_ns) == (first.directory, stamp)


def test_other_settings_or_contents_make_another_corpus(settings: Build, tsv: Path) -> None:
    changes = {"vocab_size": 350, "val_size": 10, "vocab_type": "unigram", "source": "bkw", "max_chars": 30}
    directories = {prepare(settings(**{name: value})).directory for name, value in changes.items()}
    directories.add(prepare(settings()).directory)
    with tsv.open("a") as file:
        file.write("one more\tencore un\n")
    assert len({*directories, prepare(settings()).directory}) == len(changes) + 2


def test_one_more_setting_leaves_the_keys_as_they_are(settings: Build) -> None:
    newer = dataclasses.make_dataclass("Newer", [("future", bool, False)], bases=(DataSettings,), frozen=True)
    values = dataclasses.asdict(settings())
    assert prepare(newer(**values)).directory == prepare(settings()).directory
    assert prepare(newer(**values, future=True)).directory != prepare(settings()).directory


def test_nothing_remains_after_an_error(settings: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Tokenizer, "save", fail)
        assert_refused(r"data\.prepared_dir=.* cannot be written \(No space left", prepare, settings())
    assert prepared_in(tmp_path / "prepared") == []
    assert damage(prepare(settings()).directory) is None


def test_two_processes_at_once_do_the_work_once(settings: Build) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        directories = list(pool.map(_prepare_and_tell, [settings()] * 2))
    (directory,) = {name for name, _ in directories}
    assert sorted(worked for _, worked in directories) == [False, True]
    assert damage(Path(directory)) is None
    assert prepared_in(Path(directory).parent) == [Path(directory).name]


def _prepare_and_tell(settings: DataSettings) -> tuple[str, bool]:
    built = []
    build = prepare_module.build

    def slow_build(*arguments: object) -> None:
        built.append(True)
        time.sleep(1)  # so that the other process surely meets the lock
        build(*arguments)  # type: ignore[arg-type]

    prepare_module.build = slow_build  # type: ignore[assignment]
    return str(prepare(settings).directory), bool(built)


def test_without_locks_the_second_writer_changes_nothing(settings: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    build = prepare_module.build
    directories: list[Path] = []
    inodes: list[int] = []

    def build_while_another_finishes(*arguments: object) -> None:
        monkeypatch.setattr(prepare_module, "build", build)
        directories.append(prepare(settings()).directory)
        inodes.append(directories[0].stat().st_ino)
        build(*arguments)  # type: ignore[arg-type]

    def no_locks(handle: int, kind: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    monkeypatch.setattr(prepare_module, "build", build_while_another_finishes)
    assert prepare(settings()).directory == directories[0]
    assert directories[0].stat().st_ino == inodes[0]  # the first one's work was left in place
    assert damage(directories[0]) is None


def test_a_killed_preparation_leaves_no_trace_once_repeated(
    settings: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = prepare_module.build
    with monkeypatch.context() as patch:
        patch.setattr(prepare_module, "build", lambda *arguments: (build(*arguments), os._exit(9)))
        killed = get_context("fork").Process(target=prepare, args=[settings()])
        killed.start()
        killed.join()
    assert any(".tmp-" in name for name in os.listdir(tmp_path / "prepared"))
    directory = prepare(settings()).directory
    assert prepared_in(tmp_path / "prepared") == [directory.name]
    assert damage(directory) is None


def test_joint_vocabulary(settings: Build) -> None:
    corpus = prepare(settings(joint_vocab=True))
    assert corpus.source_tokenizer.model == corpus.target_tokenizer.model
    assert len(corpus.source_tokenizer.encode("UOY —")) < 8  # pieces of both languages


def test_the_other_direction(settings: Build) -> None:
    forth, back = prepare(settings()), prepare(settings(source="bkw"))
    assert (back.report.source.language, back.report.target.language) == ("bkw", "eng")
    assert all(entry.references[0].startswith("The ") for entry in back.test_sentences)
    assert all(entry.source.startswith("The ") for entry in forth.test_sentences)


def test_given_sets(settings: Build, tmp_path: Path, pairs: list[tuple[str, str]]) -> None:
    table = tmp_path / "val.tsv"
    table.write_text("Hello.\tsalut\n\nHello.\tbonjour\nBye.\tadieu\n")
    for name, text in (("test.eng", "same\nsame\n\n"), ("test.1", "un\ndeux\n\n"), ("test.2", "eins\nzwei\n\n")):
        (tmp_path / name).write_text(text)
    test_path = [str(tmp_path / name) for name in ("test.eng", "test.1", "test.2")]
    corpus = prepare(settings(val_path=str(table), test_path=test_path))
    assert corpus.val_sentences == [HeldOut("Hello.", ("salut", "bonjour")), HeldOut("Bye.", ("adieu",))]
    lines = [("same", ("un", "eins")), ("same", ("deux", "zwei")), ("", ("", ""))]
    assert corpus.test_sentences == [HeldOut(*line) for line in lines]  # line by line
    assert decoded(corpus, "val") == {("Hello.", "salut"), ("Hello.", "bonjour"), ("Bye.", "adieu")}
    assert len(corpus.train) == len(pairs)


def test_an_empty_corpus_is_an_error(settings: Build, tmp_path: Path) -> None:
    empty = tmp_path / "empty.tsv"
    empty.write_text("\n\n")
    assert_refused(r"empty\.tsv: no usable sentence pair among 2 lines", prepare, settings(path=str(empty)))
    assert_refused(r"empty\.tsv: no sentence pair to hold out", prepare, settings(val_path=str(empty)))
    assert prepared_in(tmp_path / "prepared") == []


@pytest.mark.parametrize("field", ["path", "prepared_dir"])
def test_the_home_of_nobody(settings: Build, field: str) -> None:
    assert_refused("~no-such-user/x: there is no such user", prepare, settings(**{field: "~no-such-user/x"}))


def test_three_pairs_suffice(settings: Build, tmp_path: Path) -> None:
    (tmp_path / "three.tsv").write_text("Go.\tजा.\nRun!\tपळ!\nHi.\t嗨。\n")
    corpus = prepare(settings(path=str(tmp_path / "three.tsv"), vocab_size=8000))
    assert (len(corpus.train), len(corpus.val_sentences), len(corpus.test_sentences)) == (1, 1, 1)
    assert corpus.report.source.vocabulary < 300
