"""Check that a run is as it was written: `python scripts/verify_run.py outputs/RUN`.

Every checksum is compared, and the recorded translations are scored again. Results go to stdout, a line a check; the
exit code is 0, or 2 if anything failed.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from nmt import cli
from nmt.commands.options import plain_parser
from nmt.data.heldout import read_held_out
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.evaluation.report.words import WordCounts
from nmt.evaluation.score_report import REPORT, SCORES, TRANSLATIONS, read_evaluation
from nmt.evaluation.scores import score
from nmt.evaluation.verdict import VERDICT
from nmt.files import read_listed, read_record
from nmt.metrics import MAIN, METRICS
from nmt.run import OpenRun, Run
from nmt.shell import shell_command
from nmt.typed import written_to

EXAMPLES = """examples:
  python scripts/verify_run.py outputs/RUN
  python scripts/verify_run.py /media/backup/RUN && echo intact
"""


def main() -> None:
    """Read the command line, check, say what was found."""
    options = parse(sys.argv[1:])
    run, failures = Run(options.run), []
    if not run.config_file.is_file():
        run.check()  # which says that this is no run at all
    for name, check in checks(run):
        try:
            print(f"ok      {name}: {check()}", flush=True)
        except UserError as error:
            failures.append(name)
            print(f"FAILED  {name}: {error}", flush=True)
    if not run.finished_file.is_file():
        print("note    the run is not finished: what is there was checked")
    if failures:
        raise UserError(f"{run.directory} is not as it was written ({', '.join(failures)}): restore it from a copy.")


def checks(run: Run) -> Iterator[tuple[str, Callable[[], str]]]:
    """What there is to check, by name: functions that say what they found, or raise a UserError."""
    from nmt.evaluation.aer import ALIGNMENT_FILE
    from nmt.training.checkpoint import Checkpoints

    with suppress(UserError):
        run = Run.open(run)
    yield "settings", partial(check_settings, run)
    for step in Checkpoints(run.checkpoints).steps():
        yield f"checkpoints/step-{step:08d}", partial(check_checkpoint, run, step)
    finished = run.finished_file.is_file()
    if finished:
        yield "finished.json", partial(check_end, run)
    if run.guessing_file.exists():
        yield run.guessing_file.name, partial(check_guessing, run)
    if run.word_counts_file.exists():
        yield run.word_counts_file.name, partial(check_word_counts, run)
    if run.portable_file.exists():
        yield run.portable_file.name, partial(check_portable, run)
    for snapshot in sorted(run.snapshots.glob("step-*.nmt")):
        yield f"snapshots/{snapshot.name}", partial(check_snapshot, run, snapshot)
    if finished or (run.evaluation / SCORES).is_file():
        yield f"eval/{SCORES}", partial(check_scores, run)
    if (run.evaluation / ALIGNMENT_FILE).is_file():
        yield f"eval/{ALIGNMENT_FILE}", partial(check_alignment, run)
    for events in sorted(run.tensorboard.glob("events.out.tfevents.*")):
        yield f"tensorboard/{events.name}", partial(check_events, events)


def check_settings(run: Run) -> str:
    """All that is read on opening a run."""
    run = Run.open(run)  # which reads again only if it could not be opened, to say what is wrong
    changes = f"{len(run.changes)} changed settings"
    return f"{changes}, tokenizers and held-out sets of {run.config.name}, run {run.identity[:12]}"


def check_checkpoint(run: Run, step: int) -> str:
    """Its checksums, its run and number, and that its weights fit the model of config.yaml."""
    from nmt.training.checkpoint import Checkpoints, load_weights
    from nmt.translator import build_model

    checkpoints = Checkpoints(run.checkpoints, run.read_identity())
    epoch = checkpoints.check(step)[0].epoch
    if not isinstance(run, OpenRun):  # a model of settings that may be altered says nothing about the weights
        return f"epoch {epoch}, as it was written (not compared with config.yaml)"
    source, target = (len(Tokenizer.load(file)) for file in (run.source_tokenizer, run.target_tokenizer))
    with written_to(run.config_file):
        model = build_model(run.config, source, target, initialise=False)
    load_weights(checkpoints.path(step), model)
    return f"epoch {epoch}, {sum(weights.numel() for weights in model.parameters()):,} weights"


def check_end(run: Run) -> str:
    """That the best and the last checkpoint are there."""
    finished = run.finished()
    best, last = run.best_checkpoint(), run.checkpoints / f"step-{finished['steps']:08d}"
    for checkpoint in (best, last):
        if not checkpoint.is_dir():
            raise UserError(f"{checkpoint} is missing.")
    return f"{finished['reason']}; best {best.name}"


def check_guessing(run: Run) -> str:
    """The threshold below which translations are called guesses."""
    from nmt.guessing import Guessing

    checkpoint = str(read_record(run.guessing_file).get("checkpoint"))
    found = Guessing.of(run, checkpoint)
    return f"{checkpoint}, threshold {found and found.threshold}"


def check_word_counts(run: Run) -> str:
    """How often the training set has which words."""
    counts = WordCounts.parse(read_listed(run.word_counts_file).decode("utf-8")).counts
    return f"{len(counts):,} words, {counts.total():,} in all"


def check_portable(run: Run) -> str:
    """That the model for the numpy engine is of this run, and has the weights of its checkpoint."""
    from safetensors.numpy import load_file

    from nmt.portable.file import read_content
    from nmt.portable.translator import PortableTranslator
    from nmt.training.checkpoint import MODEL

    tensors, record = read_content(read_listed(run.portable_file), run.portable_file)
    found = PortableTranslator(tensors, record)
    if found.identity != run.read_identity():
        raise UserError(f"{run.portable_file} belongs to another run.")
    weights = load_file(run.checkpoints / str(found.checkpoint) / MODEL)
    shared = weights.keys() & tensors.keys()
    if not shared or not all(np.array_equal(weights[name], tensors[name]) for name in shared):
        raise UserError(f"{run.portable_file} has other weights than {found.checkpoint}.")
    return f"{found.checkpoint}, {len(shared)} tensors"


def check_snapshot(run: Run, snapshot: Path) -> str:
    """The checksums inside it, and that it is of this run."""
    from nmt.portable.translator import PortableTranslator

    found = PortableTranslator.load(snapshot)
    if found.identity != run.read_identity():
        raise UserError(f"{snapshot} belongs to another run.")
    return "as it was written"


def check_scores(run: Run) -> str:
    """The recorded translations, scored again, against the recorded scores."""
    if run.finished_file.is_file() and not (run.evaluation / SCORES).is_file():
        evaluate = shell_command("evaluate.py", "--run", run.directory)
        raise UserError(f"{run.evaluation} has no scores: make them with `{evaluate}`.")
    recorded, rows = read_evaluation(run.evaluation)
    for name in (VERDICT, REPORT):
        if (run.evaluation / name).exists():  # earlier versions wrote none
            read_listed(run.evaluation / name)
    evaluated = of_this_run(run, recorded, run.evaluation / SCORES)
    test_set = [(example.source, example.references) for example in read_held_out(run.test_set)]
    if test_set != [(row.source, row.references) for row in rows]:
        raise UserError(f"{run.evaluation / TRANSLATIONS} is not of the sentences in {run.test_set}.")
    hypotheses, references = [row.hypothesis for row in rows], [row.references for row in rows]
    metrics = [name for name in METRICS if name == MAIN or recorded.get(name)]  # those that were computed then
    language = Run.open(run).config.data.direction().target
    again = score(hypotheses, references, [row.source for row in rows], metrics=metrics, language=language)
    expected = json.loads(json.dumps(again.to_dict()))
    if different := next(disagreements(recorded, expected), None):
        raise UserError(f"{run.evaluation / SCORES} has {different}.")
    return f"{evaluated['checkpoint']}, scored again: BLEU {again[MAIN].value:.2f} {again[MAIN].signature}"


def disagreements(recorded: Any, again: Any, name: str = "") -> Iterator[str]:
    """Where two records differ, on what both have: one may lack metrics or intervals that the other has."""
    if isinstance(recorded, dict) and isinstance(again, dict):
        for key in recorded.keys() & again.keys():
            yield from disagreements(recorded[key], again[key], f"{name}.{key}" if name else key)
    elif isinstance(recorded, list) and isinstance(again, list) and len(recorded) == len(again):
        for number, pair in enumerate(zip(recorded, again, strict=True)):
            yield from disagreements(*pair, f"{name}[{number}]")
    elif recorded is not None and _comparable(recorded) != _comparable(again):
        yield f"{name} {recorded}; scored again it is {again}"


def _comparable(value: Any) -> Any:
    """A signature may be of another version of sacreBLEU or have no bootstrap, as long as the score is the same."""
    return re.sub(r"bs:\d+\|seed:\d+\||version:[^|]*", "", value) if isinstance(value, str) else value


def check_alignment(run: Run) -> str:
    """The recorded alignment error rate."""
    from nmt.evaluation.aer import ALIGNMENT_FILE

    recorded = read_record(run.evaluation / ALIGNMENT_FILE)
    evaluated = of_this_run(run, recorded, run.evaluation / ALIGNMENT_FILE)
    return f"{evaluated['checkpoint']}, AER {recorded.get('aer')}"


def check_events(path: Path) -> str:
    """The checksum of every record of a TensorBoard file; a kill may tear the last one."""
    from tensorboard.compat.tensorflow_stub import errors  # type: ignore[import-untyped]
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import PyRecordReader_New  # type: ignore[import-untyped]

    reader, records = PyRecordReader_New(str(path)), 0
    while True:
        try:
            reader.GetNext()
        except errors.OutOfRangeError:
            return f"{records} records"
        except errors.DataLossError as error:
            if "truncated" in str(error):
                return f"{records} records, then one that was cut short, as a kill does"
            raise UserError(f"{path} is damaged after {records} records.") from error
        records += 1


def of_this_run(run: Run, recorded: dict[str, Any], path: Path) -> dict[str, Any]:
    """What was evaluated, if it is this run."""
    evaluated = recorded.get("evaluated")
    if not isinstance(evaluated, dict) or evaluated.get("run") != run.read_identity():
        raise UserError(f"{path} belongs to another run.")
    return evaluated


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = plain_parser(
        "verify_run.py",
        "Compare every checksum of a run, see that its checkpoints fit its model, score its translations again.",
        EXAMPLES,
    )
    parser.add_argument("run", type=Path, metavar="DIR", help="run directory, finished or not")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    cli.run(main)
