"""Which column of a table is which language: told by its header, by the file's name, or by its script."""

import re
from collections.abc import Sequence
from itertools import count, islice

from nmt.data.lines import plain_name
from nmt.languages import (
    CODE,
    COLUMN_WORDS,
    FAMILIES,
    OTHER_WORDS,
    is_written_in,
    known_language,
    language_named_in,
    only_language_of,
    same_language,
)
from nmt.writing_systems import count_scripts

_DOMINANT = 0.7  # share of a column's letters that are of one script, for it to be the column's script
_PAIR_IN_NAME = re.compile(r"(?:.*[^A-Za-z])?([A-Za-z]+)[-_]([A-Za-z]+)")  # corpus.en-mr, eng_mar


def is_header(row: Sequence[str], asked: Sequence[object]) -> bool:
    """Whether a row names columns: one that the user asks for, two languages, or usual names only (id, source)."""
    cells = [cell.strip() for cell in row]
    folded = [cell.casefold() for cell in cells]
    if any(isinstance(name, str) and name.casefold() in folded for name in asked):
        return True
    languages = {language.code for cell in cells if (language := language_named_in(cell))}
    usual = sum(_is_usual(cell) for cell in folded)
    filled = sum(map(bool, cells))
    return len(languages) >= 2 or (filled >= 2 and usual + len(languages) == filled)


def _is_usual(cell: str) -> bool:
    words = re.split(r"[\W\d_]+", cell)
    return {word for word in words if word} <= COLUMN_WORDS and any(words)


def script_of_column(cells: Sequence[str]) -> str | None:
    """The script of most letters; None if no script has most of them, or there are none."""
    counts = count_scripts(cells)
    for script, family in FAMILIES.items():
        counts[family] += counts.pop(script, 0)
    if counts["HIRAGANA"]:  # Japanese: Chinese characters with kana between them
        counts["HIRAGANA"] += counts.pop("CJK", 0)
    if not +counts:
        return None
    script, count = counts.most_common(1)[0]
    return script if count >= _DOMINANT * counts.total() else None


def text_columns(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """The columns with sentences: most of their cells hold letters and are no addresses."""
    found = []
    for column in range(width):
        cells = [row[column] for row in rows if len(row) > column and row[column].strip()]
        texts = [cell for cell in cells if any(map(str.isalpha, cell)) and not re.match(r"\w+://\S+$", cell.strip())]
        if len(texts) > len(cells) / 2:
            found.append(column)
    return found


def languages_in_name(path: str) -> tuple[str, str] | None:
    """The two languages that a file's name ends in, such as corpus.en-mr.csv."""
    stem = plain_name(path).name
    while (suffix := re.search(r"\.[A-Za-z0-9]{1,5}$", stem)) and "-" not in suffix[0] and "_" not in suffix[0]:
        stem = stem[: suffix.start()]
    match = _PAIR_IN_NAME.fullmatch(stem)
    if match and all(map(known_language, match.groups())) and not same_language(*match.groups()):
        return label(match[1], 1), label(match[2], 2)
    return None


def by_script(languages: Sequence[str | None], scripts: Sequence[str | None]) -> tuple[int, int] | None:
    """Which of two columns is the first and which the second language, if only one order fits their scripts."""

    def fits(order: tuple[int, int]) -> list[bool | None]:
        pairs = [(language, scripts[place]) for language, place in zip(languages, order, strict=True)]
        return [is_written_in(language, script) if language and script else None for language, script in pairs]

    orders = [order for order in ((0, 1), (1, 0)) if False not in fits(order)]
    return orders[0] if len(orders) == 1 and True in fits(orders[0]) else None


def label(name: str, number: int) -> str:
    """A label for a column that a header names: the code of a language, or the name without odd characters."""
    if language := language_named_in(name):
        return name.strip() if CODE.fullmatch(name.strip()) else language.code
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    return plain[:40] or f"column{number}"


def distinct(labels: Sequence[str]) -> list[str]:
    """The labels, with a number added where one occurs again."""
    found: list[str] = []
    for text in labels:
        numbered = (f"{text}_{number}" for number in count(2))
        found.append(text if text not in found else next(each for each in numbered if each not in [*found, *labels]))
    return found


def unnamed_labels(scripts: Sequence[str | None]) -> list[str]:
    """Labels of a source and a target column that nothing names: by scripts that one language has, if they differ."""
    codes = [only_language_of(script) if script else None for script in scripts]
    labels = [code or default for code, default in zip(codes, ("source", "target"), strict=True)]
    return labels if len({*labels}) == 2 else ["source", "target"]


def is_language_column(name: str) -> bool:
    """Whether a column of this name may hold sentences, rather than notes about them."""
    words = {word for word in re.split(r"[\W\d_]+", name.casefold()) if word}
    return not (words & OTHER_WORDS)


def excerpt(cells: Sequence[str], number: int = 1) -> str:
    """The first cells of a column that hold text, cut for a message."""
    texts = (" ".join(cell.split()) for cell in cells)
    return ", ".join(f"'{text[:40]}'" for text in islice((text for text in texts if text), number))
