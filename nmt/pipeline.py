"""The whole way: data → training → evaluation, in one run directory."""

from __future__ import annotations

import dataclasses
import logging
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console

from nmt.config import ROOT, Config, load_config
from nmt.console import log_to_file
from nmt.data.batching import Batch, BatchPlan, collate, sorted_batches
from nmt.data.prepare import PreparedCorpus, prepare
from nmt.data.store import TokenStore
from nmt.device import choose_device, choose_precision
from nmt.errors import UserError
from nmt.evaluation.evaluate import Evaluation, evaluate, write
from nmt.evaluation.report import table
from nmt.evaluation.validate import Validator
from nmt.factory import constructor
from nmt.run import Run
from nmt.training.checkpoint import Checkpoints, load_weights
from nmt.training.monitor import Monitor
from nmt.training.trainer import Data, Trainer
from nmt.translator import Translator, build_model

log = logging.getLogger(__name__)


def train(values: Mapping[str, Any]) -> Evaluation:
    """Begin a run with these settings and carry it through."""
    config = load_config(values)
    check_parts(config)
    Run(Path(config.run_dir)).require_empty()
    corpus = prepare(config.data)
    for line in corpus.report.lines():
        log.info("%s", line)
    run = Run.create(values, provenance(corpus, config), corpus.directory)
    return carry_through(run, config, corpus)


def resume(values: Mapping[str, Any]) -> Evaluation:
    """Go on with the run in `run_dir` from its last checkpoint."""
    run = Run(Path(values["run_dir"]))
    config = load_config(values)
    check_parts(config)
    corpus = prepare(config.data)
    recorded, key = run.read_config()[1]["data_key"], corpus.report.key
    if key != recorded:
        raise UserError(
            f"The data of {run.directory} has changed since the run began (its key was {recorded[:12]}, now it is "
            f"{key[:12]}): restore it, or begin a new run."
        )
    return carry_through(run, config, corpus)


def check_parts(config: Config) -> None:
    """Build everything that a configuration names, with toy vocabularies: mistakes surface before any work starts."""
    choose_device(config.device)
    place = "model"
    try:
        model = build_model(config, source_vocab=8, target_vocab=8)
        place = "optimizer"
        constructor(config.optimizer, place)(model.parameters())
        place = "scheduler"
        constructor(config.scheduler, place)(total_steps=1)
    except UserError:
        raise
    except (TypeError, ValueError, RuntimeError) as error:  # a class that refuses what it is given
        raise UserError(f"The settings of {place} do not work: {error}") from error


def carry_through(run: Run, config: Config, corpus: PreparedCorpus) -> Evaluation:
    """Train the model of a run to its end, from its last checkpoint if it has one, then score it on the test set."""
    log_to_file(run.log)
    log.info("Run directory: %s", run.directory)
    if config.threads is not None:
        torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    device = choose_device(config.device)
    model = build_model(config, len(corpus.source_tokenizer), len(corpus.target_tokenizer)).to(device)
    translator = Translator(model, corpus.source_tokenizer, corpus.target_tokenizer, config.decode, device)
    trainer = make_trainer(run, config, corpus, model, device)
    if trainer.checkpoints.last_step() is not None:
        trainer.restore()
        log.info("Resuming after update %d.", trainer.state.step)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    log.info("Training %s (%s parameters) on %s.", config.name, f"{parameters:,}", device)
    run.unfinish()
    reason = trainer.fit()
    state = trainer.state
    log.info("Training ended: %s. Best %s at step %s.", reason, config.train.monitor, state.best_step)
    run.finish(reason, state, config.train.monitor)

    load_weights(run.best_checkpoint(), model, device)
    model.eval()
    evaluation = evaluate(translator, corpus.test_sentences)
    details = run.evaluated("test.tsv", config.decode)
    write(run.evaluation, evaluation, corpus.test_sentences, languages_of(corpus), details)
    scores = evaluation.scores
    trainer.monitor.finished(hyperparameters(config), {"bleu": scores.bleu.value, "chrf": scores.chrf.value})
    return evaluation


