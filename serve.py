"""Serve trained models over HTTP, through the LibreTranslate API: `python serve.py`; --help lists the options."""

from nmt import cli
from nmt.commands.serve import main

if __name__ == "__main__":
    cli.run(main)
