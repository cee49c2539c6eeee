"""train.py: settings composed by Hydra → data, training, evaluation."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hydra
from omegaconf import DictConfig

from nmt import cli, composition
from nmt.config import ROOT, load_config
from nmt.errors import RunFailed, UserError
from nmt.interrupt import Interrupted, Stopping
from nmt.launch import Launch
from nmt.run import OpenRun, Run, resume_command


def main(argv: Sequence[str] | None = None) -> None:
    """Train with these overrides (default: those of the command line)."""
    if argv is not None:
        sys.argv = ["train.py", *argv]  # Hydra reads it there
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra then raises its errors, and we say them in one sentence
    composition.register()
    try:
        _composed()
    except composition.COMPOSITION_ERRORS as error:
        raise UserError(composition.explain(error)) from error
    except RunFailed:
        raise UserError("Not every run of the sweep could be trained: the errors above say why.") from None


@hydra.main(version_base="1.3", config_path=str(ROOT / "configs"), config_name="train")
def _composed(cfg: DictConfig) -> None:
    """Do the work of one run; a UserError is printed here, before Hydra adds its own message."""
    try:
        cli.run(lambda: work(cfg))
    except SystemExit as end:
        if end.code == 2 and composition.is_sweep():
            raise RunFailed from None  # Hydra notes it and goes on with the next run
        raise


def work(cfg: DictConfig) -> None:
    """Data → training → evaluation."""
    launch = Launch.from_environment()
    chosen = choose(cfg, launch) if launch.rank == 0 else (None, None, None)
    # Only now: PyTorch takes its time to import, and a mistake in the settings is answered before it.
    from nmt.console import log_to_console
    from nmt.pipeline import print_results, resume, train
    from nmt.ranks import Ranks

    log_to_console(only_errors=launch.rank > 0)
    ranks = Ranks(launch)
    *settings, run = chosen
    values, changes = ranks.broadcast_json(settings)
    directory = Path(values["run_dir"])
    try:
        evaluation = train(values, ranks) if changes is None else resume(values, changes, run, ranks)
    except Interrupted as stop:
        begun = Run(directory).config_file.exists()
        advice = f"Go on with\n  {resume_command(directory)}" if begun else "Give the same command again to begin."
        if launch.rank == 0:
            print(f"{stop}: stopped{' and saved' if isinstance(stop, Stopping) else ''}. {advice}", file=sys.stderr)
        raise
    if ranks.is_first:
        print_results(evaluation, directory)


def choose(cfg: DictConfig, launch: Launch) -> tuple[dict[str, Any], list[str] | None, OpenRun | None]:
    """Settings, checked as far as can be without PyTorch; of a run that goes on, also its changes and itself."""
    composition.check_launch(launch)
    chosen: tuple[dict[str, Any], list[str] | None, OpenRun | None]
    if cfg.resume is not None:
        chosen = composition.resumed(Path(str(cfg.resume)).expanduser().absolute())
    else:
        chosen = composition.plain(cfg), None, None
        # torchrun gives the command that began a run again, after one of its processes was lost.
        if launch.restarts and Run(chosen[0]["run_dir"]).config_file.exists():
            chosen = composition.restarted(chosen[0])
    load_config(chosen[0]).data.require_files()
    return chosen
