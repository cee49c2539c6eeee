"""Corrections by readers, kept in files that training reads: `train.py start=RUN data.path=FILE`."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

from nmt.data.cleaning import clean
from nmt.errors import UserError

LARGEST = 64 * 2**20  # bytes of a file: nobody may fill the disk


class Suggestions:
    """A directory with one file of tab-separated pairs for each direction."""

    def __init__(self, directory: Path) -> None:
        """Make the directory; a UserError if it cannot be written."""
        self.directory = directory
        self._lock = threading.Lock()
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{directory} cannot be made ({error.strerror}): choose another --suggestions.") from error

    def add(self, languages: tuple[str, str], source: str, target: str) -> bool:
        """Append a pair, or one for each line if both have equally many; False if the file is full."""
        sides = [[clean(line) for line in text.splitlines()] for text in (source, target)]
        if len(sides[0]) != len(sides[1]):
            sides = [[clean(source)], [clean(target)]]
        lines = "".join(f"{one}\t{other}\n" for one, other in zip(*sides, strict=True) if one and other)
        path = self.directory / (re.sub(r"[^\w-]", "_", "-".join(languages)) + ".tsv")
        with self._lock:
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            try:
                size = os.fstat(handle).st_size
                header = "" if size else "\t".join(languages) + "\n"
                content = (header + lines).encode()
                if size + len(content) > LARGEST:
                    return False
                os.write(handle, content)
                os.fsync(handle)
            finally:
                os.close(handle)
        return True
