"""Score a trained model: `python evaluate.py` takes the newest finished run and its test set."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from nmt import cli
from nmt.errors import UserError

EXAMPLES = """examples:
  python evaluate.py
  python evaluate.py --run outputs/RUN --beam 10
  python evaluate.py --run outputs/RUN --source test.en --reference test.fr
  python evaluate.py --source test.en --reference test.1.fr test.2.fr --output scores/
"""


def main() -> None:
    """Read the command line, translate a test set, print and keep its scores."""
    options = parse(sys.argv[1:])
    from rich.console import Console

    from nmt.config import ROOT
    from nmt.console import log_to_console
    from nmt.data.bitext import Bitext
    from nmt.data.heldout import given_set, read_held_out
    from nmt.evaluation.evaluate import evaluate, write
    from nmt.evaluation.report import table
    from nmt.run import Run, newest_finished
    from nmt.translator import Translator

    log_to_console()
    run = Run(options.run) if options.run else newest_finished(ROOT / "outputs")
    print(f"run: {run.directory}", file=sys.stderr)
    chosen = {"beam_size": options.beam, "batch_tokens": options.batch_tokens}
    overrides = {name: value for name, value in chosen.items() if value is not None}
    translator = Translator.load(run, options.device, **overrides)
    if options.source:
        paths = (str(options.source), *map(str, options.reference))
        examples = given_set(Bitext(paths, tuple(range(len(paths))), on_error="stop", max_megabytes=4096))
        name, output = options.source.name, options.output
    else:
        examples = list(read_held_out(run.test_set))
        # The run's own scores are those of its own search; others go where the user says, or nowhere.
        name, output = "test.tsv", options.output or (None if options.beam else run.evaluation)
    evaluation = evaluate(translator, examples)
    Console().print(table(evaluation.scores, title=name))
    if output:
        direction = run.config().data.direction()
        details = run.evaluated(name, translator.settings)
        write(output, evaluation, examples, (direction.source, direction.target), details)
        print(f"scores, translations and heatmaps: {output}", file=sys.stderr)
    else:
        print("Name a directory with --output to keep scores, translations and heatmaps.", file=sys.stderr)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        prog="evaluate.py",
        description="Score a trained model: BLEU, chrF and TER by sacreBLEU on detokenised text, with signatures.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--run", type=Path, help="run directory (default: the newest finished one under outputs/)")
    parser.add_argument("--source", type=Path, help="sentences to translate, one a line (default: the run's test set)")
    parser.add_argument("--reference", type=Path, nargs="+", help="their translations, one file or several")
    parser.add_argument(
        "--output",
        type=Path,
        help="where scores and heatmaps go (default: eval/ of the run, for its own test set and search)",
    )
    parser.add_argument("--beam", type=int, help="beam size (default: the run's)")
    parser.add_argument(
        "--batch-tokens", type=int, help="hypotheses × source tokens at once; changes speed, never results"
    )
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    options = parser.parse_args(arguments)
    if bool(options.source) != bool(options.reference):
        raise UserError("--source and --reference belong together: give both, or neither for the run's test set.")
    return options


if __name__ == "__main__":
    cli.run(main)
