"""export.py: a finished run as one file or page that translates without PyTorch, or the card of such a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.commands.options import newest_run, plain_parser
from nmt.errors import UserError
from nmt.shell import shell_command

if TYPE_CHECKING:
    from nmt.run import OpenRun
    from nmt.translator import Translator

EXAMPLES = """examples:
  python export.py                                     # newest finished run → eng-fra.nmt
  python export.py --run outputs/RUN --output mine.nmt
  python export.py --html translator.html              # one page that translates in any browser, offline
  python export.py --app public/                       # the same for a web host, where phones can install it
  python export.py --precision fp32                    # four times as large, scores equal to PyTorch's
  python export.py --card mine.nmt                     # what is in a file: trained on what, how good
  python translate.py --run mine.nmt "They are watching."
"""


def main(argv: Sequence[str] | None = None) -> None:
    """Export with these arguments (default: those of the command line)."""
    options = parse(sys.argv[1:] if argv is None else argv)
    if options.card:
        from nmt.portable.translator import PortableTranslator

        print(card_text(PortableTranslator.load(options.card).card))
        return
    from nmt.console import log_to_console
    from nmt.files import write_bytes
    from nmt.portable.builder import NotPortable
    from nmt.portable.export import portable
    from nmt.portable.file import SUFFIX, pack
    from nmt.run import Run
    from nmt.translator import Translator

    log_to_console()
    run = Run.open(options.run or newest_run())
    translator = Translator.load(run, "cpu")
    default = None if options.html or options.app else Path("-".join(translator.languages) + SUFFIX)
    outputs = {SUFFIX: options.output or default, ".html": options.html}
    for suffix, output in outputs.items():
        if output and output.is_dir():
            raise UserError(f"{output} is a directory: name a file, such as {output / 'translator'}{suffix}.")
    try:
        tensors, record = portable(run, translator)
    except NotPortable as error:
        raise UserError(f"{run.directory} cannot be exported: {error}.") from error
    content = pack(tensors, record, int8=options.precision == "int8")
    add_to_run(run, translator)
    print(card_text(record["card"]), file=sys.stderr)
    if output := outputs[SUFFIX]:
        write_bytes(output, content)
        report(output, options.precision, f'Translate with: {shell_command("translate.py", "--run", output)} "…"')
    if output := outputs[".html"]:
        from nmt.web.translator_page import page

        write_bytes(output, page(content).encode("utf-8"))
        report(output, options.precision, "Open it in a browser; it needs nothing else, and no network.")
    if options.app:
        write_app(options.app, content)
        print(options.app)
        print(f"{options.app}: put these files on a web host with https; phones can install the page.", file=sys.stderr)


def write_app(directory: Path, content: bytes) -> None:
    """Write the page and the files that make it installable into a directory."""
    from nmt.files import write_bytes
    from nmt.web.translator_page import app

    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{directory} cannot be made ({error.strerror}): give --app another directory.") from error
    for name, text in app(content).items():
        write_bytes(directory / name, text.encode("utf-8"))


def report(output: Path, precision: str, advice: str) -> None:
    """Name a file that was written, its size and its use."""
    print(output)
    print(f"{output}: {output.stat().st_size / 1e6:.1f} MB, {precision}. {advice}", file=sys.stderr)


def add_to_run(run: OpenRun, translator: Translator) -> None:
    """Write portable.nmt, so that translate.py starts faster, into a run that has none that can be read."""
    from nmt.portable import file
    from nmt.portable.export import write_into_run

    with suppress(UserError):
        file.read(run.portable_file)
        return
    try:
        write_into_run(run, translator)
    except UserError as error:
        print(f"Not written: {error}", file=sys.stderr)


def card_text(card: Mapping[str, str]) -> str:
    """A model card for the terminal."""
    return "\n".join(f"{heading}: {text}" for heading, text in card.items())


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the options."""
    description = "Write a finished run as one file that translates anywhere, without PyTorch (docs/share.md)."
    parser = plain_parser("export.py", description, EXAMPLES)
    add = parser.add_argument
    add("--run", type=Path, help="run directory (default: the newest finished one under outputs/)")
    add("--output", type=Path, metavar="FILE", help="file to write (default: SOURCE-TARGET.nmt, such as eng-fra.nmt)")
    page = "write a page that translates in a browser, offline; with --output, both files"
    add("--html", type=Path, metavar="FILE", help=page)
    add("--app", type=Path, metavar="DIR", help="write the page for a web host, where browsers offer to install it")
    precision = "int8 (default) is a quarter of the size; fp32 gives the same scores as PyTorch"
    add("--precision", choices=("int8", "fp32"), default="int8", help=precision)
    add("--card", type=Path, metavar="FILE", help="only show what a file says about its model")
    options = parser.parse_args(arguments)
    if options.card and (options.run or options.output or options.html or options.app):
        parser.error("--card reads a file: give it without --run, --output, --html and --app")
    return options
