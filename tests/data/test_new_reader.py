"""A new corpus format is one class, nothing else: this one is defined here, and a corpus is prepared from it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nmt.composition import composed
from nmt.data.lines import Malformed, read_lines
from nmt.data.prepare import PreparedCorpus, prepare
from nmt.data.readers import READERS, Reader
from nmt.errors import UserError


@pytest.fixture(autouse=True)
def bars() -> Iterator[None]:
    class Bars(Reader):
        """Cells between bars, a ||| b, as Moses writes phrase tables."""

        name = "bars"
        suffixes = (".bars",)

        def rows(self) -> Iterator[list[str] | Malformed]:
            for number, line in enumerate(read_lines(self.paths[0]), start=1):
                cells = [] if isinstance(line, Malformed) else line.split("|||")
                wanted = self.columns or range(len(cells))  # all, while nothing is known of the file
                good = len(cells) > max(wanted, default=0)
                yield [cells[i] for i in wanted] if good else Malformed("no bars", f"{self.paths[0]}, row {number}")

    yield
    del READERS["bars"]


def prepared(path: Path, *overrides: str) -> PreparedCorpus:
    folder = path.parent / "prepared"
    common = ["data=anki", f"data.path={path}", "data.columns=[eng,bkw]", f"data.prepared_dir={folder}"]
    return prepare(composed(*common, "data.vocab_size=400", *overrides).data)


def written(path: Path, pairs: list[tuple[str, str]], separator: str = " ||| ", more: str = "") -> Path:
    path.write_text("".join(f"{a}{separator}{b}\n" for a, b in pairs) + more, encoding="utf-8")
    return path


def test_it_is_chosen_by_suffix_or_by_name(tmp_path: Path, pairs: list[tuple[str, str]]) -> None:
    corpora = [
        prepared(written(tmp_path / "pairs.tsv", pairs, "\t")),
        prepared(written(tmp_path / "pairs.bars", pairs)),
        prepared(written(tmp_path / "pairs.txt", pairs), "data.format=bars"),
    ]
    by_tab, by_suffix, by_name = corpora
    assert by_suffix.report.pairs_read == len(pairs)
    assert by_suffix.report.split_hash == by_name.report.split_hash == by_tab.report.split_hash
    assert by_suffix.directory == by_name.directory != by_tab.directory


def test_one_content_read_in_two_formats_is_two_corpora(tmp_path: Path) -> None:
    content = [(f"a{i} ||| b{i}", f"c{i} ||| d{i}") for i in range(300)]  # a good file in either format
    by_tab = prepared(written(tmp_path / "pairs.tsv", content, "\t"))
    by_bars = prepared(written(tmp_path / "pairs.bars", content, "\t"))
    assert by_tab.directory != by_bars.directory
    assert by_tab.directory == prepared(tmp_path / "pairs.bars", "data.format=tsv").directory


def test_a_malformed_row_is_named_as_the_reader_numbers_it(tmp_path: Path, pairs: list[tuple[str, str]]) -> None:
    path = written(tmp_path / "pairs.bars", pairs, more="nothing here\n")
    with pytest.raises(UserError) as caught:
        prepared(path)
    assert str(caught.value).startswith(f"{path}, row {len(pairs) + 1}: no bars")
    assert prepared(path, "data.on_error=skip").report.dropped["malformed"] == 1


def test_formats_are_listed_where_one_is_mistyped(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"data\.format=csvv must be one of auto, .*tsv, .*bars\."):
        prepared(tmp_path / "pairs.tsv", "data.format=csvv")


@pytest.mark.parametrize(("kind", "paths"), [("bars", "[a.x,b.y]"), ("parallel", "a.tsv")])
def test_a_format_says_how_many_files_it_reads(tmp_path: Path, kind: str, paths: str) -> None:
    for name in ("a.x", "b.y", "a.tsv"):
        (tmp_path / name).write_text("a\tb\n")
    named = paths.replace("a.", f"{tmp_path}/a.").replace("b.", f"{tmp_path}/b.")
    with pytest.raises(UserError, match=f"data.format={kind} reads (one file|a file for each language), not .*/a"):
        prepared(tmp_path / "unused", f"data.path={named}", f"data.format={kind}")
