"""Zips of parallel files, as OPUS publishes them."""

import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath

from nmt.data.lines import DAMAGE, MEMBER_SEPARATOR, expanded
from nmt.data.readers.base import Named, Row
from nmt.data.readers.text import Parallel
from nmt.errors import UserError
from nmt.languages import CODE


class Moses(Named):
    """OPUS's zips in Moses format: a member for each language, named by its suffix (corpus.de-en.de)."""

    name = "moses"
    grouped = False

    @classmethod
    def claims(cls, paths: tuple[str, ...]) -> bool:
        return len(paths) == 1 and MEMBER_SEPARATOR not in paths[0] and len(_members(paths[0])) >= 2

    def names(self) -> tuple[str, ...]:
        return tuple(_members(self.paths[0]))

    def rows(self) -> Iterator[Row]:
        (path,), members = self.paths, _members(self.paths[0])
        if len(members) < 2:
            raise UserError(f"{path} holds no files of two languages (such as a.de-en.de and a.de-en.en): check it.")
        files = [f"{path}{MEMBER_SEPARATOR}{members[name]}" for name in self.wanted()]
        yield from Parallel(tuple(files)).rows()


def _members(path: str) -> dict[str, str]:
    """The members of a zip that differ in a language suffix only, by language."""
    groups: dict[PurePosixPath, dict[str, str]] = defaultdict(dict)
    if path.lower().endswith(".zip"):
        try:
            with zipfile.ZipFile(expanded(path)) as archive:
                for name in archive.namelist():
                    suffix = PurePosixPath(name).suffix[1:]
                    if CODE.fullmatch(suffix) and suffix not in ("txt", "ids", "xml", "tsv", "csv", "pdf", "md", "gz"):
                        groups[PurePosixPath(name).with_suffix("")][suffix] = name
        except (OSError, *DAMAGE):  # the one that reads it says what is wrong
            return {}
    return max(groups.values(), key=len, default={})
