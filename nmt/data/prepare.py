"""From files of sentence pairs to a directory that training can map into memory.

The directory is named after a hash of everything that went into it, so it is made once and found again.
"""

import hashlib
import json
import logging
import unicodedata
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path

from nmt.data.bitext import reader_of
from nmt.data.build import build
from nmt.data.corpus_report import DataReport
from nmt.data.heldout import HeldOut, read_held_out
from nmt.data.lines import MEMBER_SEPARATOR, expanded
from nmt.data.replay import KEPT
from nmt.data.settings import DataSettings, as_list
from nmt.data.store import TokenStore
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.files import damage, new_directory, remove_directory, remove_leftovers, sha256
from nmt.lock import Lock

log = logging.getLogger(__name__)

_FORMAT = 2  # raise it when the same inputs would give other files
# Settings that change where things are, not what is made of them, or that enter the key in another form.
_PATHS = ("path", "val_path", "test_path")
_KEYED_APART = ("format", "header", "columns", "source", "target", "kept", "replay", "replay_path")
_NOT_IN_KEY = {*_PATHS, *_KEYED_APART, "name", "prepared_dir"}


@dataclass(frozen=True, eq=False)
class PreparedCorpus:
    """A corpus that is ready to train on."""

    directory: Path
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer  # the same pieces as the source's with data.joint_vocab
    train: TokenStore
    val: TokenStore  # every (source, reference) pair of `val_sentences`, for the loss
    val_sentences: list[HeldOut]
    test_sentences: list[HeldOut]
    report: DataReport

    def samples(self, number: int = 3) -> list[tuple[str, str]]:
        """Pairs of the training set from its beginning, middle and end, as the model sees them."""
        places = sorted({(2 * i + 1) * len(self.train) // (2 * number) for i in range(number)})
        sides = (self.source_tokenizer, self.train.source), (self.target_tokenizer, self.train.target)
        texts = [[tokenizer.decode(stored[place]) for place in places] for tokenizer, stored in sides]
        return list(zip(*texts, strict=True))

    @classmethod
    def open(cls, directory: Path) -> "PreparedCorpus":
        """Open a directory that `prepare` has made."""
        return cls(
            directory=directory,
            source_tokenizer=Tokenizer.load(directory / "source.model"),
            target_tokenizer=Tokenizer.load(directory / "target.model"),
            train=TokenStore.open(directory, "train"),
            val=TokenStore.open(directory, "val"),
            val_sentences=list(read_held_out(directory / "val.tsv")),
            test_sentences=list(read_held_out(directory / "test.tsv")),
            report=DataReport.from_dict(json.loads((directory / "report.json").read_text(encoding="utf-8"))),
        )


def prepare(settings: DataSettings, expected_key: str | None = None) -> PreparedCorpus:
    """Clean, split, tokenise and store a corpus, unless that has been done; a UserError if its key is not expected."""
    settings.require_files()
    key = _key(settings)
    if expected_key not in (None, key):
        raise UserError(
            f"The data in {' and '.join(as_list(settings.path))} has changed since the run began, or SentencePiece or "
            "Python is of another version: restore it, name where it is now (data.path), or begin a new run, which can "
            "train this one on more pairs: start=RUN instead of resume=RUN."
        )
    source, target, *_ = settings.direction()
    parent = expanded(settings.prepared_dir)
    directory = parent / f"{settings.name}-{source}-{target}-{key[:12]}"
    if directory.exists() and _problem(directory, key) is None:
        log.info("Using the corpus prepared in %s.", directory)
        return PreparedCorpus.open(directory)
    file = directory.with_name(f".{directory.name}.lock")
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with Lock(file, f"Waiting for another process that prepares the same corpus ({file}).") as lock:
            if lock.is_exclusive:
                remove_leftovers(parent, directory.name)
            _make(settings, key, directory)
    except OSError as error:  # read-only, or full
        advice = "make room there or choose another directory with data.prepared_dir=DIR"
        raise UserError(f"data.prepared_dir={parent} cannot be written ({error.strerror}): {advice}.") from error
    return PreparedCorpus.open(directory)


def _make(settings: DataSettings, key: str, directory: Path) -> None:
    """Prepare a corpus, unless another process did so while we waited for the lock."""
    if directory.exists():
        problem = _problem(directory, key)
        if problem is None:
            return
        log.warning("%s is damaged (%s) and is prepared again.", directory, problem)
        remove_directory(directory)  # else a renamed corpus, which is intact, would be kept below
    log.info("Preparing %s.", directory)
    with new_directory(directory, existing="keep") as unfinished:
        build(settings, key, unfinished)


def _problem(directory: Path, key: str) -> str | None:
    """What is wrong with a prepared corpus, or None if it is undamaged and has this key."""
    if problem := damage(directory):
        return problem
    recorded = json.loads((directory / "report.json").read_text(encoding="utf-8"))["key"]
    return None if recorded == key else "it is another corpus, renamed"


def _key(settings: DataSettings) -> str:
    """A hash of everything that shapes the prepared files."""
    inputs = [
        (field, _sha256(name), member)
        for field in _PATHS
        for path in as_list(getattr(settings, field))
        for name, _, member in [path.partition(MEMBER_SEPARATOR)]
    ]
    parts = {
        "format": _FORMAT,
        "sentencepiece": version("sentencepiece"),
        "unicode": unicodedata.unidata_version,
        "direction": settings.direction(),
        "settings": {
            field.name: value
            for field in fields(settings)
            for value in [getattr(settings, field.name)]
            if field.name not in _NOT_IN_KEY and value != field.default  # so that a new setting changes no key
        },
        "formats": [reader_of(settings, path).name for field in _PATHS if (path := getattr(settings, field))],
        "header": bool(settings.header),
        "inputs": inputs,
    }
    if settings.kept:
        parts["kept"] = [_sha256(str(Path(settings.kept, file))) for file in KEPT.values()]
        parts["replay"] = [_key(old) for old in settings.replayed()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _sha256(name: str) -> str:
    try:
        return sha256(expanded(name))
    except OSError as error:
        raise UserError(f"{name} cannot be read ({error.strerror}): check its permissions.") from error
