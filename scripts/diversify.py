"""Train teachers in both directions and a student on their translations, in one command.

    python scripts/diversify.py --output outputs/best experiment=multi30k_ende

Data diversification (Nguyen et al. 2020): models of both directions translate the training set, each in its own way,
and the student trains on what all of them and the people wrote. It often beats each of them, and not always: compare
their scores in validation. In the output: back, teacher-1, teacher-2 … and student, which are runs, held-out/ and
pairs/. Interrupted at any moment, the same command goes on.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import distil

from nmt import cli, composition
from nmt.commands.options import plain_parser
from nmt.config import Config
from nmt.console import log_to_console
from nmt.data.discovery import complete
from nmt.data.prepare import PreparedCorpus, prepare
from nmt.data.settings import DataSettings
from nmt.errors import UserError
from nmt.files import new_directory, remove_leftovers, write_text
from nmt.run import Run

if TYPE_CHECKING:
    from nmt.evaluation.evaluate import Evaluation

EXAMPLES = """examples:
  python scripts/diversify.py --output outputs/best experiment=multi30k_ende
  python scripts/diversify.py --output outputs/best experiment=multi30k_enfr --teachers 3
  python scripts/diversify.py --output outputs/best data.path=fra-eng.zip size=100k
"""
# Pairs by teachers regularise too: the student does with less dropout than those who had the corpus alone.
LESS_DROPOUT = 2 / 3


def main() -> None:
    """Train, translate and train the student, or do what is left of it."""
    options = parse(sys.argv[1:])
    from nmt.pipeline import print_results

    log_to_console()
    print_results(carry_through(options), options.output / "student")


def carry_through(options: argparse.Namespace) -> Evaluation:
    """Train the teachers, let them translate, train the student; returns the student's scores."""
    import torch

    from nmt.pipeline import check_parts
    from nmt.ranks import ALONE

    output: Path = options.output.absolute()
    config = composed(options.settings)
    config.data.require_files()
    config = replace(config, data=complete(config.data))
    settings = "".join(f"{line}\n" for line in (f"--teachers {options.teachers}", *options.settings))
    check_output(output, settings)
    check_parts(config, ALONE)
    if config.threads is not None:
        torch.set_num_threads(config.threads)
    corpus = prepare(config.data)
    output.mkdir(parents=True, exist_ok=True)
    write_text(output / "settings.txt", settings)  # only now: these settings can work, and later calls must repeat them
    remove_leftovers(output)

    back, pairs = output / "back", output / "pairs"
    train(back, replace(config, data=opposite_data(config.data, corpus, output / "held-out")))
    teachers = [output / f"teacher-{i + 1}" for i in range(options.teachers)]
    for i, directory in enumerate(teachers):
        train(directory, replace(config, seed=config.seed + i))
    direction = config.data.direction()
    if not pairs.exists():
        runs = [argument for directory in teachers for argument in ("--run", str(directory))]
        places = ["--output", str(pairs), "--device", config.device]
        distil.make_pairs(distil.parse([*runs, "--each", "--back", str(back), *places]))
    data: dict[str, Any] = {"name": "diversified", "source": None, "target": None, "format": "tsv", "header": False}
    data |= distil.student_data(pairs, direction)
    dropout = config.model["state_dropout"] * LESS_DROPOUT
    student = composed([*options.settings, f"model.state_dropout={dropout:.2g}"])  # others may follow it
    share = len(corpus.train) / (pairs / "train.tsv").read_bytes().count(b"\n")
    # About as many updates as a teacher had.
    epochs = config.train.max_epochs and max(1, round(config.train.max_epochs * share))
    training = replace(student.train, max_epochs=epochs)
    return resume_or_train(output / "student", replace(student, data=replace(student.data, **data), train=training))


def composed(settings: list[str]) -> Config:
    """What `python train.py` would make of these settings."""
    if any(setting.startswith("resume=") for setting in settings):
        raise UserError("Nothing is resumed by name here: give the command that began it, without resume.")
    if any(setting.startswith(("run_dir=", "name=")) for setting in settings):
        raise UserError("Each run has its own name and place under --output: leave name and run_dir out.")
    with composition.explained():
        return composition.composed(*settings)


def check_output(output: Path, settings: str) -> None:
    """Refuse a directory that holds something else, or was begun with other settings."""
    record = output / "settings.txt"
    if record.is_file():
        if record.read_text(encoding="utf-8") != settings:
            raise UserError(f"{output} was begun with the settings in {record.name}: repeat them, or choose another.")
    elif output.exists() and (not output.is_dir() or any(not path.name.startswith(".") for path in output.iterdir())):
        raise UserError(f"{output} is not an empty directory: choose another --output.")


def train(directory: Path, config: Config) -> None:
    """Train or resume a run unless its training has ended; the scores of teachers are not needed."""
    if Run(directory).finished_file.is_file():
        print(f"{directory} is finished.", file=sys.stderr)
    else:
        resume_or_train(directory, config)


def resume_or_train(directory: Path, config: Config) -> Evaluation:
    """Train a run, or resume it if it exists, and score it."""
    from nmt import pipeline

    if Run(directory).config_file.is_file():
        return pipeline.resume(*composition.resumed(directory, overrides=[]))
    return pipeline.train(replace(config, name=directory.name, run_dir=str(directory)))


def opposite_data(data: DataSettings, corpus: PreparedCorpus, directory: Path) -> DataSettings:
    """Settings for the opposite direction, with the same held-out sentences, which are written to a directory."""
    there, languages = data.direction(), data.languages()
    held_out = {"val": corpus.val_sentences, "test": corpus.test_sentences}

    def row(source: str, target: str) -> list[str]:
        cells = {there.source_column: source, there.target_column: target}
        return [cells.get(column, "") for column in range(len(languages))]

    if not directory.exists():
        with new_directory(directory, existing="refuse") as new:
            for name, entries in held_out.items():
                rows = (row(entry.source, text) for entry in entries for text in entry.references)
                distil.write(new / f"{name}.tsv", rows)
    tables: dict[str, Any] = {f"{name}_path": str(directory / f"{name}.tsv") for name in held_out}
    return replace(data, columns=languages, source=there.target, target=there.source, **tables)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = plain_parser(
        "diversify.py", "Train models of both directions, and a student on the translations of all.", EXAMPLES
    )
    parser.add_argument("settings", nargs="+", help="what `python train.py` would be given")
    parser.add_argument("--output", type=Path, required=True, help="directory for all; the result is OUTPUT/student")
    parser.add_argument(
        "--teachers", type=cli.positive, default=2, help="models of the direction itself, one seed each (default: 2)"
    )
    return parser.parse_intermixed_args(arguments)


if __name__ == "__main__":
    cli.run(main, results_on_disk=True)
