"""explore.py: one or several runs as a page in which attention can be watched, taken apart and changed."""

from __future__ import annotations

import argparse
import logging
import sys
import webbrowser
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.commands.options import newest_run, plain_parser
from nmt.errors import UserError
from nmt.portable import file

if TYPE_CHECKING:
    from nmt.web.explorer_page import ExploredRun, Snapshot

log = logging.getLogger(__name__)

EXAMPLES = """examples:
  python explore.py                                      # newest finished run → explore.html, opened in the browser
  python explore.py --run outputs/A --run outputs/B      # two to four runs side by side
  python explore.py --run mine.nmt --output mine.html --no-open
  python train.py train.keep=8                           # keeps snapshots, which the page shows over time
"""
MOST_RUNS = 4
MOST_SNAPSHOTS = 12
# Sentences of the demo corpus's kind, each with something to see.
DEMO = (
    "Emma doesn't see the black cat anymore.",
    "They are watching.",
    "The red cars are dirty.",
    "She bought a small red car.",
    "I gave it to her.",
    "Your father is bringing the tea to the king.",
)
DEMO_LANGUAGES = ["eng", "fra"]
SENTENCES = 6  # of the test set, as examples


def main(argv: Sequence[str] | None = None) -> None:
    """Write the page with these arguments (default: those of the command line), and open it."""
    options = parse(sys.argv[1:] if argv is None else argv)
    from nmt.console import log_to_console
    from nmt.files import write_bytes
    from nmt.web.explorer_page import explorer_page

    log_to_console()
    if options.output.is_dir():
        raise UserError(f"{options.output} is a directory: name a file, such as {options.output / 'explore.html'}.")
    paths = options.run or [newest_run()]
    page = explorer_page(explored(paths), examples(paths[0]), is_demo(paths[0]))
    write_bytes(options.output, page.encode("utf-8"))
    print(options.output)
    opened = not options.no_open and webbrowser.open(options.output.resolve().as_uri())
    size = options.output.stat().st_size / 1e6
    advice = "Opened in the browser." if opened else "Open it in a browser; it needs nothing else, and no network."
    print(f"{options.output}: {size:.1f} MB. {advice}", file=sys.stderr)


def explored(paths: Sequence[Path]) -> list[ExploredRun]:
    """The runs for the page: each with its model and snapshots, in int8."""
    from nmt.web.explorer_page import ExploredRun

    found = [(path, *_model(path)) for path in paths]
    languages = {tuple(record["languages"]) for _, _, record in found}
    if len(languages) > 1:
        pairs = " and ".join("–".join(map(str, pair)) for pair in sorted(languages))
        raise UserError(f"Runs side by side must translate between the same languages; these do {pairs}.")
    names = [_name(path) for path in paths]
    often = Counter(names)
    runs = []
    for (path, tensors, record), name in zip(found, names, strict=True):
        label = name if often[name] == 1 else f"{name} ({path.name})"
        models = {path.stem: _snapshot(*file.read(path)) for path in _snapshots(path)}
        own = str(record["checkpoint"])
        models[own] = replace(_snapshot(tensors, record), label=f"{_moment(record)}, best in validation")
        order = sorted(models)  # step-00000286 comes before step-00000572
        runs.append(ExploredRun(label, [models[name] for name in order], order.index(own), _sentences(path)))
    return runs


def _name(path: Path) -> str:
    """What to call a run: its model, or its file."""
    from nmt.run import Run

    return path.stem if path.is_file() else str(Run.open(path).config.name)


def _model(path: Path) -> tuple[file.Tensors, dict[str, Any]]:
    """The tensors and the record of a run directory or an exported file."""
    from nmt.run import Run

    if path.is_file():
        return file.read(path)
    run = Run.open(path)
    run.finished()
    if run.portable_file.exists():
        tensors, record = file.read(run.portable_file)
        if record["identity"] == run.identity:
            return tensors, record
    from nmt.portable.builder import NotPortable
    from nmt.portable.export import portable
    from nmt.translator import Translator

    try:
        return portable(run, Translator.load(run, "cpu"))
    except NotPortable as error:
        raise UserError(f"{run.directory} cannot be explored: {error}.") from error


def _snapshots(path: Path) -> list[Path]:
    """The files of snapshots of a run directory, some evenly spaced ones if there are many."""
    from nmt.run import Run

    files = sorted(Run(path).snapshots.glob(f"*{file.SUFFIX}"))
    if len(files) > MOST_SNAPSHOTS:
        last = len(files) - 1
        files = [files[place * last // (MOST_SNAPSHOTS - 1)] for place in range(MOST_SNAPSHOTS)]
    return files


def _moment(record: dict[str, Any]) -> str:
    """When a snapshot was taken: "step 143" of the checkpoint "step-00000143"."""
    name, _, number = str(record["checkpoint"]).partition("-")
    return f"{name} {int(number):,}" if number.isdecimal() else str(record["checkpoint"])


def _snapshot(tensors: file.Tensors, record: dict[str, Any]) -> Snapshot:
    from nmt.web.explorer_page import Snapshot

    return Snapshot(_moment(record), file.pack(tensors, record, int8=True))


def _sentences(path: Path) -> list[dict[str, Any]]:
    """The evaluated test set of a run, for the table of sentences; empty if there is none."""
    from nmt.evaluation.report.sentences import recorded_rows
    from nmt.run import Run

    if not path.is_dir():
        return []
    try:
        return recorded_rows(Run(path).evaluation)
    except UserError as error:
        log.warning("The page has no table of sentences: %s", error)
        return []


def is_demo(path: Path) -> bool:
    """Whether a run or an exported file translates the demo corpus's English; a file tells by its card."""
    from nmt.run import Run

    if path.is_dir():
        data = Run.open(path).config.data
        return data.name == "demo" and data.test_path is None and data.direction().source == DEMO_LANGUAGES[0]
    record = file.read(path)[1]
    return record["languages"] == DEMO_LANGUAGES and "“demo”" in record["card"].get("Trained on", "")


def examples(path: Path) -> list[str]:
    """Sentences to begin with: of the run's test set, from short to long."""
    from nmt.data.heldout import read_held_out
    from nmt.run import Run

    if is_demo(path):
        return list(DEMO)
    if not path.is_dir():
        return []
    sources = sorted(
        {entry.source for entry in read_held_out(Run.open(path).test_set)}, key=lambda text: (len(text), text)
    )
    wanted = sources[len(sources) // 10 : -(len(sources) // 10) or None]  # neither the shortest nor the longest
    places = dict.fromkeys(place * (len(wanted) - 1) // (SENTENCES - 1) for place in range(SENTENCES))
    return [wanted[place] for place in places] if wanted else []


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the options."""
    description = "Write a page that shows how a model translates, step by step, and open it (docs/explorer.md)."
    parser = plain_parser("explore.py", description, EXAMPLES)
    add = parser.add_argument
    runs = "run directory or exported file (default: the newest finished run under outputs/); up to four"
    add("--run", type=Path, action="append", help=runs)
    page = "page to write (default: explore.html)"
    add("--output", type=Path, metavar="FILE", default=Path("explore.html"), help=page)
    add("--no-open", action="store_true", help="only write the page")
    options = parser.parse_args(arguments)
    if options.run and len(options.run) > MOST_RUNS:
        parser.error(f"a page has room for {MOST_RUNS} runs")
    return options
