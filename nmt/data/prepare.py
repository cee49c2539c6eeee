"""From files of sentence pairs to a directory that training can map into memory.

The directory is named after a hash of everything that went into it, so it is made once and found again.
"""

import hashlib
import json
import logging
import shutil
import unicodedata
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from random import Random

from filelock import FileLock, Timeout

from nmt.data.bitext import Bitext, usable_pairs
from nmt.data.corpus_report import DataReport, SideReport, length_percentiles, script_shares
from nmt.data.heldout import HeldOut, given_set, read_held_out, write_held_out
from nmt.data.lines import MEMBER_SEPARATOR, expanded
from nmt.data.replay import KEPT, merge
from nmt.data.settings import DataSettings, as_list
from nmt.data.split import Split, split_pairs
from nmt.data.spool import PairSpool, read_text
from nmt.data.store import Block, TokenStore
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.files import damage, new_directory, remove_directory, remove_leftovers, sha256, write_json
from nmt.writing_systems import count_characters

logger = logging.getLogger(__name__)

_FORMAT = 2  # raise it when the same inputs would give other files
_BLOCK = 8192  # pairs encoded together
_VOCABULARY_PAIRS = 100_000  # size of the sample that vocabularies are learnt from, to bound time and memory
# Settings that change where things are, not what is made of them. Languages enter the key by their columns.
_PATHS = ("path", "val_path", "test_path")
_NOT_IN_KEY = {*_PATHS, "format", "header", "name", "columns", "source", "target", "max_megabytes", "prepared_dir"}
_NOT_IN_KEY |= {"kept", "replay", "replay_path"}  # it has their files
# Settings that are always in the key, as in earlier versions; later ones only where they differ from their defaults.
_CLEANING, _VOCABULARY = "on_error max_chars max_ratio", "vocab_size vocab_type joint_vocab character_coverage"
_ALWAYS_IN_KEY = {*_CLEANING.split(), "val_size", "test_size", *_VOCABULARY.split()}


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
    lock = directory.with_name(f".{directory.name}.lock")
    if directory.exists() and not lock.exists() and _problem(directory, key) is None:
        logger.info("Using the corpus prepared in %s.", directory)
        return PreparedCorpus.open(directory)
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with _locked(lock) as is_locked:  # also removes the lock file of a process that was killed
            if is_locked:
                remove_leftovers(parent, directory.name)
            _make(settings, key, directory)
    except OSError as error:  # read-only, or full
        advice = "make room there or choose another directory with data.prepared_dir=DIR"
        raise UserError(f"data.prepared_dir={parent} cannot be written ({error.strerror}): {advice}.") from error
    return PreparedCorpus.open(directory)


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Let one process at a time prepare a corpus; yields False where the file system has no locks."""
    lock = FileLock(path)
    with suppress(OSError, NotImplementedError):  # some network file systems, or a symbolic link
        try:
            lock.acquire(timeout=0)
        except Timeout:
            logger.info("Waiting for another process that prepares the same corpus (%s).", path)
            lock.acquire()
    try:
        yield lock.is_locked
    finally:
        if lock.is_locked:
            path.unlink(missing_ok=True)  # before the release: a waiting process then notices, and locks a new file
            lock.release()


def _make(settings: DataSettings, key: str, directory: Path) -> None:
    """Prepare a corpus, unless another process did so while we waited for the lock."""
    if directory.exists():
        problem = _problem(directory, key)
        if problem is None:
            return
        logger.warning("%s is damaged (%s) and is prepared again.", directory, problem)
        remove_directory(directory)  # else a renamed corpus, which is intact, would be kept below
    logger.info("Preparing %s.", directory)
    with new_directory(directory, existing="keep") as unfinished:
        _build(settings, key, unfinished)


def _problem(directory: Path, key: str) -> str | None:
    """What is wrong with a prepared corpus, or None if it is undamaged and has this key."""
    if problem := damage(directory):
        return problem
    try:
        found = json.loads((directory / "report.json").read_text(encoding="utf-8"))["key"]
    except (ValueError, TypeError, KeyError):
        return f"{directory / 'report.json'} is not a report"
    return None if found == key else "it is another corpus, renamed"


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
            if field.name in _ALWAYS_IN_KEY or (field.name not in _NOT_IN_KEY and value != field.default)
        },
        "inputs": inputs,
    }
    # TSV and parallel files differ by their number, so they are not named, as in earlier versions.
    formats = [Bitext.of(settings, path).reader.name for field in _PATHS if (path := getattr(settings, field))]
    if set(formats) - {"tsv", "parallel"}:
        parts["formats"] = formats
    if settings.header:  # a key of earlier versions, which knew no headers, has no such part
        parts["header"] = True
    if settings.kept:
        parts["kept"] = [_sha256(str(Path(settings.kept, file))) for file in KEPT.values()]
        parts["replay"] = [_key(old) for old in settings.replayed()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _sha256(name: str) -> str:
    try:
        return sha256(expanded(name))
    except OSError as error:
        raise UserError(f"{name} cannot be read ({error.strerror}): check its permissions.") from error


def _build(settings: DataSettings, key: str, directory: Path) -> None:
    """Write all files of a prepared corpus."""
    work = directory / "work"
    work.mkdir()
    train_text = work / "train.tsv"
    pairs_read, dropped, split, new_pairs = _read_and_split(settings, work, train_text)
    write_held_out(directory / "val.tsv", split.val)
    write_held_out(directory / "test.tsv", split.test)

    def train_tokenizer(sentences: list[str], characters: Counter[str]) -> Tokenizer:
        coverage = settings.character_coverage
        return Tokenizer.train(sentences, settings.vocab_size, settings.vocab_type, coverage, characters)

    texts = _vocabulary_sample(train_text, split.train_pairs)
    characters = [count_characters(sentences) for sentences in texts]
    if settings.kept:
        source, target = (Tokenizer.load(Path(settings.kept, KEPT[f"{side}.model"])) for side in ("source", "target"))
    elif settings.joint_vocab:
        source = target = train_tokenizer(texts[0] + texts[1], sum(characters, Counter()))
    else:
        with ThreadPoolExecutor(2) as threads:  # SentencePiece releases the GIL while it trains
            source, target = threads.map(train_tokenizer, texts, characters)
    del texts
    source.save(directory / "source.model")
    target.save(directory / "target.model")
    val_text = work / "val.tsv"
    val_pairs = (HeldOut(entry.source, (text,)) for entry in split.val for text in entry.references)
    write_held_out(val_text, (pair for pair in val_pairs if pair.source and pair.references[0]))
    for name, file in (("train", train_text), ("val", val_text)):
        TokenStore.write(directory, name, _encoded(file, source, target), len(source), len(target))

    train, languages = TokenStore.open(directory, "train"), settings.direction()
    asked = settings.vocab_size
    source_side, target_side = (
        SideReport(language, script_shares(counts), length_percentiles(stored.lengths), len(tokenizer), asked)
        for language, counts, stored, tokenizer in (
            (languages.source, characters[0], train.source, source),
            (languages.target, characters[1], train.target, target),
        )
    )
    held_out = "".join(sha256(directory / name) for name in ("val.tsv", "test.tsv"))
    report = DataReport(
        name=settings.name,
        key=key,
        pairs_read=pairs_read,
        dropped=dict(dropped),
        train_pairs=split.train_pairs,
        val_sources=len(split.val),
        val_pairs=sum(len(entry.references) for entry in split.val),
        test_sources=len(split.test),
        test_pairs=sum(len(entry.references) for entry in split.test),
        random_leak=split.random_leak,
        split_hash=hashlib.sha256(held_out.encode()).hexdigest(),
        source=source_side,
        target=target_side,
        new_pairs=new_pairs,
    )
    write_json(directory / "report.json", asdict(report))
    shutil.rmtree(work)


def _read_and_split(settings: DataSettings, work: Path, train_text: Path) -> tuple[int, Counter[str], Split, int]:
    """Write the training pairs; the numbers of lines, of dropped ones by reason and of new pairs, and the split."""
    if not settings.kept:
        return *_split(settings, work, train_text), 0
    kept = [list(read_held_out(Path(settings.kept, KEPT[name]))) for name in ("val.tsv", "test.tsv")]
    texts = []
    for number, corpus in enumerate([*settings.replayed(), settings]):
        folder = work / str(number)
        folder.mkdir()
        texts.append(folder / "train.tsv")
        read, dropped, split = _split(corpus, folder, texts[-1], kept)
    counts = merge(texts, train_text)
    if not counts.new:
        files = " and ".join(as_list(settings.path))
        raise UserError(f"{files} has no pair that the run was not trained on: add new pairs, or corrected ones.")
    dropped += Counter({"known before": counts.known, "old, replaced by new": counts.replaced})
    return read, dropped, replace(split, train_pairs=counts.old + counts.new), counts.new


def _split(
    settings: DataSettings, work: Path, train_text: Path, kept: list[list[HeldOut]] | None = None
) -> tuple[int, Counter[str], Split]:
    """Clean and split one corpus; `kept` are the held-out sets of an earlier run, instead of those of the settings."""
    assert settings.path is not None, "require_files() comes first"
    dropped: Counter[str] = Counter()
    spool = PairSpool(work)
    spool.fill(usable_pairs(Bitext.of(settings, settings.path), settings.max_chars, settings.max_ratio, dropped))
    pairs_read = spool.count + dropped.total()
    if not spool.count:
        files = " and ".join(as_list(settings.path))
        raise UserError(f"{files}: no usable sentence pair among {pairs_read} lines: check data.path and data.columns.")
    val, test = kept or (
        given_set(Bitext.of(settings, path)) if path else size
        for path, size in ((settings.val_path, settings.val_size), (settings.test_path, settings.test_size))
    )
    split = split_pairs(spool, train_text, val, test)
    return pairs_read, dropped + split.dropped, split


def _vocabulary_sample(text: Path, pairs: int) -> tuple[list[str], list[str]]:
    """Source and target sentences to learn vocabularies from: all of them, or a random sample."""
    kept, random = _VOCABULARY_PAIRS / pairs, Random(0)
    chosen = [line.split("\t") for line in read_text(text) if kept >= 1 or random.random() < kept]
    return [source for source, _ in chosen], [target for _, target in chosen]


def _encoded(text: Path, source: Tokenizer, target: Tokenizer) -> Iterator[Block]:
    """The pairs of a file as ids, block by block."""
    lines = read_text(text)
    while block := [line.split("\t") for line in islice(lines, _BLOCK)]:
        sources, targets = ([pair[side] for pair in block] for side in (0, 1))
        yield source.encode_batch(sources), target.encode_batch(targets)
