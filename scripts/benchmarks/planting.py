"""Mistakes to plant into a corpus, and the share of them that the checker ranks first."""

import random
from collections.abc import Callable, Sequence

from nmt.checking.measures import Pair
from nmt.checking.suspects import find_suspects

Texts = tuple[str, str]


def swap(pairs: list[Texts], rows: Sequence[int], other: Sequence[str], rng: random.Random) -> None:
    """Exchange source and target."""
    for row in rows:
        pairs[row] = pairs[row][::-1]


def shuffle(pairs: list[Texts], rows: Sequence[int], other: Sequence[str], rng: random.Random) -> None:
    """Give each row the target of the next one."""
    targets = [pairs[row][1] for row in rows]
    for row, target in zip(rows, [*targets[1:], targets[0]], strict=True):
        pairs[row] = (pairs[row][0], target)


def truncate(pairs: list[Texts], rows: Sequence[int], other: Sequence[str], rng: random.Random) -> None:
    """Keep 30 to 60 % of the words of the target, from its beginning; of its characters if it is one word."""
    for row in rows:
        source, target = pairs[row]
        between = " " if " " in target else ""
        words = target.split() if between else list(target)
        most = max(1, -(-6 * len(words) // 10) - 1)
        pairs[row] = (source, between.join(words[: rng.randint(max(1, most // 2), most)]))


def truncate_but_mark(pairs: list[Texts], rows: Sequence[int], other: Sequence[str], rng: random.Random) -> None:
    """The same, with the mark at the end left in place."""
    ends = {row: pairs[row][1][-1:] for row in rows}
    truncate(pairs, rows, other, rng)
    for row, end in ends.items():
        pairs[row] = (pairs[row][0], pairs[row][1] + ("" if end.isalnum() else end))


def replace(pairs: list[Texts], rows: Sequence[int], other: Sequence[str], rng: random.Random) -> None:
    """Put a sentence of a third language in the place of the target."""
    for row, text in zip(rows, rng.sample(other, len(rows)), strict=True):
        pairs[row] = (pairs[row][0], text)


def copy(pairs: list[Texts], rows: Sequence[int], other: Sequence[str], rng: random.Random) -> None:
    """Leave the source untranslated."""
    for row in rows:
        pairs[row] = (pairs[row][0], pairs[row][0])


def mistype(pairs: list[Texts], rows: Sequence[int], other: Sequence[str], rng: random.Random) -> None:
    """Edit one word of either side twice: a letter is lost, added, replaced, or exchanged with the next one."""
    for row in rows:
        texts, side = list(pairs[row]), rng.randrange(2)
        words = texts[side].split(" ")
        place = rng.choice([i for i, word in enumerate(words) if len(word) >= 4] or range(len(words)))
        letters = [letter for letter in rng.choice(pairs)[side] + texts[side] if letter.isalpha()] or ["x"]
        for _ in range(2):
            words[place] = _edited(words[place], letters, rng)
        texts[side] = " ".join(words)
        pairs[row] = (texts[0], texts[1])


def _edited(word: str, letters: Sequence[str], rng: random.Random) -> str:
    at = rng.randrange(len(word))
    before, here, after = word[:at], word[at], word[at + 1 :]
    edits = [before + rng.choice(letters) + here + after, before + rng.choice(letters) + after]
    if len(word) > 1:
        edits += [before + after, before + after[:1] + here + after[1:]]
    return rng.choice([edited for edited in edits if edited != word] or [f"{word}{rng.choice(letters)}"])


Planter = Callable[[list[Texts], Sequence[int], Sequence[str], random.Random], None]
PLANTERS: dict[str, Planter] = {
    "swapped": swap,
    "shuffled": shuffle,
    "truncated": truncate,
    "truncated, mark kept": truncate_but_mark,
    "other language": replace,
    "copied": copy,
    "typos": mistype,
}
FIVE = ("swapped", "shuffled", "truncated", "other language", "typos")


def precision(
    pairs: Sequence[Texts], kinds: Sequence[str], share: float, other: Sequence[str], seed: int
) -> dict[str, float]:
    """Plant a share of mistakes of each kind; returns the share of planted pairs among as many first suspects.

    With several kinds, also the share of each kind that was found there.
    """
    rng, changed = random.Random(seed), list(pairs)
    possible = [row for row, (_, target) in enumerate(pairs) if len(target.split()) > 1 or len(target) > 3]
    count = round(share * len(pairs))
    rows = rng.sample(possible, count * len(kinds))
    planted = {}
    for place, kind in enumerate(kinds):
        planted[kind] = set(rows[place * count : (place + 1) * count])
        PLANTERS[kind](changed, sorted(planted[kind], key=rows.index), other, rng)
    suspects = find_suspects([Pair(row, *texts) for row, texts in enumerate(changed)])
    first = {suspect.pair.row for suspect in suspects[: len(rows)]}
    found = {kind: len(first & of_kind) / count for kind, of_kind in planted.items()}
    return {"all": len(first & set(rows)) / len(rows), **(found if len(kinds) > 1 else {})}
