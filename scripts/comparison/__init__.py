"""The parts of `scripts/compare.py`: reading runs, statistics, tables, the page."""
