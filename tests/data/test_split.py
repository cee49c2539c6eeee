import random
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from nmt.data.heldout import HeldOut, read_held_out
from nmt.data.split import Split, split_pairs
from nmt.data.spool import PairSpool, sentence_hash
from nmt.errors import UserError
from tests.conftest import assert_refused

Pair = tuple[str, str]


def split(pairs: list[Pair], val: int | list[HeldOut] = 1, test: int | list[HeldOut] = 1) -> tuple[Split, list[Pair]]:
    with TemporaryDirectory() as folder:
        spool = PairSpool(Path(folder), pairs)
        train_file = Path(folder) / "train.tsv"
        result = split_pairs(spool, train_file, val, test)
        train = [(entry.source, entry.references[0]) for entry in read_held_out(train_file)]
    return result, train


def as_pairs(entries: list[HeldOut]) -> list[Pair]:
    return [(entry.source, reference) for entry in entries for reference in entry.references]


def test_sentences_that_differ_in_dress_only_share_a_hash() -> None:
    same = ["Go on!", "go on", "  GO — on…", "Ｇｏ on"]
    assert len({sentence_hash(text) for text in same}) == 1
    different = ["go on", "goon", "go", "जा", "जी", "!", "?", "好", "好好"]  # marks count, as do lone signs
    assert len({sentence_hash(text) for text in different}) == len(different)


words = st.sampled_from(["a", "b", "c", "A", "b!", "क", "好", "d", "e", "?"])
sentences = st.lists(words, min_size=1, max_size=2).map(" ".join)


@given(st.lists(st.tuples(sentences, sentences), min_size=3, max_size=60), st.integers(1, 4), st.integers(1, 4))
def test_no_training_pair_shares_a_sentence_with_a_held_out_set(pairs: list[Pair], val: int, test: int) -> None:
    try:
        result, train = split(pairs, val, test)
    except UserError:  # too few sentences, or all of them shared
        return
    held = as_pairs(result.val) + as_pairs(result.test)
    for side in (0, 1):
        assert not {sentence_hash(p[side]) for p in train} & {sentence_hash(p[side]) for p in held}
    sources = [{sentence_hash(entry.source) for entry in entries} for entries in (result.val, result.test)]
    assert not sources[0] & sources[1]
    distinct = len({sentence_hash(source) for source, _ in pairs})
    largest = max(1, distinct // 20)
    assert [len(s) for s in sources] == [min(val, largest), min(test, largest)] == [len(result.val), len(result.test)]
    # Nothing is invented and every pair is accounted for.
    assert set(train) | set(held) <= set(pairs)
    assert len(train) == len(set(train)) == result.train_pairs
    assert len(train) + len(held) + result.dropped.total() == len(pairs)
    for source, references in ((entry.source, set(entry.references)) for entry in result.val + result.test):
        assert references == {target for other, target in pairs if other == source}


def test_the_order_of_the_file_does_not_matter(pairs: list[Pair]) -> None:
    shuffled = pairs + pairs[:50]
    random.Random(0).shuffle(shuffled)
    (a, train_a), (b, train_b) = split(pairs, 30, 20), split(shuffled, 30, 20)
    assert (a.val, a.test, a.random_leak) == (b.val, b.test, b.random_leak)
    assert sorted(train_a) == sorted(train_b)
    assert (len(a.val), len(a.test)) == (30, 20)
    assert b.dropped["duplicate"] == 50


def test_given_sets_are_kept_out_of_training_and_of_each_other(pairs: list[Pair]) -> None:
    given_test = [HeldOut(pairs[0][0], ("unseen",)), HeldOut("unseen", (pairs[7][1].lower(),))]
    result, train = split(pairs, 20, given_test)
    assert result.test == given_test
    assert len(result.val) == 20
    banned = sentence_hash(pairs[0][0]), sentence_hash(pairs[7][1])
    assert all(sentence_hash(source) != banned[0] and sentence_hash(target) != banned[1] for source, target in train)
    assert banned[0] not in {sentence_hash(entry.source) for entry in result.val}
    everything, train = split(pairs, [HeldOut("a", ("b",))], given_test)
    assert everything.dropped["shared with val or test"] == len(pairs) - len(train) > 0


def test_the_spelling_with_more_references_represents_a_source() -> None:
    pairs = [("go", "1"), ("Go!", "2"), ("Go!", "3")]
    variants, _ = split([(f"{s} {i}", f"{t} {i}") for i in range(60) for s, t in pairs], 1, 1)
    for entry in variants.val + variants.test:
        assert entry.source.startswith("Go!")
        assert len(entry.references) == 2
    assert variants.dropped["other spelling of a held-out source"] == 2


def test_the_leak_of_a_random_split_is_measured() -> None:
    apart = [(f"s{i}", f"t{i}") for i in range(2000)]
    assert split(apart, 50, 50)[0].random_leak == 0
    twins = [(f"s{i // 2}", f"t{i}") for i in range(2000)]  # nearly every twin is on the other side
    assert split(twins, 50, 50)[0].random_leak > 0.85
    half = [(f"s{i}", f"t{i}" if i % 2 else f"t{i % 100}") for i in range(4000)]
    assert 0.35 < split(half, 200, 200)[0].random_leak < 0.65


def test_too_little_to_split() -> None:
    assert_refused("has 2 usable source sentences", split, [("a", "1"), ("A", "2"), ("b", "3")])
    assert_refused("no pair left to train on", split, [("a", "x"), ("b", "x"), ("c", "x")])
