"""Translate text with a trained model: `python translate.py "They are watching."`; --help lists the options."""

from nmt import cli
from nmt.commands.translate import main

if __name__ == "__main__":
    cli.run(main)
