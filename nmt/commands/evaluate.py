"""evaluate.py: translate a test set, print its scores and write them."""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.commands.options import make_parser, name_runs, newest_run, search_changes
from nmt.errors import UserError

if TYPE_CHECKING:
    from nmt.data.heldout import HeldOut
    from nmt.evaluation.gold import AlignedPair
    from nmt.run import OpenRun

EXAMPLES = """examples:
  python evaluate.py
  python evaluate.py --run outputs/RUN --beam 10
  python evaluate.py --run outputs/RUN --source test.en --reference test.fr
  python evaluate.py --source test.en --reference test.1.fr test.2.fr --output scores/
  python evaluate.py --run outputs/RUN --lc-tok
  python evaluate.py --run outputs/A --run outputs/B
  python evaluate.py --faithfulness
  python evaluate.py --alignments data/demo/eng-fra.align
  python evaluate.py --source test.en --reference test.fr --alignments test.align --output scores/
"""


def main(argv: Sequence[str] | None = None) -> None:
    """Evaluate with these arguments (default: those of the command line)."""
    arguments = sys.argv[1:] if argv is None else argv
    options = parse(arguments)
    from rich.console import Console

    from nmt.console import log_to_console
    from nmt.evaluation.aer import ALIGNMENT_FILE, align, alignment_table, score_alignment, write_alignment
    from nmt.evaluation.evaluate import evaluate, write
    from nmt.evaluation.faithfulness import (
        FAITHFULNESS_FILE,
        faithfulness_table,
        measure,
        read_faithfulness,
        write_faithfulness,
    )
    from nmt.evaluation.score_report import table
    from nmt.evaluation.verdict import judge
    from nmt.guessing import Guessing
    from nmt.metrics import MAIN, metrics_for
    from nmt.run import Run
    from nmt.translator import Translator
    from nmt.unlike_training import TrainingData

    log_to_console()
    runs = [Run.open(run) for run in options.run or [newest_run()]]
    run = runs[0]
    translator = Translator.load(runs, options.device, **search_changes(options))
    name_runs([each.directory for each in runs], translator)
    examples, pairs = read_examples(options, run)
    name = options.source.name if options.source else "test.tsv"
    # Alignment comes first, because it is fast and may find a mistake in a file.
    alignment = None if pairs is None else score_alignment(align(translator, pairs), options.alignments.name)
    metrics = metrics_for("test", *(["lc_tok"] if options.lc_tok else []))
    evaluation = evaluate(translator, examples, metrics=metrics, language=translator.languages[1])
    Console().print(table(evaluation.scores, title=name))
    if alignment:
        Console().print(alignment_table(alignment))
    faithfulness = measure(translator, examples) if options.faithfulness else None
    if faithfulness:
        evaluation = replace(evaluation, faithfulness=faithfulness)
        Console().print(faithfulness_table(faithfulness))
    verdict = judge(
        evaluation,
        bleu=evaluation.scores[MAIN].value,
        pairs=None if options.source else TrainingData.of(run).pairs,
        guessing=Guessing.of(run, translator.checkpoint) if len(runs) == 1 else None,
    )
    print("", *verdict.lines(), sep="\n")
    home = own_directory(options, runs)
    own_search = options.beam is None and options.length_penalty is None
    output = options.output or (home if own_search else None)  # eval/ holds the scores of the run's own search only
    details = run.evaluated(name, translator.search.record(), translator.checkpoint)
    details |= special_details(options, arguments, runs)
    if output and output == home and not faithfulness:
        evaluation = replace(evaluation, faithfulness=read_faithfulness(output, details))
    if output:
        write(output, evaluation, translator.languages, details, verdict, run)
        print(f"scores, translations, heatmaps and report.html: {output}", file=sys.stderr)
    else:
        print("Name a directory with --output to keep scores, translations, heatmaps and report.", file=sys.stderr)
    if alignment and (place := options.output or home):  # it does not depend on the search
        write_alignment(place, alignment, details)
        print(f"word alignment: {place / ALIGNMENT_FILE}", file=sys.stderr)
    if faithfulness and (place := options.output or home):
        write_faithfulness(place, faithfulness, details)
        print(f"other attention: {place / FAITHFULNESS_FILE}", file=sys.stderr)


