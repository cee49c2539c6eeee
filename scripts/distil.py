"""Write training pairs for a student: the corpus of some runs and their own translations of it.

    python scripts/distil.py --run outputs/A --run outputs/B --each --back outputs/C --output data/raw/distilled

Sequence-level distillation (Kim and Rush 2016), and with --back data diversification (Nguyen et al. 2020): a model of
the opposite direction gives the targets further sources. Sentences that were held out are not translated, and no
teacher may have been trained on them: no test set is seen.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nmt import cli
from nmt.commands.options import plain_parser
from nmt.composition import resumed
from nmt.console import log_to_console
from nmt.data.heldout import HeldOut, read_held_out
from nmt.data.prepare import prepare
from nmt.data.settings import Direction
from nmt.errors import UserError
from nmt.files import new_directory
from nmt.overrides import in_hydra
from nmt.run import OpenRun, Run
from nmt.shell import shell_command

if TYPE_CHECKING:
    from nmt.translator import Translator

EXAMPLES = """examples:
  python scripts/distil.py --run outputs/A --run outputs/B --run outputs/C --output data/raw/distilled
  python scripts/distil.py --run outputs/A --output data/raw/distilled --beam 3
  python scripts/distil.py --run outputs/A --run outputs/B --each --best 2 --output data/raw/distilled
  python scripts/distil.py --run outputs/en-de --back outputs/de-en --output data/raw/diversified
