"""Scores, pictures and reports."""

import logging

# Where the home directory cannot be written, matplotlib would report on every start where its cache is instead.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
