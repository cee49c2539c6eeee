"""The best model that a corpus allows, in one command: models that teach, and one that learns from them all.

    python scripts/diversify.py --output outputs/best experiment=multi30k_ende

Data diversification (Nguyen et al. 2020): models of both directions translate the training set, each in its own way,
and the student trains on what all of them and the people wrote. In the output: teacher-1, teacher-2 …, back and
student, which are runs, held-out/ and pairs/. Interrupted at any moment, the same command goes on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import distil

from nmt import cli
from nmt.errors import UserError

if TYPE_CHECKING:
    from nmt.config import Config
    from nmt.data.prepare import PreparedCorpus
    from nmt.evaluation.evaluate import Evaluation

EXAMPLES = """examples:
  python scripts/diversify.py --output outputs/best experiment=multi30k_ende
  python scripts/diversify.py --output outputs/best experiment=anki_mar --teachers 3
  python scripts/diversify.py --output outputs/best data=anki data.path=fra-eng.zip size=100k
"""
# Pairs by teachers regularise too: the student does with less dropout than those who had the corpus alone.
LESS_DROPOUT = 2 / 3


def main() -> None:
    """Train the teachers, let them translate, train the student."""
    options = parse(sys.argv[1:])
    from nmt import composition
    from nmt.config import load_config
    from nmt.console import log_to_console
    from nmt.data.prepare import prepare
    from nmt.pipeline import print_results

    log_to_console()
    try:
        config = load_config(composition.composed(*options.settings))
        there = config.data.direction()
        opposite = [f"data.source={there.target}", f"data.target={there.source}"]
        load_config(composition.composed(*options.settings, *opposite))  # before an hour of training, not after it
    except composition.COMPOSITION_ERRORS as error:
        raise UserError(composition.explain(error)) from error
    config.data.require_files()
    remember(options.output, options.settings)
    corpus = prepare(config.data)

    back, pairs = options.output / "back", options.output / "pairs"
    train(back, replaced(options.settings, [*opposite, *same_held_out(config, corpus, options.output / "held-out")]))
    teachers = [options.output / f"teacher-{i + 1}" for i in range(options.teachers)]
    for i, directory in enumerate(teachers):
        train(directory, replaced(options.settings, [f"seed={config.seed + i}"]))
    if not pairs.exists():
        runs = [argument for directory in teachers for argument in ("--run", str(directory))]
        distil.make_pairs(distil.parse([*runs, "--each", "--back", str(back), "--output", str(pairs)]))
    lessons = [*distil.student_settings(pairs, there), *student_settings(config, corpus, pairs / "train.tsv")]
    if evaluation := train(options.output / "student", replaced(options.settings, lessons)):
        print_results(evaluation, options.output / "student")


def remember(output: Path, settings: Sequence[str]) -> None:
    """Keep the settings, so that what was begun is not gone on with under others."""
    from nmt.files import write_text

    record, text = output / "settings.txt", "".join(f"{setting}\n" for setting in settings)
    if not record.exists():
        if output.exists() and any(output.iterdir()):
            raise UserError(f"{output} is not empty: choose another --output.")
        output.mkdir(parents=True, exist_ok=True)
        write_text(record, text)
    elif record.read_text(encoding="utf-8") != text:
        raise UserError(f"{output} was begun with other settings ({record}): repeat these, or choose another --output.")


def train(directory: Path, settings: Sequence[str]) -> Evaluation | None:
    """Carry a run through, from wherever it is; gives its scores unless it was at its end."""
    from nmt import composition, pipeline
    from nmt.run import Run

    run = Run(directory.absolute())
    if (run.evaluation / "scores.json").is_file():
        print(f"{directory} is finished.", file=sys.stderr)
        return None
    if run.config_file.is_file():
        return pipeline.resume(*composition.resumed(run.directory, overrides=[]))
    return pipeline.train(composition.composed(*settings, f"name={directory.name}") | {"run_dir": str(run.directory)})


def same_held_out(config: Config, corpus: PreparedCorpus, directory: Path) -> list[str]:
    """Settings that let the opposite direction hold out the same sentences: each would choose its own."""
    from nmt.files import new_directory

    data = config.data
    if data.val_path is not None and data.test_path is not None:
        return []
    there = data.direction()
    files = {"val": corpus.val_sentences, "test": corpus.test_sentences}
    if not directory.exists():
        with new_directory(directory, existing="refuse") as new:
            for name, entries in files.items():
                pairs = ((entry.source, reference) for entry in entries for reference in entry.references)
                in_order = there.source_column < there.target_column
                distil.write(new / f"{name}.tsv", (pair if in_order else pair[::-1] for pair in pairs))
    return [f"data.{name}_path='{directory / name}.tsv'" for name in files]


def student_settings(config: Config, corpus: PreparedCorpus, pairs: Path) -> list[str]:
    """As many updates as a teacher had, with less dropout."""
    settings = [f"model.state_dropout={config.model['state_dropout'] * LESS_DROPOUT:.2g}"]
    if config.train.max_epochs is not None:
        with pairs.open(encoding="utf-8") as file:
            known, all_pairs = len(corpus.train), sum(1 for _ in file)
        settings.append(f"train.max_epochs={max(1, round(config.train.max_epochs * known / all_pairs))}")
    return settings


def replaced(settings: Sequence[str], by: Sequence[str]) -> list[str]:
    """Settings in which what both name is as in `by`: Hydra takes a group but once."""
    names = {setting.partition("=")[0] for setting in by}
    return [setting for setting in settings if setting.partition("=")[0] not in names] + list(by)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        prog="diversify.py",
        description="Train models of both directions, and a student on the translations of all.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("settings", nargs="+", help="what `python train.py` would be given")
    parser.add_argument("--output", type=Path, required=True, help="directory for all; the result is OUTPUT/student")
    parser.add_argument(
        "--teachers", type=cli.positive, default=2, help="models of the direction itself, one seed each (default: 2)"
    )
    return parser.parse_intermixed_args(arguments)


if __name__ == "__main__":
    cli.run(main)
