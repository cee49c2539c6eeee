"""Corpus formats, one class each.

A new format is one subclass of `Reader`: data.format knows it by its name, and data.format=auto by its suffixes or by
how its files begin.
"""

from nmt.data.readers import jsonl, moses, po, translation_memory  # noqa: F401 - they register themselves
from nmt.data.readers.base import READERS, Named, Reader, Row
from nmt.data.readers.choice import AUTO, choose_reader, held_out_format, recognised
from nmt.data.readers.spreadsheet import Csv
from nmt.data.readers.text import Parallel, Tsv

__all__ = ["AUTO", "READERS", "Csv", "Named", "Parallel", "Reader", "Row", "Tsv", "choose_reader", "held_out_format",
           "recognised"]  # fmt: skip
