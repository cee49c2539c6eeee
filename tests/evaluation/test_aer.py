import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from nmt.data.heldout import HeldOut
from nmt.data.readers import Tsv
from nmt.data.settings import DataSettings
from nmt.data.tokenizer import Tokenizer
from nmt.evaluation.aer import align, forced_attention, score_alignment
from nmt.evaluation.gold import AlignedPair, read_aligned, read_aligned_test_set
from nmt.evaluation.links import format_links, parse_links
from nmt.search import Beam
from nmt.translator import Translator
from tests.conftest import KINDS, assert_refused, tiny_model

PAIRS = [
    ("I see a cat .", "je vois un chat ."),
    ("we see it .", "nous le voyons ."),
    ("cat", "un chat"),
    ("a", "je le"),
]


def test_by_hand() -> None:
    gold = parse_links("0-0 1-1 2-2")
    assert score_alignment([(sorted(gold.sure), gold)], "g").aer == 0.0
    worst = score_alignment([([(5, 0)], gold)], "g")
    assert (worst.aer, worst.precision, worst.recall, worst.pairs, worst.links) == (1.0, 0.0, 0.0, 1, 1)
    # S = {00, 11}, P = S + {12}, A = {00, 12, 23}: A∩S = 1, A∩P = 2, so AER = 1 − 3/5.
    score = score_alignment([([(0, 0), (1, 2), (2, 3)], parse_links("0-0 1-1 1?2"))], "g")
    assert (score.aer, score.precision, score.recall) == pytest.approx((0.4, 2 / 3, 1 / 2))


def test_sums_are_over_the_corpus_not_means_of_sentences() -> None:
    random = np.random.default_rng(0)
    found = []
    for words in (1, 4, 9, 30):
        links = [(int(random.integers(words)), t) for t in range(words)]
        drawn = [(int(s), int(t)) for s, t in random.integers(words, size=(2 * words, 2))] + links[: words // 2]
        found.append((links, parse_links(format_links(drawn[::2], drawn))))
    hits = sum((link in gold.sure) + (link in gold.possible) for predicted, gold in found for link in predicted)
    size = sum(len(predicted) + len(gold.sure) for predicted, gold in found)
    assert score_alignment(found, "g").aer == pytest.approx(1 - hits / size)


def test_a_set_without_sure_links_has_no_aer() -> None:
    cases = (([], "None of the 0 pairs"), ([([(0, 0)], parse_links("0?0"))], r"g\.align has no sure link"))
    for found, message in cases:
        assert_refused(message, score_alignment, found, "g.align")


def translator(*overrides: str, batch_tokens: int = 4096) -> Translator:
    tokenizer = Tokenizer.train([text for pair in PAIRS for text in pair] * 20, vocab_size=300)
    model = tiny_model(*overrides, vocab=len(tokenizer)).eval()
    with torch.no_grad():  # far from even, so that links do not hang on rounding
        for parameter in model.parameters():
            parameter *= 2
    return Translator(model, tokenizer, tokenizer, Beam(batch_tokens=batch_tokens), torch.device("cpu"))


def aligned(links: str = "0-0") -> list[AlignedPair]:
    return [AlignedPair(*pair, parse_links(links)) for pair in PAIRS]


@pytest.mark.parametrize("name", [kind for kind in KINDS if kind.values != ("seq2seq",)])
def test_batches_do_not_change_links(name: str) -> None:
    model = f"model={name}"
    together = list(align(translator(model), aligned()))
    alone = list(align(translator(model, batch_tokens=1), aligned()))
    assert sorted(links for links, _ in together) == sorted(links for links, _ in alone)
    if name not in ("hard", "local_m", "local_p"):  # whose words may have looked at the end of the sentence only
        lengths = sorted(len(target.split()) for _, target in PAIRS)
        assert sorted(len(links) for links, _ in together) == lengths  # one link for each target word
        assert all([t for _, t in links] == list(range(len(links))) for links, _ in together)


def test_forced_attention_is_that_of_single_steps() -> None:
    """Padded or alone, at once or step by step: the same weights over the real tokens."""
    made = translator("model=bahdanau")
    tokenizer = made.source_tokenizer
    ids = [(tokenizer.encode(source), tokenizer.encode(target)) for source, target in PAIRS]
    for (source, target), attention in zip(ids, forced_attention(made, ids), strict=True):
        assert attention.shape == (len(target) + 1, len(source) + 1)
        memory, state = made.model.encode(torch.tensor([[*source, 2]]), torch.tensor([len(source) + 1]))
        for token, row in zip([1, *target], attention, strict=True):
            _, weights, state = made.model.step(torch.tensor([token]), memory, state)
            np.testing.assert_allclose(weights[0].detach().numpy(), row, atol=1e-6)


def test_pairs_that_cannot_be_traced_are_left_out_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    pairs = [
        *aligned(),
        AlignedPair("", "je", parse_links("")),
        AlignedPair("a \u2581", "je", parse_links("0-0")),
        AlignedPair("a " * 1100 + "a", "je", parse_links("0-0")),
        AlignedPair("we", "nous", parse_links("")),
    ]
    assert len(list(align(translator("model=bahdanau"), pairs))) == 5
    assert "2 of 7 pairs are left out" in caplog.text
    assert "1 of 5 pairs have no links" in caplog.text


def test_a_model_without_attention_is_refused() -> None:
    assert_refused("no attention", list, align(translator("model=seq2seq"), aligned()))


def write(folder: Path, pairs: list[str], links: str) -> tuple[str, Path]:
    corpus, gold = folder / "corpus.tsv", folder / "gold.align"
    corpus.write_text("\n".join(pairs) + "\n", encoding="utf-8")
    gold.write_text(links, encoding="utf-8")
    return str(corpus), gold


def rows(path: str, on_error: str = "stop", columns: tuple[int, int] = (0, 1)) -> tuple[Iterator[list[str]], str]:
    return Tsv((path,), columns, on_error=on_error).clean_rows(), path


def test_lines_belong_together(tmp_path: Path) -> None:
    corpus, gold = write(tmp_path, ["a b\tx\u202fy", "", "c\tz"], "0-0 1?1\n\n0-0")
    first, blank, last = read_aligned(*rows(corpus), gold)
    assert (first.source, first.target) == ("a b", "x y")
    assert first.gold == parse_links("0-0 1?1")
    assert (blank.source, blank.gold) == ("", parse_links(""))
    assert last.gold == parse_links("0-0")
    packed = tmp_path / "gold.align.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf0-0 1?1\r\n\r\n0-0\r\n"))
    assert list(read_aligned(*rows(corpus), packed)) == [first, blank, last]
    (turned, *_) = read_aligned(*rows(corpus, columns=(1, 0)), gold, flip=True)
    assert turned.gold == first.gold.flipped()
    assert turned.source == "x y"


