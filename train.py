"""Train a translator: `python train.py model=bahdanau`; `python train.py --help` lists models and settings."""

import os
import sys
from pathlib import Path

# Hydra then hands its errors to us, and we say them in one sentence.
os.environ["HYDRA_FULL_ERROR"] = "1"

import hydra
from omegaconf import DictConfig

from nmt import cli, composition
from nmt.config import load_config
from nmt.run import resume_command

composition.register_resolvers()


@hydra.main(version_base="1.3", config_path="configs", config_name="train")
def main(cfg: DictConfig) -> None:
    """Compose the settings and do the work; mistakes of a user end here, before Hydra comments on them."""
    cli.run(lambda: work(cfg))


def work(cfg: DictConfig) -> None:
    """Data → training → evaluation."""
    if cfg.resume is None:
        values = composition.plain(cfg)
    else:
        values = composition.resumed(Path(str(cfg.resume)).expanduser().absolute())
    load_config(values).data.require_files()
    # Only now: PyTorch takes its time to import, and a mistake in the settings is answered before it.
    from nmt.console import log_to_console
    from nmt.pipeline import print_results, resume, train
    from nmt.training.interrupt import Interrupted

    log_to_console()
    try:
        evaluation = train(values) if cfg.resume is None else resume(values)
    except Interrupted as stop:
        command = resume_command(Path(values["run_dir"]))
        print(f"{stop}: stopped and saved. Go on with\n  {command}", file=sys.stderr)
        sys.exit(stop.exit_code)
    print_results(evaluation, Path(values["run_dir"]))


if __name__ == "__main__":
    try:
        main()
    except composition.COMPOSITION_ERRORS as error:
        cli.fail(composition.explain(error))
