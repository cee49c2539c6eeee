"""translate.py: sentences in, translations on stdout, one line for each line in; everything else goes to stderr."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nmt import cli, portable  # noqa: F401 - portable before numpy, for its number of threads
from nmt.commands.options import make_parser, name_runs, newest_run
from nmt.commands.reading import chunks, read_sentences
from nmt.commands.rendering import render
from nmt.data.lines import NOTICES
from nmt.errors import UserError

if TYPE_CHECKING:
    from nmt.evaluation.gallery import Gallery
    from nmt.translation import Engine, Translation
    from nmt.unlike_training import TrainingData

LINES_TOGETHER = 2048  # read before the first is translated

EXAMPLES = """examples:
  python translate.py "They are watching."
  python translate.py --heatmap attention.png "They are watching."
  python translate.py --explain "They are watching."
  python translate.py --alignments "They are watching."
  python translate.py --beam 10 --nbest 3 --json "They are watching."
  python translate.py --sample --nbest 5 --temperature 0.8 "They are watching."
  python translate.py --run outputs/A --run outputs/B "They are watching."
  python translate.py --run eng-fra.nmt "They are watching."
  cat sentences.txt | python translate.py > translations.txt
  some-program | python translate.py --interactive
"""


def main(argv: Sequence[str] | None = None) -> None:
    """Translate with these arguments (default: those of the command line)."""
    options = parse(sys.argv[1:] if argv is None else argv)
    logger = logging.getLogger("nmt")  # only ours: fontTools logs 50 lines about a PDF
    logger.setLevel(logging.INFO)
    logger.handlers[:] = [logging.StreamHandler(sys.stderr)]
    # Imported late, so that --help and a mistyped option are answered at once.
    from nmt.commands import engines

    runs = options.run or [newest_run()]
    lines = read_sentences(options.text, options.file or [])
    # A terminal gets each answer at once; files and pipes are faster in chunks, which are sorted by length.
    one_by_one = options.interactive or (not options.text and not options.file and sys.stdin.isatty())
    (translator, known, threshold), lines = engines.load(options, runs, lines, one_by_one)
    if options.run is None:
        name_runs(runs, translator)
    gallery = None
    if options.heatmap:
        from nmt.evaluation.gallery import Gallery  # imports matplotlib, which only pictures need

        gallery = Gallery(options.heatmap, translator.languages, words=not options.pieces)
    warn = Warnings(known, threshold)
    together = chunks(lines, 1 if one_by_one else LINES_TOGETHER, options.nbest)
    for number, source, candidates in translations(translator, together, options.nbest, gallery):
        guessed = warn.about(number, source, candidates[0])
        if gallery and candidates[0].source_tokens:
            print(f"heatmap: {gallery.add(candidates[0])}", file=sys.stderr)
        print(render(source, candidates, number, options, translator, guessed))
    warn.finish()


def translations(
    translator: Engine, together: Iterable[list[str]], nbest: int, gallery: Gallery | None
) -> Iterator[tuple[int, str, list[Translation]]]:
    """Every sentence with its number, from 1, and its translations; stdout is flushed after each chunk."""
    done = 0
    for chunk in together:
        if gallery:
            gallery.expect(chunk)
        found = translator.nbest(chunk, nbest, first=done)
        for number, (source, candidates) in enumerate(zip(chunk, found, strict=True), start=done + 1):
            yield number, source, candidates
        done += len(chunk)
        sys.stdout.flush()


class Warnings:
    """Warns of translations that are not to be relied on: the first few by number, the others counted."""

    def __init__(self, known: TrainingData, threshold: float | None) -> None:
        """Warn of sentences unlike what is `known` from training, and of guesses if there is a threshold for them."""
        self.known, self.threshold = known, threshold
        self.seen = self.doubtful = 0

    def about(self, number: int, source: str, translation: Translation) -> bool | None:
        """Warn of one sentence if need be; returns whether its translation is a guess, None if that is not known."""
        self.seen = number
        reasons = self.known.differences(source, len(translation.source_tokens) - 1)
        guessed = translation.is_guess(self.threshold)
        if guessed:
            reasons.append(f"is translated by guessing (confidence {translation.confidence:.2f})")
        if reasons:
            self.doubtful += 1
            if self.doubtful <= NOTICES:
                problem = f"Sentence {number} {', and '.join(reasons)}"
                print(f"{problem}: do not rely on its translation.", file=sys.stderr)
        return guessed

    def finish(self) -> None:
        """Print the number of such sentences, if not all were named."""
        if self.doubtful > NOTICES:
            print(f"Do not rely on {self.doubtful} of {self.seen} translations for such reasons.", file=sys.stderr)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the options."""
    description = "Translate text with a trained model; lines of stdin if no text and no file is given."
    parser = make_parser("translate.py", description, EXAMPLES)
    add = parser.add_argument
    add("text", nargs="*", help="sentences to translate")
    add("--file", type=Path, action="append", help="translate the lines of this file")
    engines = "numpy starts at once, torch is faster for many sentences; auto (default) takes the faster one"
    add("--engine", choices=("auto", "numpy", "torch"), default="auto", help=engines)
    add("--nbest", type=cli.positive, default=1, help="translations per sentence: number, score, text")
    add("--sample", action="store_true", help="draw translations at random; with --nbest N, N of them per sentence")
    add("--temperature", type=float, help="of sampling: below 1 prefers likely tokens (default: the run's, or 1)")
    add("--top-p", type=float, help="sample from the likeliest tokens of this probability (default: the run's, or 1)")
    add("--seed", type=int, help="of sampling: the same seed gives the same translations (default: the run's, or 1)")
    add("--interactive", action="store_true", help="answer each line as it comes (always so at a terminal)")
    everything = "a JSON object per line: text, score, words with confidence, attention, whether it is a guess"
    add("--json", action="store_true", help=everything)
    links = "after each translation, a tab and which source word each of its words looked at: 0-0 1-2"
    add("--alignments", action="store_true", help=links)
    steps = "show each step of the decoder: where it looked, which tokens it weighed up, how the score came about"
    add("--explain", action="store_true", help=steps)
    pictures = "draw the attention: a .png, .svg or .pdf, or a directory"
    add("--heatmap", type=Path, metavar="FILE|DIR", help=pictures)
    add("--pieces", action="store_true", help="draw the model's pieces instead of whole words")
    options = parser.parse_args(arguments)
    if options.text and options.file:
        parser.error("give text or --file, not both")
    if not options.text and not options.file and sys.stdin is None:
        raise UserError("Standard input is closed: give text, a --file, or lines on standard input.")
    if options.sample and options.beam:
        parser.error("--sample draws translations, --beam searches for the best: give one of them")
    if options.explain and len(options.run or []) > 1:
        parser.error("--explain tells what one model did: give it with one --run")
    if options.explain and (options.json or options.alignments or options.nbest > 1):
        parser.error("--explain shows one translation as text: give it without --json, --alignments, --nbest")
    return options