def test_skipped_lines_keep_their_number(tmp_path: Path) -> None:
    lines = ["bad", "a b\tx", "bad", "bad", "c\ty z", "bad"]
    corpus, gold = write(tmp_path, lines, "\n1-0\n5-5\n\n0-1\n\n")
    found = list(read_aligned(*rows(corpus, "skip"), gold))
    assert [(pair.source, format_links(pair.gold.sure)) for pair in found] == [("a b", "1-0"), ("c", "0-1")]
    assert_refused(r"corpus\.tsv:1", list, read_aligned(*rows(corpus), gold))


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ("0-0\n", r"gold\.align ends before line 2 but .*corpus\.tsv goes on"),
        ("0-0\n0-0\n\n", r"corpus\.tsv ends before line 3 but .*gold\.align goes on"),
        ("", r"gold\.align ends before line 1"),
        ("0-0\n0=0\n", r"gold\.align:2: '0=0' is no link"),
        ("0-0\n0-1\n", r"gold\.align:2: the link 0-1 leads outside .* has 1 and 1 words .* counted from 0"),
        ("2?0\n\n", r"gold\.align:1: the link 2-0 .* has 2 and 3 words"),
        ("0-0\0\n\n", r"gold\.align:1: contains a NUL byte"),
    ],
)
def test_bad_links_are_named_with_their_line(tmp_path: Path, links: str, message: str) -> None:
    corpus, gold = write(tmp_path, ["a b\tx y z", "c\tw"], links)
    assert_refused(message, list, read_aligned(*rows(corpus), gold))
    assert_refused(r"none\.align cannot be read", list, read_aligned(*rows(corpus), tmp_path / "none.align"))


def test_only_the_test_set_is_taken_as_often_as_it_is_there(tmp_path: Path) -> None:
    corpus, gold = write(tmp_path, ["a\tx", "b\ty", "a\tx", "b\tz", "a\tw"], "0-0\n\n\n0?0\n\n")
    data = DataSettings("t", path=corpus, columns=["eng", "fra"])
    pairs = read_aligned_test_set(data, [HeldOut("a", ("x",)), HeldOut("b", ("z",))], gold)
    assert pairs == [AlignedPair("a", "x", parse_links("0-0")), AlignedPair("b", "z", parse_links("0?0"))]
    twice = read_aligned_test_set(data, [HeldOut("a", ("x",)), HeldOut("a", ("x",))], gold)
    assert [pair.gold for pair in twice] == [parse_links("0-0"), parse_links("")]
    changed = [HeldOut("a", ("x", "gone"))]
    assert_refused("changed since the run began: 1 of its 2 test pairs", read_aligned_test_set, data, changed, gold)


def test_the_other_direction_flips_the_links(tmp_path: Path) -> None:
    corpus, gold = write(tmp_path, ["a b\tx"], "1-0")
    data = DataSettings("t", path=corpus, columns=["eng", "fra"], source="fra", target="eng")
    test_set = [HeldOut("x", ("a b",))]
    assert read_aligned_test_set(data, test_set, gold) == [AlignedPair("x", "a b", parse_links("0-1"))]
    gold.write_text("0-1\n")
    assert_refused(r"the link 0-1 leads outside .* 2 and 1 words", read_aligned_test_set, data, test_set, gold)


def test_a_test_set_of_its_own_comes_first(tmp_path: Path) -> None:
    corpus, gold = write(tmp_path, ["a\tx"], "0-0\n")
    data = DataSettings("t", path=str(tmp_path / "gone.tsv"), test_path=corpus, columns=["eng", "fra"])
    assert len(read_aligned_test_set(data, [HeldOut("a", ("x",))], gold)) == 1
    for settings in (
        DataSettings("t", path=str(tmp_path / "gone.tsv"), columns=["eng", "fra"]),
        DataSettings("t", path=corpus, test_path=[corpus, corpus, corpus], columns=["eng", "fra"]),
        DataSettings("t"),
    ):
        assert_refused("--source and --reference", read_aligned_test_set, settings, [], gold)
