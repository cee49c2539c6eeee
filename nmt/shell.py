"""Commands that users are told to type, written so that they work when pasted into a shell."""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent


def shell_command(program: str, *arguments: str | Path) -> str:
    """The command that runs a program of this project from the current directory; paths become absolute."""
    here = os.getcwd()
    activated = os.path.abspath(shutil.which("python") or "") == os.path.abspath(sys.executable)
    python = "python" if activated else sys.executable.removeprefix(os.path.join(here, ""))
    script = program if here == str(_ROOT) else str(_ROOT / program)
    words = (str(word.absolute()) if isinstance(word, Path) else word for word in arguments)
    return " ".join(map(quote, (python, script, *words)))


def resume_command(directory: Path) -> str:
    """The command that resumes a run."""
    return shell_command("train.py", f"resume={directory.absolute()}")


def quote(word: str) -> str:
    """Quote a word for the shell, on one line and with single blanks only, as messages are printed."""
    if word.isprintable() and "  " not in word:
        return shlex.quote(word) if not re.fullmatch(r"[\w@%+=:,./-]+", word) else word  # é needs no quotes
    return "$'" + re.sub(r"[^!#-&(-[\]-~]", lambda match: _escaped(match[0]), word) + "'"  # read by bash, zsh and ksh


def _escaped(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))
