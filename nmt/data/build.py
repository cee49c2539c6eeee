"""Writes the files of a prepared corpus: held-out sets, vocabularies, token stores and the report."""

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from random import Random

from nmt.data.bitext import reader_of, usable_pairs
from nmt.data.corpus_report import DataReport, SideReport, length_percentiles, script_shares
from nmt.data.heldout import HeldOut, given_set, read_held_out, write_held_out
from nmt.data.replay import KEPT, merge
from nmt.data.settings import DataSettings, as_list
from nmt.data.split import Split, split_pairs
from nmt.data.spool import PairSpool, read_text
from nmt.data.store import Block, TokenStore
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.files import sha256, write_json
from nmt.writing_systems import count_characters

_BLOCK = 8192  # pairs encoded together
_VOCABULARY_PAIRS = 100_000  # size of the sample that vocabularies are learnt from, to bound time and memory


def build(settings: DataSettings, key: str, directory: Path) -> None:
    """Write all files of a prepared corpus with this key."""
    work = directory / "work"
    work.mkdir()
    train_text = work / "train.tsv"
    pairs_read, dropped, split, new_pairs = _read_and_split(settings, work, train_text)
    write_held_out(directory / "val.tsv", split.val)
    write_held_out(directory / "test.tsv", split.test)
    texts = _vocabulary_sample(train_text, split.train_pairs)
    characters = [count_characters(sentences) for sentences in texts]
    source, target = _tokenizers(settings, texts, characters)
    del texts
    source.save(directory / "source.model")
    target.save(directory / "target.model")
    train_pairs = (line.split("\t") for line in read_text(train_text))
    val_pairs = ([entry.source, text] for entry in split.val for text in entry.references if entry.source and text)
    for name, pairs in (("train", train_pairs), ("val", val_pairs)):
        TokenStore.write(directory, name, _encoded(pairs, source, target), len(source), len(target))
    train, languages = TokenStore.open(directory, "train"), settings.direction()
    source_side, target_side = (
        SideReport(*side, vocabulary_asked=settings.vocab_size)
        for side in (
            (languages.source, script_shares(characters[0]), length_percentiles(train.source.lengths), len(source)),
            (languages.target, script_shares(characters[1]), length_percentiles(train.target.lengths), len(target)),
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


def _tokenizers(
    settings: DataSettings, texts: Sequence[list[str]], characters: Sequence[Counter[str]]
) -> tuple[Tokenizer, Tokenizer]:
    """Learn the vocabularies of source and target, or load those of an earlier run."""

    def learn(sentences: list[str], characters: Counter[str]) -> Tokenizer:
        coverage = settings.character_coverage
        return Tokenizer.train(sentences, settings.vocab_size, settings.vocab_type, coverage, characters)

    if settings.kept:
        source, target = (Tokenizer.load(Path(settings.kept, KEPT[f"{side}.model"])) for side in ("source", "target"))
    elif settings.joint_vocab:
        source = target = learn(texts[0] + texts[1], sum(characters, Counter()))
    else:
        with ThreadPoolExecutor(2) as threads:  # SentencePiece releases the GIL while it trains
            source, target = threads.map(learn, texts, characters)
    return source, target


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
    reader = reader_of(settings, settings.path)
    spool = PairSpool(work, usable_pairs(reader, settings.max_chars, settings.max_ratio, dropped))
    pairs_read = len(spool) + dropped.total()
    if not len(spool):
        files = " and ".join(as_list(settings.path))
        raise UserError(f"{files}: no usable sentence pair among {pairs_read} lines: check data.path and data.columns.")
    val, test = kept or (
        given_set(reader_of(settings, path)) if path else size
        for path, size in ((settings.val_path, settings.val_size), (settings.test_path, settings.test_size))
    )
    split = split_pairs(spool, train_text, val, test)
    return pairs_read, dropped + split.dropped, split


def _vocabulary_sample(text: Path, pairs: int) -> tuple[list[str], list[str]]:
    """Source and target sentences to learn vocabularies from: all of them, or a random sample."""
    kept, random = _VOCABULARY_PAIRS / pairs, Random(0)
    chosen = [line.split("\t") for line in read_text(text) if kept >= 1 or random.random() < kept]
    return [source for source, _ in chosen], [target for _, target in chosen]


def _encoded(pairs: Iterator[list[str]], source: Tokenizer, target: Tokenizer) -> Iterator[Block]:
    """Pairs as ids, block by block."""
    while block := list(islice(pairs, _BLOCK)):
        sources, targets = map(list, zip(*block, strict=True))
        yield source.encode_batch(sources), target.encode_batch(targets)
