"""Train a translator: `python train.py model=bahdanau`; `python train.py --help` lists models and settings."""

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)  # until training begins, Ctrl-C has nothing to save or explain

from nmt import cli
from nmt.commands.train import main

if __name__ == "__main__":
    cli.run(main, results_on_disk=True)
