"""Choice of the reader: by the name of the format, by the names of files, or by how a file begins."""

from nmt.data.lines import plain_name
from nmt.data.readers.base import READERS, Reader
from nmt.data.readers.dialect import first_lines
from nmt.data.readers.moses import Moses
from nmt.data.readers.text import Tsv
from nmt.errors import UserError

AUTO = "auto"


def choose_reader(format_: str, paths: tuple[str, ...]) -> type[Reader]:
    """The reader of a format; `auto` takes the first that claims files of these names, and a TSV for any other."""
    if format_ == AUTO:
        readers: list[type[Reader]] = [Moses, *READERS.values()]  # a look into a zip comes before its name
        return next((reader for reader in readers if reader.claims(paths)), Tsv)
    reader = READERS[format_]
    if reader.one_file != (len(paths) == 1):
        wanted = "one file" if reader.one_file else "a file for each language"
        raise UserError(f"data.format={format_} reads {wanted}, not {' and '.join(paths)}: choose another data.format.")
    return reader


def held_out_format(format_: str, paths: tuple[str, ...]) -> str:
    """The format of a held-out set: that of the corpus, unless number or suffix of its files are another format's."""
    if format_ == AUTO or READERS[format_].one_file != (len(paths) == 1):
        return AUTO
    reader, claiming = READERS[format_], choose_reader(AUTO, paths)
    unsaid = plain_name(paths[0]).suffix.lower() in ("", ".txt")
    if claiming is reader or unsaid or (reader is Tsv and claiming.is_table):
        return format_
    return recognised(paths).name


def recognised(paths: tuple[str, ...]) -> type[Reader]:
    """The reader that recognises the beginning of a file, else the one that claims its name."""
    if len(paths) == 1 and not Moses.claims(paths):
        lines = first_lines(paths[0])
        for reader in READERS.values():
            if reader.recognises(paths[0], lines):
                return reader
    return choose_reader(AUTO, paths)
