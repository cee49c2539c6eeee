"""train.py: settings composed by Hydra → data, training, evaluation."""

import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import hydra
from omegaconf import DictConfig

from nmt import cli, composition
from nmt.config import ROOT, load_config
from nmt.data.discovery import complete
from nmt.errors import RunFailed, UserError
from nmt.interrupt import Stopping
from nmt.launch import Launch
from nmt.memory import limit_kernel_caches
from nmt.overrides import for_hydra
from nmt.own_corpus import with_own_corpus
from nmt.run import Run
from nmt.shell import resume_command
from nmt.starting import with_languages_of

log = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> None:
    """Train with these overrides (default: those of the command line)."""
    arguments = for_hydra(with_own_corpus(sys.argv[1:] if argv is None else argv))
    sys.argv = [sys.argv[0] if argv is None else "train.py", *arguments]  # Hydra reads it there
    os.environ["HYDRA_FULL_ERROR"] = "1"  # makes Hydra raise its errors, which are explained below
    composition.register()
    try:
        with composition.explained():
            _composed()
    except RunFailed:
        raise UserError("Not every run of the sweep could be trained: the errors above say why.") from None


@hydra.main(version_base="1.3", config_path=str(ROOT / "configs"), config_name="train")
def _composed(cfg: DictConfig) -> None:
    """Do the work of one run; a UserError is printed here, before Hydra adds its own message."""
    try:
        cli.run(lambda: work(cfg), results_on_disk=True)
    except SystemExit as end:
        if end.code == 2 and composition.is_sweep():
            raise RunFailed from None  # Hydra notes it and goes on with the next run
        raise


def work(cfg: DictConfig) -> None:
    """Data → training → evaluation."""
    launch = Launch.from_environment()
    chosen = choose(cfg, launch) if launch.rank == 0 else None
    limit_kernel_caches()
    # Imported late, because PyTorch imports slowly and a mistake in the settings is found before.
    from nmt.console import log_to_console
    from nmt.pipeline import print_results, resume, train
    from nmt.ranks import Ranks

    log_to_console(only_errors=launch.rank > 0)
    ranks = Ranks(launch)
    values, changes = ranks.broadcast_json(chosen and (asdict(chosen.config), chosen.changes))
    config = load_config(values)
    directory = Path(config.run_dir)
    try:
        if changes is None:
            evaluation = train(config, ranks, composition.origin(cfg) if ranks.is_first else {})
        else:
            evaluation = resume(config, changes, chosen and chosen.run, ranks)
    except Stopping as stop:
        if launch.rank == 0:
            # Into train.log as well: after SIGHUP there is no terminal to read it on.
            log.info("%s: stopped and saved. Go on with\n  %s", stop, resume_command(directory))
        raise
    if ranks.is_first:
        print_results(evaluation, directory)


def choose(cfg: DictConfig, launch: Launch) -> composition.Chosen:
    """The settings of a new or resumed run, checked as far as is possible without PyTorch."""
    composition.check_launch(launch)
    if cfg.resume is not None and cfg.start is None:
        chosen = composition.resumed(composition.absolute(cfg.resume))
    else:
        config = composition.settings(cfg) if cfg.start is None else composition.started(cfg)
        config.data.require_files()
        data = complete(config.data) if config.start is None else with_languages_of(config.start, config.data)
        chosen = composition.Chosen(replace(config, data=data))
        # After a lost process, torchrun repeats the command that began the run.
        if launch.restarts and Run(config.run_dir).config_file.exists():
            chosen = composition.restarted(chosen.config)
    chosen.config.data.require_files()
    return chosen
