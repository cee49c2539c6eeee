"""What disks, copies and hands do to a file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

CONTENT: dict[str, Callable[[bytes, int], bytes]] = {
    "flipped": lambda content, at: content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :],
    "cut": lambda content, at: content[:at],
    "emptied": lambda content, at: b"",
    "zeroed": lambda content, at: bytes(len(content)),
    "dropped": lambda content, at: content[:at] + content[at + 1 :],
    "appended": lambda content, at: content + b"\n",
    "doubled": lambda content, at: content * 2,
}
DAMAGES = (*CONTENT, "swapped", "linked", "removed")


@contextmanager
def damaged(file: Path, kind: str, random: Random, other: Path) -> Iterator[None]:
    """Damage a file for a while in one of `DAMAGES`; `other`, in another folder, gives its content where "swapped"."""
    content, elsewhere = file.read_bytes(), other.with_name("elsewhere")
    file.unlink()
    if kind in CONTENT:
        file.write_bytes(CONTENT[kind](content, random.randrange(len(content))))
    elif kind == "swapped":
        file.write_bytes(other.read_bytes())
    elif kind == "linked":
        elsewhere.write_bytes(content)
        file.symlink_to(elsewhere)
    yield
    for path in (file, elsewhere):
        path.unlink(missing_ok=True)
    file.write_bytes(content)
