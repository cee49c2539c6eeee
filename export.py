"""Write a trained model as one file to share: `python export.py`; --help lists the options."""

from nmt import cli
from nmt.commands.export import main

if __name__ == "__main__":
    cli.run(main)