def make_trainer(
    run: Run, config: Config, corpus: PreparedCorpus, model: torch.nn.Module, device: torch.device
) -> Trainer:
    """Put a trainer together from the parts that the configuration names."""
    settings = config.train
    plan = BatchPlan(
        corpus.train.source.lengths,
        corpus.train.target.lengths,
        settings.batch_size,
        settings.batch_unit,
        config.seed,
    )
    updates_an_epoch = -(-len(plan.epoch(0)) // settings.accumulate)
    limits = [settings.max_steps, settings.max_epochs and settings.max_epochs * updates_an_epoch]
    total_steps = min(limit for limit in limits if limit is not None)
    checkpoints = Checkpoints(run.checkpoints)
    return Trainer(
        model=model,
        data=Data(plan.epoch, lambda indices: load_batch(corpus.train, indices, device)),
        optimizer=constructor(config.optimizer, "optimizer")(model.parameters()),
        schedule=constructor(config.scheduler, "scheduler")(total_steps=total_steps),
        settings=settings,
        checkpoints=checkpoints,
        monitor=Monitor(run.tensorboard, settings, total_steps),
        validate=make_validator(config, corpus, model, device),
        device=device,
        precision=choose_precision(settings.precision, device),
    )


def make_validator(config: Config, corpus: PreparedCorpus, model: torch.nn.Module, device: torch.device) -> Validator:
    """Validation by greedy search: it ranks checkpoints as a beam does, in a fraction of the time."""
    greedy = dataclasses.replace(config.decode, beam_size=1)
    translator = Translator(model, corpus.source_tokenizer, corpus.target_tokenizer, greedy, device)

    def batches() -> Iterable[Batch]:
        for indices in sorted_batches(corpus.val.target.lengths, greedy.batch_tokens):
            yield load_batch(corpus.val, indices, device)

    return Validator(model, batches, translator, corpus.val_sentences, languages_of(corpus))


def load_batch(store: TokenStore, indices: np.ndarray, device: torch.device) -> Batch:
    """A batch on the device; copies to a GPU run in the background, from pinned memory."""
    batch = collate(store, indices)
    return batch.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else batch.to(device)


def languages_of(corpus: PreparedCorpus) -> tuple[str, str]:
    """Names for the axes of a heatmap."""
    return corpus.report.source.language, corpus.report.target.language


def print_results(evaluation: Evaluation, directory: Path) -> None:
    """The scores on stdout; where everything is, on stderr."""
    Console().print(table(evaluation.scores, title="test.tsv"))
    log.info("Scores, translations and heatmaps: %s", Run(directory).evaluation)
    log.info('Translate with: python translate.py --run %s "…"', directory)


def provenance(corpus: PreparedCorpus, config: Config) -> dict[str, Any]:
    """Where a run came from: enough to do it again."""
    packages = ("torch", "numpy", "sentencepiece", "sacrebleu", "hydra-core")
    return {
        "data_key": corpus.report.key,
        "split_hash": corpus.report.split_hash,
        "device": str(choose_device(config.device)),
        "git": _git_revision(),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in packages}},
    }


def _git_revision() -> str | None:
    try:
        command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def hyperparameters(config: Config) -> dict[str, Any]:
    """What runs are compared by in TensorBoard's HParams tab: names first, then every simple setting, dotted."""
    parts = {name: getattr(config, name) for name in ("model", "optimizer", "scheduler")}
    parts |= {name: dataclasses.asdict(getattr(config, name)) for name in ("train", "decode")}
    return {"name": config.name, "corpus": config.data.name, "seed": config.seed, **_dotted(parts)}


def _dotted(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= _dotted(value, f"{prefix}{name}.")
        elif isinstance(value, (int, float, str)):
            flat[f"{prefix}{name}"] = value
    return flat
