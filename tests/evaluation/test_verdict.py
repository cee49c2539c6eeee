"""The verdict in plain words."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from nmt.data.heldout import HeldOut
from nmt.evaluation import verdict
from nmt.evaluation.evaluate import Evaluation
from nmt.evaluation.verdict import Example, Verdict, choose_extremes, compare_with_typical, judge
from nmt.files import check_sums
from nmt.guessing import Guessing
from nmt.metrics import sentence_chrf
from nmt.translation import EMPTY


def judged(texts: Sequence[str], references: Sequence[Sequence[str]], **more: object) -> Verdict:
    translations = [
        replace(EMPTY, text=text, target_ids=[9], log_probs=[-float(number)]) for number, text in enumerate(texts)
    ]
    examples = [HeldOut(f"this is source {number}", tuple(group)) for number, group in enumerate(references)]
    options = {"bleu": 12.0, "pairs": 3000, "guessing": None} | more
    return judge(Evaluation(None, translations, examples), **options)  # type: ignore[arg-type]


RIGHT, NEARLY, BAD = "je vois un chat noir", "je vois un chien noir", "du thé"


def test_sentences_are_counted_by_their_nearest_reference() -> None:
    found = judged([RIGHT, NEARLY, BAD, BAD], [["rien du tout", RIGHT]] * 4)
    assert (found.sentences, found.right, found.nearly, found.bad) == (4, 1, 1, 2)
    assert "of 4 sentences, 1 (25%) came out right and 1 (25%) nearly right; 2 (50%) are bad" in found.lines()[0]


def test_notices_are_counted_with_how_many_are_deserved() -> None:
    guessing = Guessing("step-1", 0.2, 10, 5, 5, 5)  # at or below: the third and fourth translation
    line = "translate.py calls 2 of them guesses; 1 of those are bad."
    assert line in judged([RIGHT, BAD, BAD, RIGHT], [[RIGHT]] * 4, guessing=guessing).lines()
    unknown = judged([RIGHT], [[RIGHT]], guessing=replace(guessing, threshold=None))
    assert not any("translate.py" in line for line in unknown.lines())


def test_where_characters_are_words_one_wrong_word_is_nearly_right() -> None:
    (score,) = sentence_chrf(["我喜欢喝茶。"], [["我喜欢喝咖啡。"]])
    assert verdict.NEARLY < score < verdict.RIGHT


def test_scores_are_compared_with_what_is_typical_for_so_many_pairs() -> None:
    assert "(BLEU about 20 to 28; here 21.0)" in compare_with_typical(21.0, 3_000)
    assert compare_with_typical(5.0, 3_000).startswith("That is worse")
    assert compare_with_typical(35.0, 3_000).startswith("That is better")
    assert compare_with_typical(27.0, 5_500).startswith("That is what is typical")  # between two sizes
    assert "was not measured" in compare_with_typical(20.0, 300)
    assert "was not measured" in compare_with_typical(20.0, 1_000_000)
    assert not any(line.startswith("That is") for line in judged([RIGHT], [[RIGHT]], pairs=None).lines())


@pytest.mark.parametrize(
    ("pairs", "scores"),
    [
        (500, (6.1, 6.8, 14.1)),  # with size=auto: Marathi, French, German (docs/small-data.md)
        (1_000, (9.4, 9.8, 11.9, 19.6)),
        (3_000, (20.5, 22.5, 22.7, 23.6, 27.6)),
        (10_000, (37.6, 37.8)),
        (26_000, (33.2, 36.7)),  # Anki, into Chinese (docs/results.md)
        (29_000, (39.3, 40.5, 42.5, 60.6, 61.3)),  # Multi30k, in mixed case
        (30_000, (47.9, 50.2)),  # Anki, into Marathi
        (71_000, (51.0, 51.6)),  # Anki, into French
    ],
)
def test_documented_scores_are_typical_with_hardly_any_slack(
    pairs: int, scores: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdict, "_SLACK", 0.03)
    for bleu in scores:
        assert compare_with_typical(bleu, pairs).startswith("That is what is typical"), bleu


def test_examples_are_not_the_shortest_and_differ() -> None:
    short = [Example("oh no", "x", "y", 100.0 * (i % 2)) for i in range(20)]
    alike = [Example(f"the cat sleeps in house {i}", "x", "y", 99.0) for i in range(20)]
    long = [Example(f"{word} " * 5, word, "y", float(i)) for i, word in enumerate("abcdefghijklmnopqrst" * 2)]
    best, worst = choose_extremes([*short, *alike, *long])
    assert [example.chrf for example in best] == [99.0, 39.0, 38.0, 37.0, 36.0]
    assert [example.chrf for example in worst] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert choose_extremes([*short, *alike, *long]) == (best, worst)


def test_a_few_sentences_are_either_among_the_best_or_among_the_worst() -> None:
    for count in range(1, 12):
        examples = [Example("the same sentence", "x", "y", float(i)) for i in range(count)]
        best, worst = choose_extremes(examples)
        assert len(best) + len(worst) == min(count, 10)
        assert not {each.chrf for each in best} & {each.chrf for each in worst}


def test_it_is_written_with_its_checksum(tmp_path: Path) -> None:
    found = judged([RIGHT, NEARLY], [[RIGHT]] * 2)
    found.write(tmp_path)
    assert (tmp_path / verdict.VERDICT).read_text(encoding="utf-8").splitlines() == found.lines()
    assert "         expected: je vois un chat noir" in found.lines()
    check_sums(tmp_path, [verdict.VERDICT])
