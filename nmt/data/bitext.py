"""Sentence pairs of a corpus: read, cleaned and filtered, with counts of what is dropped."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from nmt.data.columns import is_header
from nmt.data.readers import Reader, choose_reader, held_out_format
from nmt.data.settings import DataSettings, as_list

# Shorter texts may differ in length by any factor: "Hi." can be a whole polite sentence in another language.
_RATIO_FROM_CHARS = 20


def reader_of(settings: DataSettings, path: str | list[str]) -> Reader:
    """The reader of the files at `path`, which is one of the path settings."""
    paths = tuple(as_list(path))
    source, target, *columns = settings.direction()
    if len(paths) == 2:
        columns = [0, 1] if columns[0] < columns[1] else [1, 0]
    elif len(paths) > 2:
        columns = list(range(len(paths)))
    languages = (source, *[target] * (len(columns) - 1))
    is_corpus = path == settings.path
    format_ = settings.format if is_corpus else held_out_format(settings.format, paths)
    reader = choose_reader(format_, paths)(paths, tuple(columns), languages, on_error=settings.on_error)
    return replace(reader, header=bool(settings.header) and (is_corpus or _begins_with_header(reader)))


def _begins_with_header(reader: Reader) -> bool:
    """Whether the first row of a table names its columns."""
    rows = reader.rows() if reader.is_table else iter(())
    first = next((row for row in rows if isinstance(row, list) and any(row)), None)
    return first is not None and is_header(first, reader.languages)


def usable_pairs(reader: Reader, max_chars: int, max_ratio: float, dropped: Counter[str]) -> Iterator[tuple[str, str]]:
    """The pairs to train on; the others are counted in `dropped` by reason."""
    for row in reader.clean_rows():
        if not row:
            dropped["malformed"] += 1
            continue
        source, target = row
        short, long = sorted((len(source), len(target)))
        if short == 0:
            dropped["empty"] += 1
        elif long > max_chars:
            dropped["too long"] += 1
        elif long > _RATIO_FROM_CHARS and long > max_ratio * short:
            dropped["length ratio"] += 1
        else:
            yield source, target