def own_directory(options: argparse.Namespace, runs: "Sequence[OpenRun]") -> Path | None:
    """The run's own eval/, for its own test set; None for several runs, other sentences, or if it cannot be written."""
    home = runs[0].evaluation
    mine = os.access(home if home.exists() else runs[0].directory, os.W_OK)
    return home if mine and len(runs) == 1 and not options.source else None


def special_details(options: argparse.Namespace, arguments: Sequence[str], runs: "Sequence[OpenRun]") -> dict[str, Any]:
    """What differs from the evaluation that ends a training, for scores.json: the command, references, an ensemble."""
    from nmt.evaluation.report.origin import python_command, run_name

    found: dict[str, Any] = {}
    named = arguments if options.run else ["--run", run_name(runs[0]), *arguments]
    if sum(word.startswith("--") for word in named) > 1:
        found["command"] = python_command("evaluate.py", *named)
    if options.source:
        found["references"] = [each.name for each in options.reference]
    if len(runs) > 1:
        found["ensemble"] = [each.identity for each in runs]
    return found


def read_examples(options: argparse.Namespace, run: "OpenRun") -> "tuple[list[HeldOut], list[AlignedPair] | None]":
    """The sentences to translate, and those of them with a gold alignment if --alignments is given."""
    from nmt.data.heldout import given_set, read_held_out
    from nmt.data.readers import Parallel
    from nmt.evaluation.gold import read_aligned, read_aligned_test_set

    if not options.source:
        examples = list(read_held_out(run.test_set))
        gold = options.alignments
        return examples, read_aligned_test_set(run.config.data, examples, gold) if gold else None
    paths = (str(options.source), *map(str, options.reference))
    examples = given_set(Parallel(paths))
    # Of the sentences that were read, as a pipe cannot be read twice.
    rows, corpus = ((each.source, *each.references) for each in examples), " and ".join(paths)
    return examples, list(read_aligned(rows, corpus, options.alignments)) if options.alignments else None


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the options."""
    description = "Score a trained model: BLEU, chrF and TER by sacreBLEU on detokenised text, with signatures."
    parser = make_parser("evaluate.py", description, EXAMPLES)
    add = parser.add_argument
    add("--source", type=Path, help="sentences to translate, one a line (default: the run's test set)")
    add("--reference", type=Path, nargs="+", help="their translations, one file or several")
    place = "where scores and heatmaps go (default: eval/ of the run, for its own test set and search)"
    add("--output", type=Path, help=place)
    papers = "also BLEU as papers report it: lower-cased, on Moses tokens (sacremoses)"
    add("--lc-tok", action="store_true", help=papers)
    links = (
        "also score the attention's word alignment (AER) against these links: for each line of the corpus that "
        "the test set was taken from, or of --source, one of links like 0-0 1-2 1?3 (sure, sure, possible)"
    )
    add("--alignments", type=Path, metavar="FILE", help=links)
    others = "also log p and BLEU with uniform, shuffled and permuted attention: does it matter where the model looks?"
    add("--faithfulness", action="store_true", help=others)
    options = parser.parse_args(arguments)
    if options.faithfulness and len(options.run or []) > 1:
        raise UserError("--faithfulness changes the attention of one model: give one --run.")
    if bool(options.source) != bool(options.reference):
        raise UserError("--source and --reference belong together: give both, or neither for the run's test set.")
    if options.alignments and len(options.run or []) > 1:
        raise UserError("--alignments reads the attention of one model: give one --run.")
    if options.alignments and options.reference and len(options.reference) > 1:
        raise UserError("--alignments links each line to one translation: give one --reference file.")
    if options.output and options.output.exists() and not options.output.is_dir():
        raise UserError(f"{options.output} is not a directory: name one for scores and heatmaps with --output.")
    return options
