"""Score a trained model: `python evaluate.py` scores the newest finished run on its test set."""

from nmt import cli
from nmt.commands.evaluate import main

if __name__ == "__main__":
    cli.run(main, results_on_disk=True)
