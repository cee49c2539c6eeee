"""Which beam and length penalty suit a model best: BLEU on its validation set, never on its test set.

The length penalty only ranks translations that have ended, so one search gives the scores of all penalties.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from nmt import cli
from nmt.commands.options import plain_parser
from nmt.console import log_to_console
from nmt.data.heldout import read_held_out
from nmt.evaluation.scores import score
from nmt.run import Run

EXAMPLES = """examples:
  python scripts/tune_search.py --run outputs/RUN
  python scripts/tune_search.py --run outputs/A --run outputs/B --beams 5 12
"""
PENALTIES = tuple(number / 5 for number in range(11))


def main() -> None:
    """Search with each beam, score with each penalty, print a table and the best choice."""
    options = parse(sys.argv[1:])
    from rich.console import Console
    from rich.table import Table

    from nmt.translator import Translator

    log_to_console()
    runs = [Run(directory) for directory in options.run]
    translators = [Translator.load(runs, options.device, beam_size=beam) for beam in options.beams]
    examples = list(read_held_out(runs[0].val_set))
    sources, references = [each.source for each in examples], [each.references for each in examples]
    found: dict[tuple[int, float], float] = {}
    for beam, translator in zip(options.beams, translators, strict=True):
        candidates = translator.nbest(sources)
        for penalty in PENALTIES:
            texts = [ranked(each, penalty) for each in candidates]
            found[beam, penalty] = score(texts, references, sources, metrics=["bleu"], bootstrap=0)["bleu"].value
    table = Table("length penalty", *(f"beam {beam}" for beam in options.beams), title="Validation BLEU")
    for penalty in PENALTIES:
        table.add_row(f"{penalty:g}", *(f"{found[beam, penalty]:.2f}" for beam in options.beams))
    Console().print(table)
    beam, penalty = max(found, key=lambda choice: found[choice])
    print(f"decode.beam_size={beam} decode.length_penalty={penalty:g}")


def ranked(candidates: Sequence, penalty: float) -> str:
    """The text that wins with this length penalty."""
    return max(candidates, key=lambda each: sum(each.log_probs) / max(1, len(each.log_probs)) ** penalty).text


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = plain_parser(
        "tune_search.py", "Find the beam and the length penalty that suit a model best on its validation set.", EXAMPLES
    )
    parser.add_argument("--run", type=Path, action="append", required=True, help="run directory; several: an ensemble")
    parser.add_argument("--beams", type=cli.positive, nargs="+", default=[5, 10], help="beam sizes (default: 5 10)")
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    cli.run(main)