"""
TOGETHER = 4096  # sentences translated between two reports


def main() -> None:
    """Translate the training sentences of the first run, write pairs, say how to train on them."""
    options = parse(sys.argv[1:])

    log_to_console()
    direction = make_pairs(options)
    settings = {f"data.{name}": in_hydra(value) for name, value in student_data(options.output, direction).items()}
    places = [f"{name}={value}" for name, value in settings.items()]
    print("Train on them with", file=sys.stderr)
    print(shell_command("train.py", "data=anki", "data.name=distilled", *places))


def make_pairs(options: argparse.Namespace) -> Direction:
    """Write the pairs that `options` ask for; returns their direction of translation."""
    from nmt.translator import Translator

    if options.output.exists():
        raise UserError(f"{options.output} exists already: choose another --output.")
    runs, back = ([Run.open(directory) for directory in directories] for directories in (options.run, options.back))
    for group in (runs, back):  # all that may be wrong, before the first has translated everything
        check(group, options)
    check_same_split(runs)
    data = resumed(runs[0], overrides=[]).config.data  # where the corpus lies now
    corpus = prepare(data, runs[0].provenance["data_key"])
    sides = (corpus.source_tokenizer, corpus.train.source), (corpus.target_tokenizer, corpus.train.target)
    texts = [tokenizer.decode_batch([stored[i] for i in range(len(stored))]) for tokenizer, stored in sides]
    known = list(zip(*texts, strict=True))
    overrides = {} if options.beam is None else {"beam_size": options.beam}
    held_out = {"val": corpus.val_sentences, "test": corpus.test_sentences}
    for run in back:
        check_opposite(run, data.direction(), [entry for entries in held_out.values() for entry in entries])

    def load(teachers: list[OpenRun]) -> list[Translator]:
        groups = [[run] for run in teachers] if options.each else [teachers]
        return [Translator.load(group, options.device, **overrides) for group in groups if group]

    forward, backward = load(runs), load(back)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(options.output.parent, os.W_OK):
        raise UserError(f"{options.output.parent} cannot be written to: choose another --output.")
    new = [pair for each in forward for pair in translated(each, known, options.best)]
    turned = [(target, source) for source, target in known]
    further = [pair for each in backward for pair in translated(each, turned, options.best)]
    new += [(source, target) for target, source in further]
    old = set(known)
    new = [pair for pair in dict.fromkeys(new) if pair not in old]
    with new_directory(options.output, existing="refuse") as directory:
        write(directory / "train.tsv", [*known, *new])
        for name, entries in held_out.items():
            write_held_out(directory, name, entries)
    print(f"{len(new)} pairs were added to {len(known)}.", file=sys.stderr)
    return data.direction()


def check(runs: Sequence[OpenRun], options: argparse.Namespace) -> None:
    """Refuse runs that cannot translate, or not together, or not as many translations."""
    from nmt.translator import build_search, check_same_pieces

    for run in runs:
        run.finished()
        search = build_search(run.config)
        (search if options.beam is None else search.changed(beam_size=options.beam)).for_nbest(options.best)
    if not options.each:
        check_same_pieces(runs)


def check_same_split(runs: Sequence[OpenRun]) -> None:
    """Refuse a teacher that may have learnt from sentences which the first one holds out."""
    for run in runs[1:]:
        if run.provenance["split_hash"] != runs[0].provenance["split_hash"]:
            raise UserError(
                f"{run.directory} holds out other sentences than {runs[0].directory}: train both on the same."
            )


def check_opposite(run: OpenRun, direction: Direction, held_out: Sequence[HeldOut]) -> None:
    """Refuse a teacher of another direction, or one that may have learnt from sentences that we hold out."""
    of_run = run.config.data.direction()
    if (of_run.source, of_run.target) != (direction.target, direction.source):
        raise UserError(
            f"{run.directory} translates {of_run.source} to {of_run.target}: --back takes a run from "
            f"{direction.target} to {direction.source}."
        )
    unseen = {entry.source for entries in map(read_held_out, (run.val_set, run.test_set)) for entry in entries}
    for entry in held_out:
        for reference in entry.references:
            if entry.source and reference and reference not in unseen:
                raise UserError(
                    f"{run.directory} may have been trained on a sentence that --run holds out, {reference!r}: train "
                    "it with the same held-out sentences, given as data.val_path and data.test_path."
                )


def translated(translator: Translator, known: Sequence[tuple[str, str]], best: int) -> list[tuple[str, str]]:
    """Each source once, with its `best` translations; in bf16 where that is faster, as students need no last digit."""
    from nmt.device import autocast, choose_precision

    precision = choose_precision("auto", translator.device)
    sources = list(dict.fromkeys(source for source, _ in known))
    pairs: list[tuple[str, str]] = []
    for start in range(0, len(sources), TOGETHER):
        chunk = sources[start : start + TOGETHER]
        with autocast(translator.device, precision):
            translations = translator.nbest(chunk, best, first=start)
        for source, found in zip(chunk, translations, strict=True):
            pairs += [(source, each.text) for each in found if each.text]
        print(f"{start + len(chunk)} of {len(sources)} sentences translated", file=sys.stderr)
    return pairs


def write_held_out(directory: Path, name: str, entries: Sequence[HeldOut]) -> None:
    """The same sentences for teacher and student, source first.

    Lines of parallel files stay lines, and a test set may have several files of references. A table is grouped by
    source, which is how any number of references stay together.
    """
    (count, *others) = {len(entry.references) for entry in entries}
    if not others and (count == 1 or name == "test"):
        sides = {f"{name}.source": [each.source for each in entries]}
        for i in range(count):
            sides[f"{name}.target{i + 1 if count > 1 else ''}"] = [each.references[i] for each in entries]
        for file, texts in sides.items():
            (directory / file).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    else:
        write(directory / f"{name}.tsv", ((each.source, text) for each in entries for text in each.references))


def student_data(directory: Path, direction: Direction) -> dict[str, str | list[str]]:
    """The settings of data that train a model of this direction on the pairs in a directory that was written here."""
    settings: dict[str, str | list[str]] = {
        "path": str(directory / "train.tsv"),
        "columns": [direction.source, direction.target],
    }
    for name in ("val", "test"):
        files = sorted(directory.glob(f"{name}.*"), key=lambda path: (len(path.name), path.name))  # target2, target10
        settings[f"{name}_path"] = str(files[0]) if len(files) == 1 else [str(path) for path in files]
    return settings


def write(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write rows as lines of a TSV file."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines("\t".join(row) + "\n" for row in rows)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = plain_parser(
        "distil.py",
        "Add the translations of one run, or of an ensemble, to the pairs that it was trained on.",
        EXAMPLES,
    )
    parser.add_argument(
        "--run", type=Path, action="append", required=True, help="run directory; several: an ensemble, or see --each"
    )
    parser.add_argument(
        "--back", type=Path, action="append", default=[], help="run of the opposite direction; several: likewise"
    )
    parser.add_argument(
        "--each", action="store_true", help="translations of every run on its own, not of all as one ensemble"
    )
    parser.add_argument("--best", type=cli.positive, default=1, help="translations for each sentence (default: 1)")
    parser.add_argument("--output", type=Path, required=True, help="directory for the pairs; must not exist")
    parser.add_argument(
        "--beam", type=cli.positive, help="beam size (default: that of the run, or of the first of an ensemble)"
    )
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    cli.run(main)
