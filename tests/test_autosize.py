"""size=auto: settings by the number of pairs and their lengths."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from nmt import autosize
from nmt.autosize import TABLE, Size, suited
from nmt.composition import composed
from nmt.run import Run
from tests.commands import command, succeeded, train_arguments

Corpus = Callable[..., str]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Writes a CSV of this many different pairs, one of them twice, and one that is not usable."""

    def write(pairs: int, words: int = 4) -> str:
        rows = [f"{' '.join([f'ab{i}'] * words)},{' '.join([f'cd{i}'] * words)}" for i in range(pairs)]
        file = tmp_path / "mine.csv"
        file.write_text("\n".join(["English,Cornish", *rows, rows[0], "empty,"]), encoding="utf-8")
        return f"data.path={file}"

    return write


@given(st.integers(1, 10**7), st.floats(1, 500))
def test_settings_lie_between_those_of_the_neighbouring_rows(pairs: int, characters: float) -> None:
    chosen = suited(Size(pairs, characters))
    low = max((row for row in TABLE if row.pairs <= pairs), default=TABLE[0])
    high = min((row for row in TABLE if row.pairs >= pairs), default=TABLE[-1])
    for name in ("vocab_size", "hidden_size", "dropout", "updates"):
        a, b = sorted([getattr(low, name), getattr(high, name)])
        assert a <= getattr(chosen, name) <= b
    assert 8 <= chosen.batch_size <= max(low.batch_size, high.batch_size)


def test_longer_sentences_make_smaller_batches() -> None:
    short, long = (suited(Size(10_000, characters)).batch_size for characters in (30, 120))
    assert long * 3 == pytest.approx(short, rel=0.25)


def test_the_corpus_is_counted_and_what_the_user_sets_stays(corpus: Corpus) -> None:
    config = composed(corpus(700, words=2))
    expected = suited(Size(700, 10))
    assert config.data.vocab_size == expected.vocab_size
    assert config.train.max_steps == expected.updates
    assert config.model["decoder"]["hidden_size"] == 2 * expected.hidden_size
    own = composed(corpus(700), "data.vocab_size=333", "model.encoder.hidden_size=7")
    assert (own.data.vocab_size, own.model["encoder"]["hidden_size"]) == (333, 7)
    missing = composed("data.path=nowhere.csv")  # reported when it is prepared
    assert missing.data.vocab_size == suited(autosize._UNKNOWN).vocab_size


def test_the_best_model_comes_with_it_unless_another_is_chosen(corpus: Corpus) -> None:
    file = corpus(20)
    targets = {composed(file, *more).model["decoder"]["_target_"] for more in ([], ["model=stacked"])}
    assert targets == {"nmt.model.stacked.StackedDecoder"}
    assert composed(file, "model=luong").model["decoder"]["_target_"] == "nmt.model.decoder.LuongDecoder"


def test_a_fixed_size_chooses_nothing_and_reads_no_corpus(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(autosize, "measure")
    assert autosize.sentence(OmegaConf.create({"data": {"path": "mine.csv"}})) is None
    config = composed(corpus(700), "size=100k")
    assert (config.data.vocab_size, config.train.max_epochs, config.train.max_steps) == (6000, 13, None)


@pytest.mark.parametrize("experiment", ["compare", "plain"])
def test_experiments_that_compare_models_are_the_same_for_every_corpus(corpus: Corpus, experiment: str) -> None:
    demo, own = (composed(f"experiment={experiment}", "model=luong", *more) for more in ([], [corpus(20)]))
    assert own.model == demo.model
    assert replace(own.train, max_epochs=1) == replace(demo.train, max_epochs=1)  # the demo is short


def test_it_is_printed_and_recorded_and_any_model_can_be_resumed(tmp_path: Path) -> None:
    """Without attention, the norms of the encoder's states have no gradient, and so no state of the optimiser."""
    quick = ("size=auto", "model=seq2seq", "train.max_steps=1", "train.validate_every=1")
    done = succeeded(command("train.py", *train_arguments(tmp_path, *quick)))
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("size=auto"))
    assert "300 pairs of 16 characters: " in line
    assert "model.state_dropout=0.3" in line
    assert "vocab_size" not in line  # the experiment sets it
    run = Run.open(tmp_path / "run")
    assert run.provenance["size"] == line
    succeeded(command("train.py", f"resume={run.directory}", "train.max_steps=2"))
