"""Check that a run is as it was written: `python scripts/verify_run.py outputs/RUN`.

Every checksum is compared, and the recorded translations are scored again. Results go to stdout, a line a check; the
exit code is 0, or 2 if anything failed.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from nmt import cli
from nmt.commands.options import plain_parser
from nmt.data.heldout import read_held_out
from nmt.errors import UserError
from nmt.evaluation.score_report import SCORES, TRANSLATIONS, read_evaluation
from nmt.evaluation.scores import score
from nmt.files import SUMS, check_sums
from nmt.metrics import MAIN, METRICS
from nmt.run import Run
from nmt.shell import shell_command

EXAMPLES = """examples:
  python scripts/verify_run.py outputs/RUN
  python scripts/verify_run.py /media/backup/RUN && echo intact
"""


def main() -> None:
    """Read the command line, check, and print what each check says."""
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
    """What there is to check, by name: functions that return what they checked, or raise a UserError."""
    from nmt.training.checkpoint import Checkpoints

    yield "settings", lambda: f"{Run.open(run).config.name}, run {run.read_identity()[:12]}"
    yield SUMS, partial(check_files, run.directory)
    for step in Checkpoints(run.checkpoints).steps():
        yield f"checkpoints/step-{step:08d}", partial(check_checkpoint, run, step)
    for file in (run.portable_file, *sorted(run.snapshots.glob("step-*.nmt"))):
        if file.exists():
            yield file.relative_to(run.directory).as_posix(), partial(check_portable, run, file)
    finished = run.finished_file.is_file()
    if finished:
        yield "finished.json", partial(check_end, run)
    if finished or (run.evaluation / SCORES).is_file():
        yield f"eval/{SCORES}", partial(check_scores, run)


def check_files(directory: Path) -> str:
    """The files in a directory's SHA256SUMS that are there: resuming deletes some, and other checks miss the others."""
    if not (directory / SUMS).is_file():
        raise UserError(f"{directory / SUMS} is missing.")
    lines = (directory / SUMS).read_text(encoding="utf-8", errors="replace").splitlines()
    names = [line[66:] for line in lines if (directory / line[66:]).exists()]
    check_sums(directory, names)
    return f"{len(names)} files"


def check_checkpoint(run: Run, step: int) -> str:
    """Its checksums, its run and number."""
    from nmt.training.checkpoint import Checkpoints

    return f"epoch {Checkpoints(run.checkpoints, run.read_identity()).check(step)[0].epoch}"


def check_portable(run: Run, file: Path) -> str:
    """The checksum inside it, and that it is of this run."""
    from nmt.portable.translator import PortableTranslator

    translator = PortableTranslator.load(file)
    if translator.identity != run.read_identity():
        raise UserError(f"{file} belongs to another run.")
    return str(translator.checkpoint)


def check_end(run: Run) -> str:
    """That the best and the last checkpoint are there, and that the best one fits the model of config.yaml."""
    from nmt.translator import Translator

    finished = run.finished()
    for checkpoint in (run.best_checkpoint(), run.checkpoints / f"step-{finished['steps']:08d}"):
        if not checkpoint.is_dir():
            raise UserError(f"{checkpoint} is missing.")
    weights = sum(each.numel() for each in Translator.load(run, "cpu").model.parameters())
    return f"{finished['reason']}; best {run.best_checkpoint().name}, {weights:,} weights"


def check_scores(run: Run) -> str:
    """The recorded translations, scored again, against the recorded scores."""
    if not (run.evaluation / SCORES).is_file():
        evaluate = shell_command("evaluate.py", "--run", run.directory)
        raise UserError(f"{run.evaluation} has no scores: make them with `{evaluate}`.")
    check_files(run.evaluation)
    recorded, rows = read_evaluation(run.evaluation)
    if recorded["evaluated"]["run"] != run.read_identity():
        raise UserError(f"{run.evaluation / SCORES} belongs to another run.")
    examples = [(example.source, example.references) for example in read_held_out(run.test_set)]
    if examples != [(row.source, row.references) for row in rows]:
        raise UserError(f"{run.evaluation / TRANSLATIONS} is not of the sentences in {run.test_set}.")
    names = [name for name in METRICS if recorded.get(name)]
    texts = [row.hypothesis for row in rows], [row.references for row in rows], [row.source for row in rows]
    again = score(*texts, metrics=names, language=Run.open(run).config.data.direction().target)
    for name in names:
        before, now = recorded[name]["value"], again[name].value
        if before != now:
            raise UserError(f"{run.evaluation / SCORES} has {name} {before}; scored again it is {now}.")
    return f"scored again: BLEU {again[MAIN].value:.2f} {again[MAIN].signature}"


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    description = "Compare every checksum of a run, see that its best checkpoint fits its model, score it again."
    parser = plain_parser("verify_run.py", description, EXAMPLES)
    parser.add_argument("run", type=Path, metavar="DIR", help="run directory, finished or not")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    cli.run(main)
