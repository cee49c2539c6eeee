"""Settings of a corpus, checked when they are made."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from nmt.data.lines import MEMBER_SEPARATOR, expanded, plain_name
from nmt.data.readers import AUTO, READERS
from nmt.errors import UserError
from nmt.shell import shell_command
from nmt.typed import to_dataclass

# Below this, 256 byte pieces and 4 specials leave hardly a piece for the text itself.
SMALLEST_VOCABULARY = 300
MULTI30K = "multi30k"  # name of its configuration and of its download directory

_ANKI_FILE = re.compile(r"([a-z]{3})-eng(\.txt)?(\.gz|\.zip)?")
_WORKBOOKS = (".xlsx", ".xls", ".ods", ".numbers")
_LANGUAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*")  # it names directories


class Direction(NamedTuple):
    """The two languages, and the column (or file) of each."""

    source: str
    target: str
    source_column: int
    target_column: int


@dataclass(frozen=True)
class DataSettings:
    """Where a corpus is, and how it is cleaned, split and tokenised."""

    name: str  # of the prepared directory and the run
    # One file of pairs, or [source file, target file]; plain, .gz or .zip ('archive.zip::member' names a member).
    path: str | list[str] | None = None
    format: str = AUTO  # of all these files; auto: found out from how they begin and what they are called
    header: bool | None = None  # whether the first row of a table names its columns; None: found out
    # Given held-out sets, in the same forms; None holds them out from `path`.
    val_path: str | list[str] | None = None
    test_path: str | list[str] | None = None  # also [source, reference, reference, ...]
    # Languages of the columns, such as [eng, fra]; None: found out from header, file name and script.
    columns: list[str] | None = None
    # Languages to translate from and to, or the names or numbers (from 1) of their columns; None: the first column,
    # and the first other one.
    source: str | int | None = None
    target: str | int | None = None
    on_error: Literal["stop", "skip"] = "stop"  # malformed lines end the work, or are skipped and counted
    max_chars: int = 500  # longer sentences are dropped; characters, as not every script has spaces between words
    # Pairs whose lengths in characters differ by more than this factor are dropped; Chinese needs a wide one.
    max_ratio: float = 12.0
    val_size: int = 1000  # distinct sources held out: at most one in twenty of all, at least one
    test_size: int = 1000
    vocab_size: int = 4000  # pieces per vocabulary (of both languages together if joint)
    vocab_type: Literal["bpe", "unigram"] = "bpe"
    joint_vocab: bool = False
    # Share of running text whose characters get pieces of their own; the rest is spelt in bytes.
    character_coverage: float = 0.9998
    prepared_dir: str = "data/prepared"
    # Of a run that starts from another (nmt/starting.py), whose data settings these are:
    kept: str | None = None  # run directory whose vocabularies and held-out sets are kept
    replay: list[dict[str, Any]] | None = None  # settings of the corpora that it was trained on, oldest first
    replay_path: str | list[str] | None = None  # where the old pairs are now: the missing ones, or the last

    def __post_init__(self) -> None:
        _require(bool(_LANGUAGE.fullmatch(self.name)), "name", self.name, "letters, digits, '-' and '_'")
        _require(self.format in (AUTO, *READERS), "format", self.format, f"one of {', '.join((AUTO, *READERS))}")
        for field in ("max_chars", "max_ratio", "val_size", "test_size"):
            _require(getattr(self, field) >= 1, field, getattr(self, field), "at least 1")
        vocabulary = f"at least {SMALLEST_VOCABULARY}, of which 260 are bytes and special pieces"
        _require(self.vocab_size >= SMALLEST_VOCABULARY, "vocab_size", self.vocab_size, vocabulary)
        coverage = self.character_coverage
        _require(0.9 <= coverage <= 1, "character_coverage", coverage, "between 0.9 and 1")
        for field in ("path", "val_path"):
            files = getattr(self, field)
            _require(not isinstance(files, list) or len(files) == 2, field, files, "one TSV file or two files")
        test = self.test_path
        several = "one TSV file, or a source file and its reference files"
        _require(not isinstance(test, list) or len(test) >= 2, "test_path", test, several)
        if self.known_languages():  # else it is checked once the file has been looked at
            self.direction()

    def direction(self) -> Direction:
        """The languages to translate from and to, and their columns."""
        columns = self.languages()
        distinct = len(set(columns)) == len(columns) and all(map(is_label, columns))
        _require(len(columns) >= 2 and distinct, "columns", columns, "two or more different languages")
        two = len(columns) == 2 or not isinstance(self.path, list)
        _require(two, "columns", columns, "one language for each of the two files in data.path")
        wanted_source, wanted_target = (self._column(field, columns) for field in ("source", "target"))
        source = wanted_source or next(column for column in columns if column != wanted_target)
        target = wanted_target or next(column for column in columns if column != source)
        _require(source != target, "target", target, f"another language than data.source ({source})")
        direction = Direction(source, target, columns.index(source), columns.index(target))
        if direction.source_column > direction.target_column:
            test = self.test_path
            order = f"exactly two files when data.source={source} is not the first language"
            _require(not isinstance(test, list) or len(test) == 2, "test_path", test, order)
        return direction

    def languages(self) -> list[str]:
        """Languages of the columns or files: as set, else from the file names, else source and target."""
        return self.known_languages() or self._assumed_languages()

    def known_languages(self) -> list[str] | None:
        """Languages of the columns or files, as they are set or as file names tell, without a look into the files."""
        if self.columns:
            return self.columns
        if isinstance(self.path, list):  # train.en.gz beside train.fr.gz
            found = [plain_name(path).suffix[1:] for path in self.path]
            if found[0] != found[1] and all(re.fullmatch("[A-Za-z]{2,3}", x) for x in found):
                return found
        elif anki := anki_language(self.path):  # fra-eng.zip
            return ["eng", anki]
        return None

    def _assumed_languages(self) -> list[str]:
        """Labels for columns about which nothing is known."""
        numbers = [number for number in (self.source, self.target) if isinstance(number, int)]
        if numbers:
            return [f"column{number}" for number in range(1, max(2, *numbers) + 1)]
        return [str(self.source or "source"), str(self.target or "target")]

    def _column(self, field: str, columns: list[str]) -> str | None:
        """The column that data.source or data.target names, by its language or its number from 1."""
        asked = getattr(self, field)
        if isinstance(asked, int):
            _require(1 <= asked <= len(columns), field, asked, f"between 1 and {len(columns)}, the number of columns")
            return columns[asked - 1]
        known = f"one of the columns ({', '.join(columns)})"
        _require(asked is None or asked in columns, field, asked, known)
        return str(asked) if asked else None

    def replayed(self) -> list["DataSettings"]:
        """Settings of the corpora that are replayed in a run that starts from another, oldest first."""
        old = [to_dataclass(DataSettings, values, "data.replay") for values in self.replay or []]
        if old and self.replay_path is not None:
            missing = (place for place, each in enumerate(old) if _missing(each.path))
            place = next(missing, len(old) - 1)
            old[place] = replace(old[place], path=self.replay_path)
        return old

    def require_files(self) -> None:
        """Raise a UserError that names the setting for any input that is not there."""
        for path, problem in (found for each in self.replayed() if (found := _missing(each.path))):
            old = "the pairs that the run was trained on are replayed: say where they are now with data.replay_path"
            raise UserError(f"{path} {problem}, and {old}.")
        if self.path is None:
            raise UserError(f"data.path is not set: give it a file of sentence pairs, or run {self._download()}.")
        for field in ("path", "val_path", "test_path"):
            if found := _missing(getattr(self, field)):
                path, problem = found
                known = anki_language(path) or Path(path).parent.name == MULTI30K
                hint = f"run {self._download()} or set data.{field}" if known else f"set data.{field}"
                raise UserError(f"{path} {problem}: {hint} to a file of sentence pairs.")
            for path in as_list(getattr(self, field)):
                if Path(path).suffix.lower() in _WORKBOOKS:
                    raise UserError(
                        f"{path} is a spreadsheet's own file: save it as CSV (UTF-8) and give data.{field} that."
                    )

    def _download(self) -> str:
        """The command that would download the corpus of these settings."""
        if self.name == MULTI30K:
            return f"`{shell_command('scripts/download.py', 'multi30k')}`"
        languages = [anki_language(self.path), self.target, self.source]
        wanted = (x for x in languages if isinstance(x, str) and x != "eng" and re.fullmatch("[a-z]{3}", x))
        return f"`{shell_command('scripts/download.py', next(wanted, 'fra'))}`"


def _missing(path: str | list[str] | None) -> tuple[str, str] | None:
    """The first of these files that cannot be read, and why."""
    checked = ((each, _problem(expanded(each.partition(MEMBER_SEPARATOR)[0]))) for each in as_list(path))
    return next(((each, problem) for each, problem in checked if problem), None)


def _problem(path: Path) -> str | None:
    """Why a path cannot be read as a file, if so."""
    try:
        return None if path.is_file() else "is not a file" if path.exists() else "does not exist"
    except OSError as error:  # a name that is too long, a folder that may not be entered
        return f"cannot be read ({error.strerror})"


def is_label(text: str) -> bool:
    """Whether a text can name a language, and with it directories."""
    return bool(_LANGUAGE.fullmatch(text))


def as_list(path: str | list[str] | None) -> list[str]:
    """The files that a path setting names."""
    return [] if path is None else [path] if isinstance(path, str) else list(path)


def anki_language(path: str | list[str] | None) -> str | None:
    """The language that an Anki file (fra-eng.zip, fra-eng.txt.gz) pairs with English, by its name."""
    if not isinstance(path, str):
        return None
    match = _ANKI_FILE.fullmatch(Path(path.partition(MEMBER_SEPARATOR)[0]).name)
    return match[1] if match else None


def _require(holds: bool, field: str, value: object, expected: str) -> None:
    if not holds:
        raise UserError(f"data.{field}={value} must be {expected}.")
