"""See how a model looks: `python explore.py` writes one page and opens it; --help lists the options."""

from nmt import cli
from nmt.commands.explore import main

if __name__ == "__main__":
    cli.run(main)
