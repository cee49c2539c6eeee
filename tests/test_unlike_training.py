from nmt.unlike_training import TrainingData

LATIN = TrainingData({"LATIN": 0.9995, "GREEK": 0.0005}, longest=10, pairs=1000)


def test_what_is_like_the_training_data_raises_no_doubt() -> None:
    assert LATIN.differences("They are watching.", 10) == []
    assert LATIN.differences("", 0) == []
    assert LATIN.differences("42!", 3) == []
    assert LATIN.differences("Sergei means Сергей.", 8) == []  # a foreign name is no foreign sentence


def test_a_script_that_was_hardly_seen_is_named() -> None:
    (doubt,) = LATIN.differences("Они смотрят.", 5)
    assert doubt == "is written in Cyrillic, and the model has learnt Latin only"
    assert "Greek" in LATIN.differences("βλέπουν", 5)[0]
    assert LATIN.differences("他们在看。", 5)[0].startswith("is written in Cjk")


def test_longer_than_anything_in_training() -> None:
    assert LATIN.differences("They are watching.", 11) == ["has 11 tokens, and the longest sentence in training had 10"]
    assert len(LATIN.differences("Они смотрят.", 11)) == 2


def test_a_few_swapped_rows_do_not_silence_the_notice() -> None:
    swapped = TrainingData({"LATIN": 0.96, "DEVANAGARI": 0.04}, longest=10, pairs=1000)
    (doubt,) = swapped.differences("ते बघत आहेत.", 5)
    assert doubt == "is written in Devanagari, and the model has learnt Latin only"
    both = TrainingData({"LATIN": 0.9, "DEVANAGARI": 0.1}, longest=10, pairs=1000)
    assert both.differences("ते बघत आहेत.", 5) == []


def test_katakana_is_learnt_with_hiragana() -> None:
    japanese = TrainingData({"HIRAGANA": 0.6, "CJK": 0.37, "KATAKANA": 0.03}, longest=20, pairs=1000)
    assert japanese.differences("トムはパーティー", 5) == []
