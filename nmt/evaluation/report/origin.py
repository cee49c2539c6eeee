"""Where a model comes from: its data, its training, and how to repeat it."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from safetensors import safe_open

from nmt.data.corpus_report import DataReport
from nmt.data.heldout import HeldOut
from nmt.evaluation.report.figures import Cell, Column, Figure
from nmt.evaluation.report.training_set import prepared_corpus, shared_with_training
from nmt.portable.card import language_name
from nmt.provenance import hyperparameters
from nmt.run import OpenRun, Run
from nmt.shell import quote
from nmt.training.checkpoint import MODEL


def facts(run: OpenRun, details: Mapping[str, Any]) -> dict[str, str]:
    """What was trained on what, and how it was scored, by headings."""
    finished, origin, config = run.finished(), run.provenance, run.config
    direction = config.data.direction()
    search = {name: value for name, value in details["decode"].items() if name not in ("_target_", "batch_tokens")}
    method = str(details["decode"].get("_target_", "nmt.search.Beam")).rpartition(".")[2]
    seconds, tokens = finished.get("training_seconds", 0.0), finished.get("target_tokens", 0)
    machine = [origin.get("gpu") or origin.get("device"), origin.get("platform"), f"{origin.get('threads')} threads"]
    versions = ", ".join(f"{name} {number}" for name, number in origin.get("versions", {}).items())
    ensemble = f"{len(details['ensemble'])} runs, the first of them this: " if "ensemble" in details else ""
    return {
        "Model": f"{ensemble}{config.name}, {count_parameters(run):,} parameters, seed {config.seed}",
        "Translates": f"{language_name(direction.source)} → {language_name(direction.target)}",
        "Trained": f"{finished['steps']:,} updates, {finished.get('epochs')} epochs, {tokens:,} target tokens in "
        f"{seconds / 60:.1f} minutes; {finished.get('reason')}",
        "Scored": f"{details['examples']}, {details['checkpoint']}, {method.lower()} search with "
        + ", ".join(f"{name} {value}" for name, value in search.items()),
        "Training command": command(run),
        "Evaluation command": evaluation_command(run, details),
        "Run": f"{run.identity[:12]}, data {origin['data_key'][:12]}, split {origin['split_hash'][:12]}, "
        f"finished {finished['finished_at'][:10]}",
        "Code": f"revision {origin.get('git') or 'unknown'}; {versions}",
        "Machine": ", ".join(str(part) for part in machine if part),
    }


def command(run: OpenRun) -> str:
    """The command that trains the same again; runs of earlier versions did not record it."""
    overrides = run.provenance.get("overrides")
    if not isinstance(overrides, list):
        return f"not recorded; every setting is in {run.config_file.name}"
    again = python_command("train.py", *map(str, overrides))
    changes = f" (then resumed with {' '.join(map(quote, run.changes))})" if run.changes else ""
    return again + changes


def evaluation_command(run: OpenRun, details: Mapping[str, Any]) -> str:
    """The command that evaluates the same again: as `details` record it, or that for the run's own test set."""
    return str(details.get("command") or python_command("evaluate.py", "--run", run_name(run)))


def python_command(program: str, *arguments: str) -> str:
    """A command for readers of a report, who may be at another machine."""
    return " ".join(map(quote, ("python", program, *arguments)))


def run_name(run: Run) -> str:
    """The directory of a run as a command names it from here."""
    path = run.directory.absolute()
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def leak_note(run: OpenRun, details: Mapping[str, Any], examples: Sequence[HeldOut]) -> str:
    """What is known of sentences that training and the evaluated set share; counted for a set of the user's own."""
    if "references" not in details:
        return "Leak: none. No sentence of the held-out sets, on either side, is in training."
    corpus, name = prepared_corpus(run), details["examples"]
    if corpus is None:
        return f"Leak: not checked for {name}, as the prepared corpus of the run is gone."
    shared = shared_with_training(corpus, examples)
    found = f"{shared:,} of the {len(examples):,} sentences of {name} have their source or a reference in training"
    return f"Leak: {found if shared else found.replace('0 of', 'none of', 1)}, without regard to case and punctuation."


def count_parameters(run: OpenRun) -> int:
    """Numbers that training adjusted; tied ones are stored once and count once."""
    with safe_open(run.best_checkpoint() / MODEL, framework="np") as tensors:
        return sum(math.prod(tensors.get_slice(name).get_shape()) for name in tensors.keys())  # noqa: SIM118


def figures(run: OpenRun, details: Mapping[str, Any], examples: Sequence[HeldOut]) -> list[Figure]:
    """The corpus (rows kept and dropped, statistics of its two sides) and the settings."""
    path = run.directory / "data" / "report.json"
    report = DataReport.from_dict(json.loads(path.read_text(encoding="utf-8")))
    rows: list[list[Cell]] = [["rows read", report.pairs_read]]
    rows += [[f"dropped: {reason}", count] for reason, count in report.dropped.items()]
    rows += [["training pairs", report.train_pairs]]
    rows += [["of them new in this run", report.new_pairs]] if report.new_pairs else []
    rows += [["validation sentences", report.val_sources], ["references of the validation set", report.val_pairs]]
    rows += [["test sentences", report.test_sources], ["references of the test set", report.test_pairs]]
    leak = leak_note(run, details, examples)
    note = f"{leak} Of a random split {report.random_leak:.0%} of the test pairs would share one with training."
    sides = [report.source, report.target]
    looks: list[list[Cell]] = [
        ["language", *(side.language for side in sides)],
        ["scripts", *(", ".join(f"{name} {share:.1%}" for name, share in side.scripts.items()) for side in sides)],
        ["pieces in the vocabulary", *(side.vocabulary for side in sides)],
    ]
    for name, length in report.source.lengths.items():
        looks += [[f"tokens of a sentence, {name}", length, report.target.lengths.get(name)]]
    return [
        Figure("data", f"Data: {report.name}", [Column("what"), Column("count")], rows, note),
        Figure("sides", "The two languages", [Column("what"), Column("source"), Column("target")], looks),
        settings_figure(run),
    ]


def settings_figure(run: OpenRun) -> Figure:
    """Every simple setting of model, optimiser, training and search."""
    rows: list[list[Cell]] = [[name, str(value)] for name, value in hyperparameters(run.config).items()]
    return Figure("settings", "Settings", [Column("setting"), Column("value")], rows)
