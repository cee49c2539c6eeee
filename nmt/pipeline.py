"""Data → training → evaluation, in one run directory."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console

from nmt import starting
from nmt.config import NO_END, Config
from nmt.console import log_to_file
from nmt.data.batching import Batch, BatchPlan, Plan, ReplayPlan, collate, sorted_batches
from nmt.data.discovery import complete, description
from nmt.data.pairs import TrainingPairs
from nmt.data.prepare import PreparedCorpus, prepare
from nmt.data.store import TokenStore
from nmt.device import choose_device, choose_precision
from nmt.errors import UserError
from nmt.evaluation.evaluate import Evaluation, evaluate, write
from nmt.evaluation.report.words import write_counts
from nmt.evaluation.score_report import table
from nmt.evaluation.validate import Validator
from nmt.evaluation.verdict import VERDICT, judge
from nmt.factory import constructor, refusals
from nmt.guessing import Guessing
from nmt.interrupt import Stopping
from nmt.memory import map_large_tensors
from nmt.metrics import MAIN
from nmt.portable.export import write_into_run
from nmt.portable.snapshots import Snapshots
from nmt.provenance import hyperparameters, provenance
from nmt.ranks import ALONE, RankLost, Ranks
from nmt.run import OpenRun, Run
from nmt.search import Greedy, Search
from nmt.sharing import SharedTranslator
from nmt.shell import resume_command, shell_command
from nmt.training.checkpoint import Checkpoints, stepped_twin
from nmt.training.monitor import Monitor
from nmt.training.trainer import Data, Trainer
from nmt.translator import Translator, build_model, build_search
from nmt.typed import written_to

log = logging.getLogger(__name__)


def train(config: Config, ranks: Ranks = ALONE, origin: Mapping[str, Any] | None = None) -> Evaluation:
    """Begin a run with these settings: prepare, train, evaluate; `origin` is recorded: how the run was begun."""
    config = replace(config, data=complete(config.data))
    run = Run(config.run_dir)
    device = check_parts(config, ranks)
    if ranks.is_first:
        run.require_new()
        config.data.require_files()
        log_lines(description(config.data))
    corpus = prepare_everywhere(config, ranks, device)
    if ranks.is_first:
        log_lines([*corpus.report.lines(corpus.samples()), *filter(None, [(origin or {}).get("size")])])
        for oddity in corpus.report.oddities():
            log.warning("%s", oddity)
    if not config.train.has_end():
        config = replace(config, train=starting.with_end(config.train, corpus.report.new_pairs))
    if ranks.is_first:
        record = provenance(corpus, config, device, ranks) | starting.provenance(config) | dict(origin or {})
        run = run.create(config, record, corpus.directory)
    with run.lock if ranks.is_first else nullcontext():
        return carry_through(run, config, corpus, ranks, device)


def log_lines(lines: Iterable[str]) -> None:
    """Log each line."""
    for line in lines:
        log.info("%s", line)


def resume(config: Config, changes: Sequence[str] | None, run: OpenRun | None, ranks: Ranks = ALONE) -> Evaluation:
    """Resume a run from its last checkpoint and record `changes` of its settings; `run` is None on ranks above 0."""
    if not config.train.has_end():
        raise UserError(NO_END)
    with written_to(Run(config.run_dir).config_file):
        device = check_parts(config, ranks)
    with run.lock if run else nullcontext():
        corpus = prepare_everywhere(config, ranks, device, run.provenance["data_key"] if run else None)
        if run:
            run.lock.check()
            run.write_changes(changes or [])
        return carry_through(run or Run(config.run_dir), config, corpus, ranks, device)


def prepare_everywhere(config: Config, ranks: Ranks, device: torch.device, key: str | None = None) -> PreparedCorpus:
    """Prepare the corpus on every rank, once per machine, and connect the ranks."""
    corpus = prepare(config.data, key)
    ranks.connect(device)
    keys = [key.decode() for key in ranks.all_gather_bytes(corpus.report.key.encode())]
    if different := [rank for rank, key in enumerate(keys) if key != keys[0]]:
        advice = "copy the same files to every machine"
        raise UserError(f"The corpus of rank {different[0]} is not that of rank 0: {advice}.")
    return corpus


def check_parts(config: Config, ranks: Ranks) -> torch.device:
    """Build every part that a configuration names, with toy vocabularies, to find mistakes before any work starts."""
    device = choose_device(ranks.device_name(config.device))
    model = build_model(config, source_vocab=8, target_vocab=8)
    with refusals(config.optimizer, "optimizer"):
        stepped_twin(constructor(config.optimizer, "optimizer")(model.parameters()))
    with refusals(config.scheduler, "scheduler"):
        constructor(config.scheduler, "scheduler")(total_steps=1)
    build_search(config)
    return device


def carry_through(run: Run, config: Config, corpus: PreparedCorpus, ranks: Ranks, device: torch.device) -> Evaluation:
    """Train the model of a run to its end, from its last checkpoint if it has one, then score it on the test set."""
    if ranks.is_first:
        log_to_file(run.log)
    log.info("Run directory: %s", run.directory)
    log.info("If interrupted, go on with: %s", resume_command(run.directory))
    if config.threads is not None:
        torch.set_num_threads(config.threads)
    map_large_tensors()
    torch.manual_seed(config.seed)
    model = build_model(config, len(corpus.source_tokenizer), len(corpus.target_tokenizer)).to(device)
    if config.start is not None:
        if isinstance(run, OpenRun) and not Checkpoints(run.checkpoints).steps():
            log.info("Starting from %s.", starting.load_weights(run, model))
        ranks.broadcast(parameter.detach() for parameter in model.parameters())
    if not ranks.is_first:  # the same weights everywhere, other dropout
        torch.manual_seed(int(np.random.SeedSequence((config.seed, ranks.rank)).generate_state(1)[0]))
    trainer = make_trainer(run, config, corpus, model, ranks, device)
    try:
        evaluation = train_and_evaluate(run, config, corpus, trainer)
    except RankLost as error:
        raise UserError(f"{error} Go on from the last checkpoint with `{resume_command(run.directory)}`.") from error
    except Stopping:  # all ranks have agreed on it
        ranks.close()
        raise
    trainer.monitor.finished(hyperparameters(config), evaluation.scores.values())
    ranks.close()
    return evaluation


def train_and_evaluate(run: Run, config: Config, corpus: PreparedCorpus, trainer: Trainer) -> Evaluation:
    """Resume if there is a checkpoint, train, and score the best checkpoint; only rank 0 writes."""
    model, ranks, device = trainer.model, trainer.ranks, trainer.device
    (has_checkpoint,) = ranks.all_reduce_max(ranks.is_first and bool(trainer.checkpoints.steps()))
    if has_checkpoint:
        trainer.restore()
        log.info("Resuming after update %d.", trainer.state.step)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    places = f"{ranks.size} processes, {device.type} each" if ranks.size > 1 else str(device)
    log.info("Training %s (%s parameters) on %s.", config.name, f"{parameters:,}", places)
    if ranks.is_first:
        run.begin_training()
    reason = trainer.fit()
    state = trainer.state
    log.info("Training ended: %s. Best %s at step %s.", reason, config.train.monitor, state.best_step)
    if ranks.is_first:
        assert state.best_step is not None, "training ends with a validation"
        run.lock.check()
        run.finish(reason, state, config.train.monitor)
        checkpoint = trainer.checkpoints.load_best(state.best_step, model)
    ranks.broadcast(parameter.detach() for parameter in model.parameters())
    model.eval()
    translator = make_translator(build_search(config), corpus, model, ranks, device)
    validated = translator.translate([example.source for example in corpus.val_sentences])
    evaluation = evaluate(translator, corpus.test_sentences)
    if isinstance(run, OpenRun):
        run.lock.check()
        guessing = Guessing.on(checkpoint, validated, corpus.val_sentences)
        guessing.write(run)
        log.info("%s", guessing.line())
        details = run.evaluated("test.tsv", translator.search.record(), checkpoint)
        bleu, pairs = evaluation.scores[MAIN].value, corpus.report.train_pairs
        verdict = judge(evaluation, bleu=bleu, pairs=pairs, guessing=guessing)
        if not run.word_counts_file.exists():
            write_counts(run, corpus)
        write(run.evaluation, evaluation, translator.languages, details, verdict, run)
        translator.checkpoint = checkpoint
        write_into_run(run, translator)
    return evaluation


def make_translator(
    search: Search, corpus: PreparedCorpus, model: torch.nn.Module, ranks: Ranks, device: torch.device
) -> Translator:
    """A translator that shares its work among all ranks, with the model that is being trained."""
    tokenizers = corpus.source_tokenizer, corpus.target_tokenizer
    languages = corpus.report.source.language, corpus.report.target.language
    return SharedTranslator(ranks, model, *tokenizers, search, device, languages=languages)


def make_trainer(
    run: Run, config: Config, corpus: PreparedCorpus, model: torch.nn.Module, ranks: Ranks, device: torch.device
) -> Trainer:
    """Build the trainer from the parts that the configuration names."""
    settings = config.train

    def plan(store: TokenStore) -> Plan:
        how = store.source.lengths, store.target.lengths, settings.batch_size, settings.batch_unit, config.seed
        new = corpus.report.new_pairs
        return ReplayPlan(*how, new, settings.replay) if new else BatchPlan(*how)

    pairs = TrainingPairs(
        corpus.train,
        (corpus.source_tokenizer, corpus.target_tokenizer),
        plan,
        settings.made_up_words,
        config.seed,
        place=lambda batch: batch.to(device),
    )
    updates_an_epoch = -(-len(pairs.epoch(0)) // settings.accumulate)
    limits = [settings.max_steps, settings.max_epochs and settings.max_epochs * updates_an_epoch]
    total_steps = min(limit for limit in limits if limit is not None)
    identity = run.identity if isinstance(run, OpenRun) else ""  # other ranks do not touch the run directory
    monitor = Monitor(run.tensorboard, settings, total_steps, silent=not ranks.is_first)
    translator = make_translator(build_search(config), corpus, model, ALONE, device)
    keep = {"keep": Snapshots(run, translator, settings.keep)} if isinstance(run, OpenRun) else {}
    return Trainer(
        model=model,
        data=Data(pairs.epoch, pairs.batch, pairs.tokens),
        optimizer=constructor(config.optimizer, "optimizer")(model.parameters()),
        schedule=constructor(config.scheduler, "scheduler")(total_steps=total_steps),
        settings=settings,
        checkpoints=Checkpoints(run.checkpoints, identity, run.lock.check),
        monitor=monitor,
        validate=make_validator(config, corpus, model, ranks, device),
        device=device,
        precision=choose_precision(settings.precision, device),
        ranks=ranks,
        **keep,
    )


def make_validator(
    config: Config, corpus: PreparedCorpus, model: torch.nn.Module, ranks: Ranks, device: torch.device
) -> Validator:
    """Validation by greedy search, which ranks checkpoints like beam search in a fraction of the time."""
    greedy = build_search(config).converted(Greedy)
    translator = make_translator(greedy, corpus, model, ranks, device)

    def batches() -> Iterable[Batch]:
        for indices in ranks.share(sorted_batches(corpus.val.target.lengths, greedy.batch_tokens)):
            yield collate(corpus.val, indices).to(device)

    return Validator(model, batches, translator, corpus.val_sentences, ranks)


def print_results(evaluation: Evaluation, directory: Path) -> None:
    """Print the scores on stdout, and the verdict and where everything is on stderr."""
    Console().print(table(evaluation.scores, title="test.tsv"))
    for line in (Run(directory).evaluation / VERDICT).read_text(encoding="utf-8").splitlines():
        log.info("%s", line)
    log.info("Scores, translations, heatmaps and report.html: %s", Run(directory).evaluation)
    log.info('Translate with: %s "…"', shell_command("translate.py", "--run", directory))
